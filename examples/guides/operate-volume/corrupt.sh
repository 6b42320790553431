#!/bin/sh
# corrupt.sh FOLDER prints complete files of the wrong size. Needs jq.
set -eu
for transfer in "$1"/*/file.json; do
  said=$(jq -r 'select(.uploaded) | .fileSize' "$transfer")
  [ -z "$said" ] || [ "$said" -eq "$(wc -c <"${transfer%.json}")" ] || jq -c '{shareKey, fileName}' "$transfer"
done
