#!/usr/bin/env bash
# Fuzzes each target for a while: builds them (clang, libFuzzer, sanitizers), makes the seeds, prints a line per target.
#   ./tests/fuzz/run.sh [SECONDS] [TARGET ...]      default: 30 seconds each, all targets
# Inputs that fail are kept in build/fuzz/fuzz/crashes/<target>; what was found to be new in fuzz/corpus/<target>, so
# that the next run goes on from there. The canary must crash; a fixed crash belongs into tests/fuzz/regressions.
# FUZZ_BUILD=FOLDER takes a build folder that exists already.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD

seconds=30
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
  seconds=$1
  shift
fi
all=(binlog_file binlog_repaired transactions gtids rows cell json payload mariadb_compressed encryption ddl position
     job expression texts state late_page batch groups elf_info canary)
targets=("$@")
[ $# -gt 0 ] || targets=("${all[@]}")

build=${FUZZ_BUILD:-build/fuzz}
if [ -n "${FUZZ_BUILD:-}" ]; then
  cmake --build "$build" --target fuzz_targets
else
  .ci/build fuzz fuzz_targets
fi
build=$(cd "$build" && pwd)
rm -rf "$build/fuzz/seeds"
"$build/tests/fuzz/fuzz_seeds" "$build/fuzz/seeds" "$build/tests/fuzz/fuzz_plugin.so"

fuzz_one() {  # target
  local name=$1 corpus=$build/fuzz/corpus/$1 crashes=$build/fuzz/crashes/$1 log=$build/fuzz/$1.log rc=0
  local inputs=("$corpus" "$build/fuzz/seeds/$name")
  [ ! -d "$root/tests/fuzz/regressions/$name" ] || inputs+=("$root/tests/fuzz/regressions/$name")
  mkdir -p "$corpus" "$crashes"
  "$build/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=512 -max_len=16384 \
    -print_final_stats=1 -artifact_prefix="$crashes/" "${inputs[@]}" >"$log" 2>&1 || rc=$?
  local runs coverage
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  coverage=$(grep -o 'cov: [0-9]*' "$log" | tail -1 | cut -c6- || true)
  if [ "$name" = canary ]; then
    [ "$rc" -ne 0 ] && grep -q 'heap-buffer-overflow' "$log" || { echo "canary: FAILED, its bug was not found"; return 1; }
    echo "canary: found, as it must be"
  elif [ "$rc" -eq 0 ]; then
    printf '%s: ok, %s runs, %s edges, %s s\n' "$name" "${runs:-0}" "${coverage:-0}" "$seconds"
  else
    printf '%s: FAILED (%s), input %s, log %s\n' "$name" \
      "$(grep -m1 -o -E 'SUMMARY: .*|property does not hold: .*' "$log" || echo "exit code $rc")" \
      "$(sed -n 's/.*Test unit written to //p' "$log" | tail -1)" "$log"
    return 1
  fi
}
export -f fuzz_one
export build root seconds
export UBSAN_OPTIONS=print_stacktrace=1
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'fuzz_one {}'
