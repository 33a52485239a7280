#!/usr/bin/env bash
# Unpacks tests/corpora/**.zst into the folder $1, keeping the tree; files that are there already are kept.
set -euo pipefail
cd "$(dirname "$0")/../corpora"
target=$1
find . -type f ! -name README.md | while read -r file; do
  mkdir -p "$target/$(dirname "$file")"
  out=$target/${file%.zst}
  [ -f "$out" ] && continue
  case $file in
    *.zst) zstd -q -d "$file" -o "$out.part" && mv "$out.part" "$out" ;;
    *) cp "$file" "$out" ;;
  esac
done
