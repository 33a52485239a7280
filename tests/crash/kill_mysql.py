#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Kills `tidemark run` with SIGKILL, at random moments and at every fail point of an epoch and its target, and resumes
# it until it is done. The job corrects results (lateness, early results), so that an epoch that is read again is not the
# epoch that it was. Into a table and a file at once: in the end the table must have the last result of each key of the
# file. With --on-close there is one result of each key, and file and table must be those of an undisturbed run, the file
# byte for byte. Prints its seed. With --canary a row of the table is spoiled on purpose: the comparison must notice.
#   kill_mysql.py --tidemark BIN --shards DIR [--on-close] [--kills 20] [--seed N] [--canary]

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import time

from live_mariadb import LiveMariadb
from mysql_target import create_suggested, file_rows, fresh_database, orders_job, table_rows

COLUMNS = ("region", "window_start", "window_end", "orders", "sum_amount", "sum_qty", "customers", "average")
CORRECTIONS = ("kind", "revision")
POINTS = ("epoch_before_write", "epoch_after_write", "mysql_before_write", "mysql_after_write", "mysql_before_commit",
          "mysql_after_commit", "sink_before_flush", "sink_after_flush")


def new_job(server, args, rng):
    job = orders_job(server, args.tidemark, args.shards, **terms(args), interval="20ms",
                     workers=rng.choice([1, 2, 4]), source_options='read_limit = "1500/s"')
    if not args.on_close:
        job.edit(('emit = "on_close"', 'emit = { early = "50ms", late = "on_update" }\nallowed_lateness = "1h"'))
    return job


def terms(args):
    """Otherwise rows are late, and which ones depends on how fast the shards are read beside each other."""
    return {"mode": "append", "bound": "30s"} if args.on_close else {"mode": "changelog", "bound": "2s"}


def undisturbed(server, args):
    """Its rows and the bytes of its file."""
    calm = orders_job(server, args.tidemark, args.shards, **terms(args))
    fresh_database(server)
    create_suggested(server, calm.run().stderr)
    done = calm.run()
    if done.returncode != 0:
        sys.exit(f"the undisturbed run failed: {done.stderr}")
    return file_rows(calm.results, COLUMNS), calm.results.read_bytes()


def one_start(job, rng, points):
    """A start that is killed; (exit code, standard error)."""
    environment = dict(os.environ)
    if points:
        environment["TIDEMARK_FAILPOINTS"] = f"{points.pop()}=kill@{rng.randint(1, 6)}"
    process = subprocess.Popen(job.command("run", "job.toml"), cwd=job.path, stderr=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, text=True, env=environment)
    try:
        limit = 20 if "TIDEMARK_FAILPOINTS" in environment else rng.uniform(0.05, 0.9)
        _, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        _, err = process.communicate()
    return process.returncode, err


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tidemark", required=True)
    parser.add_argument("--shards", required=True)
    parser.add_argument("--kills", type=int, default=20, help="at least so many, over as many runs as it takes")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--on-close", action="store_true")
    parser.add_argument("--canary", action="store_true")
    args = parser.parse_args()
    print(f"seed {args.seed}", flush=True)
    rng = random.Random(args.seed)
    kills = runs = above_zero = 0
    points = []
    columns = COLUMNS if args.on_close else COLUMNS + CORRECTIONS
    with LiveMariadb() as server:
        calm, content = undisturbed(server, args) if args.on_close else (None, None)
        while kills < args.kills:
            job = new_job(server, args, rng)
            fresh_database(server)
            create_suggested(server, job.run().stderr)
            runs += 1
            while True:
                if not points and rng.random() < 0.5:
                    points = rng.sample(POINTS, len(POINTS))
                code, err = one_start(job, rng, points if rng.random() < 0.7 else [])
                resumed = re.search(r"resumed from epoch (\d+)", err)
                above_zero += bool(resumed) and int(resumed.group(1)) > 0
                if code == 0:
                    break
                if code != -signal.SIGKILL:
                    sys.exit(f"seed {args.seed}: exit code {code}: {err}")
                kills += 1
            if args.canary:
                server.run("UPDATE totals SET orders = orders + 1 ORDER BY region, window_start LIMIT 1", "bi")
            wanted, seen = calm or file_rows(job.results, columns), table_rows(server, columns)
            if content and job.results.read_bytes() != content:
                sys.exit(f"seed {args.seed}, run {runs}: the file is not that of an undisturbed run")
            if wanted != seen or not wanted:
                if args.canary:
                    print("the planted fault was found")
                    return
                wrong = sorted(set(map(str, wanted)) ^ set(map(str, seen)))
                sys.exit(f"seed {args.seed}, run {runs}: {len(seen)} rows in the table, {len(wanted)} wanted; "
                         f"such as {wrong[:4]}")
            if args.canary:
                sys.exit("the planted fault was not found")
    print(f"{runs} runs, {kills} kills, {above_zero} resumes from an epoch above 0")
    if above_zero == 0:
        sys.exit("no resume started from an epoch: the run is too short to mean anything")


if __name__ == "__main__":
    main()
