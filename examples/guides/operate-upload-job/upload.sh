#!/bin/sh
# upload.sh FILE prints the share key. Needs curl 7.71, jq, BASE_URL, EXPIRE_SECONDS and API_PASSWORD.
set -eu
size=$(($(wc -c <"$1")))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# ask PATH [OPTION...] stores the answer and its status. curl tries again for four minutes, after 503 too.
ask() {
  url=$BASE_URL$1
  shift
  status=$(curl -sS --retry 8 --retry-all-errors --max-time "${CHUNK_SECONDS:-600}" -o "$work/answer" -w '%{http_code}' "$@" "$url")
}
fail() {
  echo "$1: $(cat "$work/answer")" >&2
  exit 1
}

printf 'Authorization: %s\n' "${API_PASSWORD-}" >"$work/header" # arguments can be seen by others
ask /files/create -H "@$work/header" --data-urlencode "filename=${1##*/}" -d "filesize=$size&expiretime=$((EXPIRE_SECONDS))"
[ "$status" = 200 ] || fail "not created"
key=$(jq -r .shareKey "$work/answer")
jq -r '.chunks[] | "\(.size) \(.uploadPath)"' "$work/answer" >"$work/chunks"

first=1
while read -r length path; do
  tail -c "+$first" "$1" | head -c "$length" >"$work/chunk"
  first=$((first + length))
  ask "$path" -X PUT -F "file=@$work/chunk"
  [ "$status" = 200 ] || grep -q "déjà uploadé" "$work/answer" || fail "chunk refused"
done <"$work/chunks"

# A chunk that was cut or stored twice shows in the stored size.
ask "/files/info?sharekey=$key"
[ "$(jq -r .uploaded "$work/answer")" = true ] || fail "not complete"
ask "$(jq -r .downloadLink "$work/answer")" --head
tr -d '\r' <"$work/answer" | grep -qix "content-length: $size" || fail "stored with another size than $size"
echo "$key"
