#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# K02: the disk of the state, of the results, or of the checkpoints is full while the job runs, at moments that fall
# anywhere between two epochs. Said once, with the path and the bytes that are free; no error stays once there is space;
# the results in the end are those of an undisturbed run.
#   full_disk.py TIDEMARK CORPORA_FOLDER full_disk.so [SEED]

import os
import pathlib
import random
import subprocess
import sys

from checks import Checks
from job_folder import JobFolder


class FullDisk:
    """A job whose disk fills up below `what`."""

    def __init__(self, checks, corpus, library, what, rate=3000, retain=0):
        self.job = JobFolder(checks.tidemark, corpus, bound="30s", format="csv", interval="20ms",
                             source_options=f'read_limit = "{rate}/s"')
        self.job.edit(('path = "out.csv"', 'path = "results/out.csv"'),
                      ('interval = "20ms"', f'interval = "20ms"\nretain = {retain}\nretain_interval = "100ms"\npath = "kept"'))
        (self.job.path / "results").mkdir()
        self.job.results = self.job.path / "results" / "out.csv"
        self.flag = self.job.path / "full"
        self.environment = {**os.environ, "LD_PRELOAD": library, "TIDEMARK_FULL_WHILE": str(self.flag),
                            "TIDEMARK_FULL_ROOT": str(self.job.path / what) + "/"}

    def start(self):
        return subprocess.Popen(self.job.command("run", "job.toml"), cwd=self.job.path, stderr=subprocess.PIPE,
                                stdout=subprocess.DEVNULL, text=True, env=self.environment)


def said_once(checks, text, path, what):
    lines = [line for line in text.splitlines() if "No space left" in line]
    checks.equal(len(lines), 1, f"{what}: one alarm")
    checks.holds(" ".join(lines), [str(path), "bytes are free there"], f"{what}: with path and free space")


def fills_up(checks, corpus, library, what, rng, expected):
    disk = FullDisk(checks, corpus, library, what)
    process = disk.start()
    size = 0
    checks.that(disk.job.wait_for_results(process, rng.randint(500, 4000)), f"{what}: results before")
    disk.flag.touch()
    _, err = process.communicate(timeout=60)
    checks.equal(process.returncode, 69, f"{what}: the job ends, and says so by its exit code ({err[-300:]})")
    said_once(checks, err, disk.job.path / what, what)
    size = disk.job.results.stat().st_size
    again = disk.start()
    _, err = again.communicate(timeout=60)
    checks.equal(again.returncode, 69, f"{what}: started again while it is full")
    said_once(checks, err, disk.job.path / what, f"{what}, started again")
    checks.that(disk.job.results.stat().st_size <= size, f"{what}: and nothing is written")
    disk.flag.unlink()
    disk.job.edit(('read_limit = "3000/s"', ""))
    last = disk.start()
    _, err = last.communicate(timeout=120)
    checks.equal(last.returncode, 0, f"{what}: with space again it goes on ({err[-300:]})")
    checks.that("resumed from epoch" in err and "No space" not in err, f"{what}: nothing of the error stays", err)
    checks.that(disk.job.results.read_bytes() == expected, f"{what}: the bytes of an undisturbed run")


def checkpoints_fill_up(checks, corpus, library, expected):
    disk = FullDisk(checks, corpus, library, "kept", rate=6000, retain=2)
    disk.flag.touch()
    process = disk.start()
    checks.that(disk.job.wait_for_results(process, 5000), "kept: the job runs without checkpoints")
    disk.flag.unlink()
    _, err = process.communicate(timeout=60)
    checks.equal(process.returncode, 0, "kept: to its end")
    checks.equal(err.count("No space left"), 1, "kept: said once")
    checks.that(disk.job.results.read_bytes() == expected, "kept: the bytes of an undisturbed run")
    listed = checks.run("checkpoint", "ls", "job.toml", "--verify", cwd=disk.job.path)
    checks.that(listed.returncode == 0 and len(listed.stdout.splitlines()) == 3, "kept: and with space they are made",
                listed.stdout)


def main():
    checks = Checks(pathlib.Path(sys.argv[1]).resolve())
    corpus = pathlib.Path(sys.argv[2]).resolve() / "orders-mysql-9.7"
    library = str(pathlib.Path(sys.argv[3]).resolve())
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    print(f"seed {seed}", flush=True)
    rng = random.Random(seed)
    calm = JobFolder(checks.tidemark, corpus, bound="30s", format="csv")
    checks.equal(calm.run().returncode, 0, "an undisturbed run")
    expected = calm.results.read_bytes()
    for what in ("state", "results"):
        for _ in range(4):
            fills_up(checks, corpus, library, what, rng, expected)
    checkpoints_fill_up(checks, corpus, library, expected)
    checks.close()


if __name__ == "__main__":
    main()
