#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Measures jobs with large state, on made-up orders:
#   memory    10 million groups in one window with a budget of 256 MiB, beside the same job with room for all of them:
#             time and peak resident memory of both, whose results must be the same bytes
#   recovery  the first of them killed when most of its rows are read: from the start of the next process to its first row
#   hold      1 GB of groups of which 1 % change with each epoch: for how long an epoch holds back a worker's rows
# Prints what must hold and whether it does; exit code 1 when something does not.
#   state_bench.py TIDEMARK FOLDER [memory] [recovery] [hold]

import filecmp
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import time
import urllib.request

KEYS = 10_300_000
ROWS = 20_000_000  # of each of two splits: 10,087,641 of the keys occur
ADDRESS = "127.0.0.1:18686"
MEMORY_MAX_MIB = 400
FIRST_ROW_MAX_S = 2.0
HOLD_MAX_S = 0.050

JOB = """
[job]
name = "bench"
parallelism = 2

{sources}
[aggregates.customers]
inputs = [{inputs}]
key_by = ["customer_id"]
window = {{ type = "tumbling", size = "1h" }}

[aggregates.customers.columns]
orders = "count()"
total = "sum(amount)"

[sinks.out]
type = "file"
inputs = ["customers"]
path = "out.csv"
format = "csv"

[state]
path = "state"
memory = "{memory}"

[checkpoint]
interval = "{interval}"

[http]
listen = "{address}"
"""

SOURCE = """
[sources.{id}]
type = "generator"
splits = {splits}
rows_per_split = {rows}
keys = {keys}
step = "{step}"
seed = {seed}
rate = {rate}

[sources.{id}.watermark]
field = "created_at"
max_out_of_orderness = "1s"
"""

failures = 0


def verdict(holds, text):
    global failures
    failures += 0 if holds else 1
    print(f"  {'holds' if holds else 'FAILS'}: {text}", flush=True)


class Job:
    def __init__(self, tidemark, folder, memory, trickle=0, interval="5s"):
        self.tidemark = tidemark
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        sources = SOURCE.format(id="orders", splits=2, rows=ROWS, keys=KEYS, step="100us", seed=1, rate=0)
        if trickle:
            sources += SOURCE.format(id="few", splits=2, rows=0, keys=KEYS, step="1us", seed=2, rate=trickle // 2)
        inputs = '"orders", "few"' if trickle else '"orders"'
        (folder / "job.toml").write_text(
            JOB.format(sources=sources, inputs=inputs, memory=memory, interval=interval, address=ADDRESS))

    def start(self):
        return subprocess.Popen([self.tidemark, "run", "--quiet", "job.toml"], cwd=self.folder)

    def run(self):
        """Seconds and peak resident MiB."""
        begun = time.monotonic()
        process = self.start()
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit(f"the job failed: {status}")
        return time.monotonic() - begun, usage.ru_maxrss / 1024


def status():
    """None while the job is not up."""
    try:
        with urllib.request.urlopen(f"http://{ADDRESS}/api/v1/status", timeout=2) as answer:
            return json.load(answer)
    except OSError:
        return None


def wait_for(reached, patience=120.0):
    """The first status that is like that, and the monotonic time of its arrival."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        now = status()
        if now is not None and reached(now):
            return now, time.monotonic()
        time.sleep(0.01)
    sys.exit("the job did not get there")


def measure_memory(tidemark, folder):
    tight = Job(tidemark, folder / "tight", "256MiB")
    roomy = Job(tidemark, folder / "roomy", "8GiB")
    tight_s, tight_mib = tight.run()
    roomy_s, roomy_mib = roomy.run()
    with open(tight.folder / "out.csv", "rb") as results:
        groups = sum(1 for _ in results) - 1
    print(f"{groups:,} groups in one window, {2 * ROWS:,} rows, 2 workers:")
    print(f"  memory = 256MiB: {tight_s:6.1f} s, peak {tight_mib:7.1f} MiB")
    print(f"  memory = 8GiB:   {roomy_s:6.1f} s, peak {roomy_mib:7.1f} MiB")
    same = filecmp.cmp(tight.folder / "out.csv", roomy.folder / "out.csv", shallow=False)
    verdict(same, "the same bytes come out")
    verdict(tight_mib < MEMORY_MAX_MIB, f"peak below {MEMORY_MAX_MIB} MiB")


def measure_recovery(tidemark, folder):
    job = Job(tidemark, folder / "recovery", "256MiB", interval="2s")
    process = job.start()
    wait_for(lambda now: now["rows_read"] > 1.7 * ROWS)
    process.send_signal(signal.SIGKILL)
    process.wait()
    begun = time.monotonic()
    process = job.start()
    first, _ = wait_for(lambda now: True)
    restored = first["epochs"]["last"]
    _, arrived = wait_for(lambda now: now["rows_read"] > first["rows_read"])
    took = arrived - begun
    size = sum(file.stat().st_size for file in (job.folder / "state").rglob("*") if file.is_file())
    process.send_signal(signal.SIGKILL)
    process.wait()
    print(f"killed at {first['rows_read']:,} rows, restarted from epoch {restored}, {size / 1e6:,.0f} MB on disk:")
    print(f"  from the start of the process to the first row: {took:.2f} s (looked at every 10 ms)")
    verdict(restored > 0 and took < FIRST_ROW_MAX_S, f"below {FIRST_ROW_MAX_S:.0f} s")


def measure_hold(tidemark, folder):
    job = Job(tidemark, folder / "hold", "8GiB", trickle=50_000, interval="2s")
    process = job.start()
    wait_for(lambda now: now["rows_read"] > 2 * ROWS)
    begun, _ = wait_for(lambda now: True)
    holds = {}
    until = time.monotonic() + 40
    while time.monotonic() < until:
        now = status()
        if now is not None and now["epochs"]["last"] > begun["epochs"]["last"] + 2:
            holds[now["epochs"]["last"]] = now["epochs"]["hold_seconds"]
            state = now["aggregates"][0]["state_bytes"]
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    values = sorted(holds.values())
    print(f"{state / 1e9:.2f} GB of groups, 100,000 of them (1 %) changed with each of {len(values)} epochs:")
    print(f"  an epoch held back a worker's rows for {statistics.median(values) * 1e3:.1f} ms (median), "
          f"{values[-1] * 1e3:.1f} ms at most")
    verdict(values[-1] <= HOLD_MAX_S, f"at most {HOLD_MAX_S * 1e3:.0f} ms")


def main():
    tidemark, folder, *parts = sys.argv[1:]
    folder = pathlib.Path(folder).resolve() / "state"
    measures = {"memory": measure_memory, "recovery": measure_recovery, "hold": measure_hold}
    for part in parts or measures:
        measures[part](os.path.abspath(tidemark), folder)
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
