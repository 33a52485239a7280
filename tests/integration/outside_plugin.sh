#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The plugin author's way: copies the example plugin and sdk/ (nothing else) out of the tree, builds the plugin
# against the SDK in place and against an installed one, and checks what came out. With the tidemark program as
# argument, asks that too, and runs a job on the plugin.
#   outside_plugin.sh [TIDEMARK]
set -eu

tidemark=${1:-}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp -R "$root/sdk" "$work/sdk"
cp -R "$root/examples/csv_plugin" "$work/plugin"
cd "$work/plugin"

build() { # build FOLDER CMAKE-ARGUMENT...
  folder=$1
  shift
  cmake -S . -B "$folder" -DCMAKE_BUILD_TYPE=Release "$@" > "$folder.log" 2>&1 &&
    cmake --build "$folder" >> "$folder.log" 2>&1 || { cat "$folder.log"; exit 1; }
  symbols=$(nm -D --defined-only "$folder/plugins/csv.so" | awk '{ print $3 }' | sort | tr '\n' ' ')
  [ "$symbols" = "tidemark_plugin_entry_v1 tidemark_plugin_info_v1 " ] || {
    echo "exported symbols: $symbols"
    exit 1
  }
}

build in_place "-Dtidemark-sdk_DIR=$work/sdk/cmake"
cmake -S "$work/sdk" -B "$work/sdk_build" "-DCMAKE_INSTALL_PREFIX=$work/installed" > "$work/install.log" 2>&1
cmake --install "$work/sdk_build" >> "$work/install.log" 2>&1
build installed "-DCMAKE_PREFIX_PATH=$work/installed"
echo "built against sdk/ in place and installed"

[ -n "$tidemark" ] || exit 0
strip in_place/plugins/csv.so
"$tidemark" plugin info "$work/plugin/in_place/plugins/csv.so" > info.txt
grep -q '^name *csv$' info.txt
grep -q 'path .*text' info.txt
echo "tidemark plugin info reads it, stripped"

cp -R in_place build # the folder that job.toml names
"$tidemark" run job.toml > run.log 2>&1 || { cat run.log; exit 1; }
day='2026-01-01T00:0'
row() { printf '{"window_start":"%s:00Z","window_end":"%s:00Z","account":"%s","payments":%s,"amount":%s}\n' "$@"; }
{
  row "${day}0" "${day}1" alice 2 375
  row "${day}0" "${day}1" bob 2 1251
  row "${day}1" "${day}2" alice 1 4000
} > expected.ndjson
sort build/totals.ndjson | diff expected.ndjson - || { cat run.log; exit 1; }
grep -q "plugin csv 0.1.0 in use: $work/plugin/build/plugins/csv.so" run.log
echo "a job runs on it"
