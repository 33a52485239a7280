#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The plugin author's way: copies the example plugins and sdk/ (nothing else) out of the tree, builds the source plugin
# against the SDK in place and against an installed one, the watermark generator in place, and checks what came out.
# With the tidemark program as argument, asks that too, and runs a job on both.
#   outside_plugin.sh [TIDEMARK]
set -eu

tidemark=${1:-}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp -R "$root/sdk" "$work/sdk"
cp -R "$root/examples/csv_plugin" "$work/plugin"
cp -R "$root/examples/percentile_watermark" "$work/generator"
cd "$work/plugin"

build() { # build FOLDER PLUGIN CMAKE-ARGUMENT...
  folder=$1 plugin=$2
  shift 2
  cmake -S . -B "$folder" -DCMAKE_BUILD_TYPE=Release "$@" > "$folder.log" 2>&1 &&
    cmake --build "$folder" >> "$folder.log" 2>&1 || { cat "$folder.log"; exit 1; }
  symbols=$(nm -D --defined-only "$folder/plugins/$plugin.so" | awk '{ print $3 }' | sort | tr '\n' ' ')
  [ "$symbols" = "tidemark_plugin_entry_v1 tidemark_plugin_info_v1 " ] || {
    echo "exported symbols: $symbols"
    exit 1
  }
}

build in_place csv "-Dtidemark-sdk_DIR=$work/sdk/cmake"
cmake -S "$work/sdk" -B "$work/sdk_build" "-DCMAKE_INSTALL_PREFIX=$work/installed" > "$work/install.log" 2>&1
cmake --install "$work/sdk_build" >> "$work/install.log" 2>&1
build installed csv "-DCMAKE_PREFIX_PATH=$work/installed"
(cd "$work/generator" && build build percentile_watermark "-DCMAKE_PREFIX_PATH=$work/installed")
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

cp "$work/generator/build/plugins/percentile_watermark.so" build/plugins
"$tidemark" plugin info build/plugins/percentile_watermark.so > info.txt
grep -q '^provides *generator$' info.txt
grep -q 'strategy_options with strategy = "plugin:percentile_watermark"' info.txt
rm -r build/totals.ndjson build/state
sed 's|^max_out_of_orderness.*|strategy = "plugin:percentile_watermark"\nstrategy_options = { percentile = 100, rows = 10 }|' \
  job.toml > with_generator.toml
"$tidemark" run with_generator.toml > run.log 2>&1 || { cat run.log; exit 1; }
sort build/totals.ndjson | diff expected.ndjson - || { cat run.log; exit 1; }
grep -q "plugin percentile_watermark 0.1.0 in use" run.log
echo "and with the watermark generator"

finding() { # finding FROM TO MESSAGE: a mistake in the job, and what check must say
  sed "s|$1|$2|" with_generator.toml > wrong.toml
  "$tidemark" check wrong.toml > check.log 2>&1 && { echo "no finding for $2"; exit 1; }
  grep -qF -- "$3" check.log || { cat check.log; exit 1; }
}
finding percentile_watermark percentil_watermark 'did you mean "plugin:percentile_watermark"?'
finding plugin:percentile_watermark plugin:csv "provides no watermark generator"
finding 'percentile = 100' 'percentil = 100' 'did you mean `percentile`?'
finding 'percentile = 100' 'percentile = \"much\"' '`percentile` must be a number'
finding 'percentile = 100' 'percentile = 0' "option 'percentile' is not above 0 and at most 100"
finding '\$commit_time' '\$header_time' 'sources of type "csv" have no header time'
sed 's|^type = "csv"|type = "percentile_watermark"|; s|^path = "payments.csv"||' with_generator.toml > wrong.toml
"$tidemark" check wrong.toml 2>&1 | grep -q "provides no source"
echo "mistakes in naming it are found"
