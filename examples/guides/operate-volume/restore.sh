#!/bin/sh
# restore.sh FOLDER makes db.json of the transfers in the folder. Groups are lost. Needs jq.
set -eu
jq -s 'map({key: .shareKey, value: {uploaded, transferKey, deleteKey, fileName, fileType}}) | from_entries' \
  "$1"/*/file.json >"$1/db.new"
mv "$1/db.new" "$1/db.json"
