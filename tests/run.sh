#!/usr/bin/env bash
# Installs what is missing, builds and runs the tests; ctest's summary comes last.
#   ./tests/run.sh               everything: unit and simulation tests under the sanitizers, clang-tidy, the plain build
#   ./tests/run.sh plain         the plain build alone
#   ./tests/run.sh asan | tsan   one sanitizer alone
#   ./tests/run.sh tidy          clang-tidy alone
# Extra arguments go to ctest, e.g. ./tests/run.sh plain -R case_
set -euo pipefail
cd "$(dirname "$0")/.."

what=all
case "${1:-}" in
  all|plain|asan|tsan|tidy) what=$1; shift ;;
esac

.ci/install .ci/packages .ci/packages-test

run_preset() {  # preset, targets ("" = all), ctest arguments...
  local preset=$1 targets=$2 log rc=0
  shift 2
  # shellcheck disable=SC2086  # targets are words
  .ci/build "$preset" $targets
  echo "Testing ($preset)"
  log=build/$preset/ctest.log
  ctest --test-dir "build/$preset" --no-tests=error --output-on-failure -j "$(nproc)" "$@" >"$log" 2>&1 || rc=$?
  [ "$rc" -eq 0 ] || sed '/tests passed/,$d' "$log" | grep -v -E 'Passed +[0-9.]+ sec|^ *Start ' | head -400
  sed -n '/tests passed/,$p' "$log"
  grep -q 'tests passed' "$log" || cat "$log"
  return "$rc"
}

# The fast layers under the sanitizers first, so that ctest's summary of the plain run is what one reads last.
case $what in
  asan|all) run_preset asan unit_tests -L '^(unit|threads|sim)$' "$@" ;;&
  tsan|all) run_preset tsan threaded_tests -L '^(threads|sim)$' "$@" ;;&
  tidy|all) .ci/tidy ;;&
  plain|all) run_preset release "" "$@" ;;
esac
