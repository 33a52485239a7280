#!/usr/bin/env bash
# Measures whole jobs over one large binlog: rows/s, MB/s and peak memory of tidemark grouped by 7 regions and by
# 50,000 customers, beside mariadb-binlog decoding the same file to text, all in one run on this machine. The file
# (3,000,000 rows, more than 250 MB) is made once by a private MariaDB server and kept in build/bench. Then the decode
# speed per type class; a class that is slower than it must be fails the run.
# Last, jobs with large state (state_bench.py): memory, recovery, and how long an epoch holds rows back.
#   tests/bench/run.sh [ROUNDS]
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-3}

.ci/install .ci/packages tests/bench/packages
.ci/build quickstart tidemark plugin_binlog_file plugin_generator
work=$PWD/build/bench
mkdir -p "$work"

# A private MariaDB server runs the SQL on standard input; its binlogs are in $work/mysql afterwards.
run_server() {
  local data=$work/mysql socket=$work/mysql.sock
  rm -rf "$data"
  mariadb-install-db --no-defaults --datadir="$data" --auth-root-authentication-method=normal --skip-test-db \
    --user="$(id -un)" >"$work/install.log" 2>&1
  mariadbd --no-defaults --datadir="$data" --socket="$socket" --skip-networking --user="$(id -un)" --server-id=1 \
    --log-bin="$data/binlog" --binlog-format=ROW --max-binlog-size=1G --innodb-buffer-pool-size=1G \
    --innodb-flush-log-at-trx-commit=0 --innodb-log-file-size=1G >"$work/server.log" 2>&1 &
  local server=$!
  trap 'kill "$server" 2>/dev/null || true' EXIT
  for _ in $(seq 100); do mariadb --no-defaults -S "$socket" -u root -e 'select 1' >/dev/null 2>&1 && break; sleep 0.2; done
  mariadb --no-defaults -S "$socket" -u root
  kill "$server"
  wait "$server" || true
  trap - EXIT
}
create_orders() {
  cat <<'SQL'
create database shop;
use shop;
create table orders (id bigint unsigned primary key, customer_id int not null, region varchar(16) charset utf8mb4,
  status enum('new','paid','cancelled') not null, amount decimal(18,4) not null, qty smallint unsigned,
  created_at datetime(3) not null, note varchar(64) charset utf8mb4);
SQL
}
insert_orders() {  # table of numbers, microseconds between two orders
  cat <<SQL
insert into orders
  select seq, (seq * 7919) % 50000, elt(1 + seq % 7, 'africa','asia','europe','north','oceania','south','west'),
    1 + seq % 3, (seq % 1000000) / 100, seq % 9, '2026-03-29 00:00:00' + interval seq * $2 microsecond,
    concat('order number ', seq, ' of the benchmark, paid by card')
  from $1;
flush binary logs;
SQL
}
make_binlog() {
  echo "Making the binlog with a private MariaDB server"
  { create_orders; insert_orders seq_1_to_3000000 200; } | run_server
  mv "$work/mysql/binlog.000001" "$work/orders.binlog"
  rm -rf "$work/mysql"
}
make_shards() {  # 1,024 shards of 2,900 orders each, all over the same ten minutes
  echo "Making 1,024 shards with a private MariaDB server"
  rm -rf "$work/shards.new"
  mkdir -p "$work/shards.new"
  {
    echo "set global binlog_row_metadata = 'FULL';"  # each shard stands for itself: no CREATE TABLE in it
    create_orders
    echo "flush binary logs;"
    for _ in $(seq 1024); do
      insert_orders seq_1_to_2900 200000
      echo "set sql_log_bin = 0; truncate orders; set sql_log_bin = 1;"
    done
  } | run_server
  for shard in $(seq 1024); do
    mv "$work/mysql/binlog.$(printf '%06d' $((shard + 1)))" "$work/shards.new/shard-$(printf '%04d' "$shard")"
  done
  mv "$work/shards.new" "$work/shards"
  rm -rf "$work/mysql"
}
[ -f "$work/orders.binlog" ] || make_binlog
bytes=$(stat -c %s "$work/orders.binlog")

