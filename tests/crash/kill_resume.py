#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Kills `tidemark run` with SIGKILL at random moments and resumes it until it is done; the result file must have
# the same bytes as an undisturbed run, and resumes must have started from epochs above 0. Prints its seed.
#   kill_resume.py --tidemark BIN --shards DIR [--runs 20] [--seed N] [--mode append]
# With --canary the result file is spoiled on purpose after a kill: the comparison must notice, else it is worthless.
# With --tight there is a group for each order of a day, and less memory than they need: some processes die while groups
# leave it for the store, ahead of an epoch.

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

from job_folder import JobFolder
from tight_job import POINT, make_tight


def killed_run(job, args, rng):
    """Runs until done, killing as often as asked; returns (kills, of them at the fail point, epochs that resumes started
    from)."""
    kills, at_point, resumed = 0, 0, []
    while True:
        environment = dict(os.environ)
        is_armed = args.tight and kills < args.kills and rng.random() < 0.5
        if is_armed:
            environment["TIDEMARK_FAILPOINTS"] = f"{POINT}=kill@{rng.randint(1, 60)}"
        process = subprocess.Popen(job.command("run", "job.toml"), cwd=job.path, stderr=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, text=True, env=environment)
        timed_out = False
        try:
            limit = 10 if is_armed else rng.uniform(0.02, args.longest) if kills < args.kills else None
            _, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            timed_out = True
            process.send_signal(signal.SIGKILL)
            _, err = process.communicate()
            kills += 1
            if args.canary and job.results.exists():
                with open(job.results, "r+b") as out:
                    out.write(b"#")
        found = re.search(r"resumed from epoch (\d+)", err)
        if found:
            resumed.append(int(found.group(1)))
        if process.returncode == 0:
            return kills, at_point, resumed
        if process.returncode != -signal.SIGKILL:
            sys.exit(f"exit code {process.returncode}: {err}")
        if not timed_out:
            kills += 1
            at_point += 1


def keep(job, seed):
    kept = f"/tmp/kill_resume_{seed}"
    shutil.copytree(job.path, kept, dirs_exist_ok=True)
    return kept


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tidemark", required=True)
    parser.add_argument("--shards", required=True)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--kills", type=int, default=6, help="per run")
    parser.add_argument("--longest", type=float, default=0.8, help="seconds until a kill at the most")
    parser.add_argument("--rows-per-second", type=int, default=1500, help="of each shard")
    parser.add_argument("--mode", default="append")
    parser.add_argument("--bound", default="30s")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--canary", action="store_true")
    parser.add_argument("--tight", action="store_true")
    args = parser.parse_args()
    print(f"seed {args.seed}", flush=True)
    rng = random.Random(args.seed)

    calm = JobFolder(args.tidemark, args.shards, mode=args.mode, bound=args.bound, format="csv")
    if args.tight:
        make_tight(calm, "4GiB")
    done = calm.run()
    if done.returncode != 0:
        sys.exit(f"the undisturbed run failed: {done.stderr}")
    expected = calm.results.read_bytes()
    kills = above_zero = resumes = at_point = 0
    for run in range(args.runs):
        job = JobFolder(args.tidemark, args.shards, mode=args.mode, bound=args.bound, format="csv", interval="20ms",
                        workers=rng.choice([1, 2, 4]), source_options=f'read_limit = "{args.rows_per_second}/s"')
        if args.tight:
            make_tight(job)
            job.edit((f'"{args.rows_per_second}/s"', f'"{args.rows_per_second * 4}/s"'))
        these_kills, deaths, epochs = killed_run(job, args, rng)
        kills += these_kills
        at_point += deaths
        resumes += len(epochs)
        above_zero += sum(epoch > 0 for epoch in epochs)
        if job.results.read_bytes() != expected:
            if args.canary:
                print("the planted fault was found")
                return
            sys.exit(f"run {run} (seed {args.seed}): the results differ; kept in {keep(job, args.seed)}")
    if args.canary:
        sys.exit("the planted fault was not found")
    print(f"{args.runs} runs, {kills} kills, {at_point} of them while groups left memory, {resumes} resumes, {above_zero} "
          "of them from an epoch above 0")
    if args.tight and at_point == 0:
        sys.exit("no process died while groups left memory")
    if above_zero == 0 or kills == 0:
        sys.exit("no resume started from an epoch: the run is too short to mean anything")


if __name__ == "__main__":
    main()
