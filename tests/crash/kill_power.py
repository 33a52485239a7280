#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Kills `tidemark run` and `tidemark checkpoint restore` with SIGKILL, at random moments and at every fail point they
# pass, and mostly cuts the power then: what was not synced is taken back (power_cut.py). Resumed until it is done, the
# result file must have the same bytes as an undisturbed run; no start may end with an error, every checkpoint must be
# whole, and resumes must have begun at epochs above 0. Prints its seed.
#   kill_power.py --tidemark BIN --shards DIR --library power_loss.so --fail-points BIN [--kills 60] [--seed N]
# Every second job writes its results in parts (roll), which together must have those bytes.
# With --tight jobs have less memory than their groups need (tight_job.py), which leave it ahead of epochs.
# With --canary NAME files of that name are not synced though fsync says so (the sink's: positions are then ahead of
# results; the log's: an acknowledged epoch can go). That must be noticed, else all of this is worthless.

import argparse
import collections
import itertools
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
from tight_job import POINT, make_tight

ELSEWHERE = "mysql_"  # fail points of another sink (kill_mysql.py)
ROLLED = ("sink_before_rename", "sink_after_rename")  # of jobs with parts

COUNTED = ("kills", "at_points", "cuts", "writes", "names", "restores", "resumes", "above_zero")


class Found(Exception):
    """The disturbed run shows."""


class PoweredJob:
    """A job; but for each third one it has to make the folders of its files."""

    def __init__(self, args, rng, number):
        self.args, self.rng = args, rng
        self.job = JobFolder(args.tidemark, args.shards, bound="30s", format="csv", interval="20ms",
                             workers=rng.choice([1, 2, 4]), source_options=f'read_limit = "{args.rows_per_second}/s"')
        if args.tight:
            make_tight(self.job)
        layouts = ("results/", "kept/"), ("made/for/results/", "made/for/state/"), ("", "")
        results, state = layouts[number % len(layouts)]
        retained = "10m" if args.canary else "100ms"  # a checkpoint flushes: it would make up for a missing sync
        self.job.edit(('path = "out.csv"', f'path = "{results}out.csv"'), ('path = "state"', f'path = "{state}state"'),
                      ('interval = "20ms"', f'interval = "20ms"\nretain = 2\nretain_interval = "{retained}"'))
        self.job.results = self.job.path / results / "out.csv"
        self.is_rolled = number % 2 == 1 and not args.canary
        if self.is_rolled:
            self.job.edit(('format = "csv"', 'format = "csv"\nroll = { size = "5KiB" }'))
        self.checkpoints = self.job.path / state / "state" / "checkpoints"
        self.beside = tempfile.TemporaryDirectory()
        self.graves = pathlib.Path(self.beside.name) / "graves"
        self.journal = pathlib.Path(self.beside.name) / "journal"
        self.graves.mkdir()

    def run(self, arguments, limit, point=None):
        """(exit code, what it said, whether the fail point killed it)."""
        environment = {**os.environ, "LD_PRELOAD": self.args.library, "TIDEMARK_POWER_ROOT": str(self.job.path),
                       "TIDEMARK_POWER_JOURNAL": str(self.journal), "TIDEMARK_POWER_GRAVES": str(self.graves),
                       "TIDEMARK_POWER_FORGET": self.args.canary}
        if point:
            environment["TIDEMARK_FAILPOINTS"] = point
        process = subprocess.Popen(self.job.command(*arguments, "job.toml"), cwd=self.job.path, stderr=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, text=True, env=environment)
        try:
            _, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            return -signal.SIGKILL, process.communicate()[1], False
        if process.returncode not in (0, -signal.SIGKILL):
            raise Found(f"{' '.join(arguments)}: exit code {process.returncode}: {err}")
        return process.returncode, err, process.returncode != 0

    def cut(self):
        """All of it is taken back as often as a random part."""
        return cut_power(self.job.path, self.journal, self.graves, self.rng if self.rng.random() < 0.5 else None)

    def content(self):
        """Of the results; None where there are none."""
        if not self.is_rolled:
            return self.job.results.read_bytes() if self.job.results.exists() else None
        parts = sorted(self.job.results.parent.glob("out-*"))
        if any(part.suffix != ".csv" for part in parts) or len(parts) < 3:
            raise Found(f"parts that have not their names, or too few: {parts}")
        lines = [part.read_bytes().split(b"\n", 1) for part in parts]
        if any(header != lines[0][0] for header, _ in lines):
            raise Found("a part without the header")
        return lines[0][0] + b"\n" + b"".join(rest for _, rest in lines)

    def has_checkpoints(self):
        return any(self.checkpoints.glob("epoch-*"))


