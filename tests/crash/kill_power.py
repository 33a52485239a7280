#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Kills `tidemark run` with SIGKILL at random moments and at fail points, then cuts the power: what was not synced is
# taken back (power_cut.py). Resumed until it is done, the result file must have the same bytes as an undisturbed run;
# no run may end with an error, and resumes must have started from epochs above 0. Prints its seed.
#   kill_power.py --tidemark BIN --shards DIR --library power_loss.so [--kills 60] [--seed N]
# With --canary NAME files of that name are not synced though fsync says so (the sink's: positions are then ahead of
# results; the log's: an acknowledged epoch can go). The comparison must notice, else it is worthless.

import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from job_folder import JobFolder
from power_cut import cut_power

POINTS = ("epoch_before_write", "epoch_after_write", "sink_before_flush", "sink_after_flush", "sink_after_truncate",
          "checkpoint_before_manifest", "checkpoint_before_name", "checkpoint_while_pruning")


class PoweredJob:
    def __init__(self, args, rng):
        self.args, self.rng = args, rng
        self.job = JobFolder(args.tidemark, args.shards, bound="30s", format="csv", interval="20ms",
                             workers=rng.choice([1, 2, 4]), source_options=f'read_limit = "{args.rows_per_second}/s"')
        self.job.edit(('interval = "20ms"', 'interval = "20ms"\nretain = 2\nretain_interval = "200ms"'))
        self.beside = tempfile.TemporaryDirectory()
        self.graves = pathlib.Path(self.beside.name) / "graves"
        self.journal = pathlib.Path(self.beside.name) / "journal"
        self.graves.mkdir()

    def run(self, limit, point):
        environment = {**os.environ, "LD_PRELOAD": self.args.library, "TIDEMARK_POWER_ROOT": str(self.job.path),
                       "TIDEMARK_POWER_JOURNAL": str(self.journal), "TIDEMARK_POWER_GRAVES": str(self.graves),
                       "TIDEMARK_POWER_FORGET": self.args.canary}
        if point:
            environment["TIDEMARK_FAILPOINTS"] = point
        process = subprocess.Popen(self.job.command("run", "job.toml"), cwd=self.job.path, stderr=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, text=True, env=environment)
        try:
            _, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            _, err = process.communicate()
        return process.returncode, err

    def cut(self):
        """All of it is taken back as often as a random part."""
        return cut_power(self.job.path, self.journal, self.graves, self.rng if self.rng.random() < 0.5 else None)


class Found(Exception):
    """The disturbed run shows."""


def disturbed_run(powered, kills, counts):
    """Kills at most that often, until the job is done."""
    rng, args = powered.rng, powered.args
    while True:
        point = ""
        limit = rng.uniform(0.02, args.longest) if kills > 0 else 300
        if kills > 0 and rng.random() < 0.6:
            point = f"{rng.choice(POINTS)}=kill@{rng.randint(1, 12)}"
            limit = 3 * args.longest
        code, err = powered.run(limit, point)
        found = re.search(r"resumed from epoch (\d+)", err)
        if found:
            counts["resumes"] += 1
            counts["above_zero"] += int(found.group(1)) > 0
        if code == 0:
            return
        if code != -signal.SIGKILL:
            raise Found(f"exit code {code}: {err}")
        kills -= 1
        counts["kills"] += 1
        counts["at_points"] += 1 if point else 0
        writes, names = powered.cut()
        counts["writes"] += writes
        counts["names"] += names


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tidemark", required=True)
    parser.add_argument("--shards", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--per-run", type=int, default=15)
    parser.add_argument("--longest", type=float, default=0.6, help="seconds until a kill at the most")
    parser.add_argument("--rows-per-second", type=int, default=3000, help="of each shard")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--canary", default="")
    args = parser.parse_args()
    args.library = str(pathlib.Path(args.library).resolve())
    print(f"seed {args.seed}", flush=True)
    rng = random.Random(args.seed)
    calm = JobFolder(args.tidemark, args.shards, bound="30s", format="csv")
    done = calm.run()
    if done.returncode != 0:
        sys.exit(f"the undisturbed run failed: {done.stderr}")
    expected = calm.results.read_bytes()
    counts = dict.fromkeys(("kills", "at_points", "resumes", "above_zero", "writes", "names"), 0)
    while counts["kills"] < args.kills:
        powered = PoweredJob(args, rng)
        try:
            disturbed_run(powered, min(args.per_run, args.kills - counts["kills"]), counts)
            if powered.job.results.read_bytes() != expected:
                raise Found("the results differ")
        except Found as found:
            if args.canary:
                print(f"the planted fault was found after {counts['kills']} kills: {str(found)[:300]}")
                return
            kept = f"/tmp/kill_power_{args.seed}"
            shutil.copytree(powered.job.path, kept, dirs_exist_ok=True)
            sys.exit(f"{found} (seed {args.seed}, after {counts['kills']} kills); kept in {kept}")
    if args.canary:
        sys.exit("the planted fault was not found")
    print("{kills} kills, {at_points} of them at fail points; {writes} writes and {names} changes of names were taken "
          "back; {resumes} resumes, {above_zero} of them from an epoch above 0".format(**counts))
    if counts["above_zero"] == 0 or counts["writes"] == 0 or counts["names"] == 0:
        sys.exit("nothing was resumed or taken back: the run means nothing")


if __name__ == "__main__":
    main()
