#!/bin/sh
# corrupt.sh FOLDER prints complete files of the wrong size, and what cannot be read. Needs jq.
set -eu
for transfer in "$1"/*/file.json; do
  [ -e "$transfer" ] || continue
  said=$(jq -r 'select(.uploaded) | .fileSize' "$transfer") || { echo "$transfer" && continue; }
  [ -z "$said" ] || [ "$said" -eq "$(wc -c <"${transfer%.json}")" ] || jq -c '{shareKey, fileName}' "$transfer"
done
