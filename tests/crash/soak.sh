#!/usr/bin/env bash
# The full counts of the tests that ctest runs a part of: 40 killed runs, 300 losses of power and 400 kills into a table
# over each corpus, 5,000 seeds of the simulator, 20,000 random jobs, 5,000 of the torture against a live MariaDB. Takes
# more than an hour on two cores.
set -euo pipefail
cd "$(dirname "$0")/../.."
.ci/install .ci/packages .ci/packages-test
.ci/build release
tests/integration/unpack_corpora.sh "$PWD/build/release/corpora"
export PYTHONPATH=$PWD/tests/integration
for corpus in orders-mysql-9.7 orders-mariadb-10.11; do
  echo "Crash: 20 killed runs over $corpus"
  python3 tests/crash/kill_resume.py --tidemark build/release/bin/tidemark --shards "build/release/corpora/$corpus" --runs 20
  echo "Crash: 20 killed runs over $corpus with less memory than groups need"
  python3 tests/crash/kill_resume.py --tidemark build/release/bin/tidemark --shards "build/release/corpora/$corpus" --runs 20 --tight
  echo "Crash: 300 kills over $corpus, each with a loss of power"
  python3 tests/crash/kill_power.py --tidemark build/release/bin/tidemark --shards "build/release/corpora/$corpus" \
    --library build/release/tests/libpower_loss.so --fail-points build/release/tests/fail_points --kills 300
  echo "Crash: 100 kills over $corpus with a loss of power and less memory than groups need"
  python3 tests/crash/kill_power.py --tidemark build/release/bin/tidemark --shards "build/release/corpora/$corpus" \
    --library build/release/tests/libpower_loss.so --fail-points build/release/tests/fail_points --kills 100 --tight
  echo "Crash: 400 kills over $corpus into a table"
  python3 tests/crash/kill_mysql.py --tidemark build/release/bin/tidemark --shards "build/release/corpora/$corpus" --kills 200
  python3 tests/crash/kill_mysql.py --tidemark build/release/bin/tidemark --shards "build/release/corpora/$corpus" --kills 200 --on-close
done
echo "Simulator: 5,000 seeds"
TIDEMARK_SIM_SEEDS=5000 build/release/tests/sim
echo "Random jobs: 20,000 seeds"
runs=()
for first in 2001 12001; do
  python3 tests/differential/run_seeds.py build/release/bin/tidemark build/release/tests/plugins "$first" 10000 &
  runs+=($!)
done
for run in "${runs[@]}"; do wait "$run"; done
echo "Torture: 5,000 seeds"
python3 tests/integration/torture.py build/release/bin/tidemark --seeds 5000 --first 1001