write_job() {  # name, key, shards, further watermark settings
  mkdir -p "$work/$1"
  cat >"$work/$1/job.toml" <<TOML
[job]
name = "bench"
parallelism = 2
[sources.orders]
type = "binlog_file"
shards = ["$3"]
tables = ["shop.orders"]
[sources.orders.watermark]
field = "created_at"
max_out_of_orderness = "10s"
${4-}
[aggregates.totals]
inputs = ["orders"]
key_by = ["$2"]
window = { type = "tumbling", size = "1m" }
[aggregates.totals.columns]
orders = "count()"
amount = "sum(amount)"
smallest = "min(amount)"
largest = "max(amount)"
[sinks.out]
type = "file"
inputs = ["totals"]
path = "out.csv"
format = "csv"
[state]
path = "state"
[checkpoint]
interval = "1s"
[log]
level = "warning"
TOML
}
write_job regions region "$work/orders.binlog"
write_job customers customer_id "$work/orders.binlog"
# Only columns that a job uses are decoded: one that uses none but the event time, and one that uses all.
for name in time_alone every_column; do
  mkdir -p "$work/$name"
  sed -e 's/^key_by.*/key_by = []/' -e '/^amount\|^smallest\|^largest/d' "$work/regions/job.toml" >"$work/$name/job.toml"
done
every=$(printf '%s = "count(%s)"\\n' c_id id c_customer_id customer_id c_region region c_status status c_amount amount \
  c_qty qty c_note note)
sed -i "s/^orders = .*/&\\n$every/" "$work/every_column/job.toml"

# command... -> "seconds peakKiB" of one run
measure() {
  /usr/bin/time -f '%e %M' -o "$work/time" "$@" >/dev/null 2>"$work/stderr" || { cat "$work/stderr" >&2; exit 1; }
  cat "$work/time"
}
job() { rm -rf "$work/$1/state" "$work/$1"/out.csv*; measure build/release/bin/tidemark run "$work/$1/job.toml"; }

cat "$work/orders.binlog" >/dev/null  # into the page cache
printf '%s rows, %d MB; %d rounds, medians; checksums verified, checkpoints every second\n' 3000000 $((bytes / 1000000)) "$rounds"
for ((round = 0; round < rounds; ++round)); do
  job regions >>"$work/regions.times.new"
  job customers >>"$work/customers.times.new"
  job time_alone >>"$work/time_alone.times.new"
  job every_column >>"$work/every_column.times.new"
  measure mariadb-binlog --base64-output=decode-rows -v "$work/orders.binlog" >>"$work/mariadb.times.new"
done
python3 - "$work" "$bytes" <<'PYTHON'
import statistics, sys, pathlib
work, size = pathlib.Path(sys.argv[1]), int(sys.argv[2])
def medians(name):
    path = work / f"{name}.times.new"
    rows = [tuple(map(float, line.split())) for line in path.read_text().splitlines()]
    path.unlink()
    return statistics.median(r[0] for r in rows), statistics.median(r[1] for r in rows)
base = None
for label, name in (("mariadb-binlog -v", "mariadb"), ("tidemark, 7 regions", "regions"), ("tidemark, 50,000 customers", "customers"),
                    ("tidemark, 1 column decoded", "time_alone"), ("tidemark, all decoded", "every_column")):
    seconds, kib = medians(name)
    rate = 3_000_000 / seconds
    base = base or rate
    print(f"{label:28} {seconds:7.2f} s {rate / 1e6:7.2f} M rows/s {size / seconds / 1e6:7.0f} MB/s {kib / 1024:7.0f} MiB {rate / base:6.1f} x")
PYTHON

.ci/build bench decode_bench
build/bench/tests/decode_bench

# Watermark work against the whole, with 1,024 shards, two cores, an idle timeout and an alignment group.
[ -d "$work/shards" ] || make_shards
write_job watermarks region "$work/shards/shard-*" 'idle_timeout = "30s"
alignment = { group = "all", max_drift = "1h" }'
.ci/build bench watermark_bench plugin_binlog_file
TIDEMARK_PLUGIN_PATH=build/bench/plugins build/bench/tests/watermark_bench "$work/watermarks/job.toml"

tests/bench/state_bench.py build/release/bin/tidemark "$work"
