#!/usr/bin/env bash
# From a fresh clone on Debian 12 to per-minute totals over four database shards: installs what is missing, builds
# tidemark and runs the job examples/quickstart.toml on real binlog files. May be run again at any time.
set -euo pipefail
cd "$(dirname "$0")/.."

.ci/install .ci/packages
.ci/build quickstart tidemark plugin_binlog_file plugin_generator

out=build/quickstart
echo "Unpacking the sample shards (tests/corpora/orders-mysql-9.7: MySQL 9.7, four shards)"
rm -rf "$out"
for file in tests/corpora/orders-mysql-9.7/shard-*/*.zst; do
  shard=$out/shards/$(basename "$(dirname "$file")")
  mkdir -p "$shard"
  zstd -q -d "$file" -o "$shard/$(basename "$file" .zst)"
done

echo "Running: build/release/bin/tidemark run examples/quickstart.toml"
echo
build/release/bin/tidemark run examples/quickstart.toml
echo
echo "Totals per minute and region: $out/per_minute_and_region.csv ($(($(wc -l <"$out/per_minute_and_region.csv") - 1)) rows)"
echo "Next: build/release/bin/tidemark --help, and config/examples/ for jobs of your own"