class Disturber:
    """Runs jobs and kills them; counts what happened."""

    def __init__(self, args, rng):
        self.args, self.rng = args, rng
        self.counts = collections.Counter(dict.fromkeys(COUNTED, 0))
        names = subprocess.run([args.fail_points], check=True, capture_output=True, text=True).stdout.split()
        others = ROLLED if args.tight else (POINT,)  # results come at the end of a day, or memory is enough
        self.points = {name: 0 for name in names if not name.startswith(ELSEWHERE) and name not in others}

    def next_point(self, restores, is_rolled):
        """One of those at which a kill came least often."""
        points = {name: count for name, count in self.points.items()
                  if name.startswith("restore_") == restores and (is_rolled or name not in ROLLED)}
        least = min(points.values())
        return self.rng.choice([name for name, count in points.items() if count == least])

    def missed(self, prefix=""):
        return [name for name, count in self.points.items() if count == 0 and name.startswith(prefix)]

    def is_done(self):
        """Enough kills, and one at each fail point, unless that takes far too many."""
        kills = self.counts["kills"]
        return kills >= self.args.kills and (not self.missed() or kills >= 3 * self.args.kills)

    def killed(self, powered, arguments, restores=False):
        """Starts, and kills unless it ended before: (exit code, what it said)."""
        rng, point = self.rng, None
        limit = rng.uniform(0.02, self.args.longest)
        if restores or rng.random() < 0.6:
            point = self.next_point(restores, powered.is_rolled)
            limit = 3 * self.args.longest
        passes = 1 if restores or point == "sink_after_truncate" else rng.randint(1, 6)
        code, err, at_point = powered.run(arguments, limit, f"{point}=kill@{passes}" if point else None)
        self.counts["kills"] += code != 0
        self.counts["at_points"] += at_point
        self.points.update({point: self.points[point] + 1} if at_point else {})
        if code == 0 or rng.random() < 0.9:  # what a program that ended has done is durable, too
            writes, names = powered.cut()
            self.counts.update(cuts=1, writes=writes, names=names)
        return code, err

    def restore(self, powered):
        """The newest checkpoint, in as many starts as it takes."""
        powered.run(("checkpoint", "ls", "--verify"), 60)
        while self.killed(powered, ("checkpoint", "restore"), restores=self.rng.random() < 0.8)[0] != 0:
            pass
        self.counts["restores"] += 1

    def run(self, powered, kills):
        """Until the job is done; kills about that often."""
        until = self.counts["kills"] + kills
        while True:
            if self.counts["kills"] < until:
                code, err = self.killed(powered, ("run",))
            else:
                code, err, _ = powered.run(("run",), 300)
                powered.cut()
            resumed = re.search(r"resumed from epoch (\d+)", err)
            self.counts["resumes"] += bool(resumed)
            self.counts["above_zero"] += bool(resumed) and int(resumed.group(1)) > 0
            if code == 0:
                return
            if powered.has_checkpoints() and (self.missed("restore_") or self.rng.random() < 0.2):
                self.restore(powered)

    def check(self):
        print("{kills} kills, {at_points} of them at fail points; power was cut {cuts} times, taking back {writes} "
              "writes and {names} changes of names; {restores} restores; {resumes} resumes, {above_zero} of them from "
              "an epoch above 0".format(**self.counts))
        if not all(self.counts[name] for name in ("above_zero", "writes", "names")):
            sys.exit("nothing was resumed or taken back: the run means nothing")
        if self.missed():
            sys.exit(f"no kill at {', '.join(self.missed())}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tidemark", required=True)
    parser.add_argument("--shards", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--fail-points", required=True, help="program that prints their names")
    parser.add_argument("--kills", type=int, default=60, help="at least so many, over as many runs as it takes")
    parser.add_argument("--per-run", type=int, default=15)
    parser.add_argument("--longest", type=float, default=0.6, help="seconds until a kill at the most")
    parser.add_argument("--rows-per-second", type=int, default=3000, help="of each shard")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--canary", default="")
    parser.add_argument("--tight", action="store_true")
    args = parser.parse_args()
    args.library = str(pathlib.Path(args.library).resolve())
    print(f"seed {args.seed}", flush=True)
    rng = random.Random(args.seed)
    calm = JobFolder(args.tidemark, args.shards, bound="30s", format="csv")
    if args.tight:
        make_tight(calm, "4GiB")
    done = calm.run()
    if done.returncode != 0:
        sys.exit(f"the undisturbed run failed: {done.stderr}")
    expected = calm.results.read_bytes()
    disturber = Disturber(args, rng)
    for number in itertools.count():
        if disturber.is_done():
            break
        powered = PoweredJob(args, rng, number)
        try:
            disturber.run(powered, args.per_run)
            if powered.content() != expected:
                raise Found("the results differ")
        except Found as found:
            kills = disturber.counts["kills"]
            if args.canary:
                print(f"the planted fault was found after {kills} kills: {str(found)[-300:]}")
                return
            kept = f"/tmp/kill_power_{args.seed}"
            shutil.copytree(powered.job.path, kept, dirs_exist_ok=True)
            sys.exit(f"{found} (seed {args.seed}, after {kills} kills); kept in {kept}")
    if args.canary:
        sys.exit("the planted fault was not found")
    disturber.check()


if __name__ == "__main__":
    main()
