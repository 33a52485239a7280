#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# K10: a shard that was read before is taken away and put back. Without it the job refuses to start, by name and with the
# way out; with --leave-out-missing windows close on the others alone; put back, it is read on from where it was left,
# and every row of it is counted or in the late store, none twice.
#   left_out_shards.py TIDEMARK CORPORA_FOLDER

import csv
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys

from checks import Checks
from job_folder import JobFolder

SHARD = "shard-02"


def counted(job):
    with open(job.results, newline="") as file:
        return sum(int(row["orders"]) for row in csv.DictReader(file))


def late(checks, job):
    done = checks.run("late", "ls", "job.toml", "--count", cwd=job.path)
    return int(re.search(r"(\d+) rows in all", done.stdout).group(1))


def main():
    checks = Checks(pathlib.Path(sys.argv[1]).resolve())
    corpus = pathlib.Path(sys.argv[2]).resolve() / "orders-mysql-9.7"
    calm = JobFolder(checks.tidemark, corpus, bound="30s", format="csv")
    checks.equal(calm.run().returncode, 0, "an undisturbed run")
    wanted = counted(calm) + late(checks, calm)

    job = JobFolder(checks.tidemark, corpus, bound="30s", format="csv", interval="20ms",
                    source_options='read_limit = "1500/s"')
    shards, away = job.path / "shards", job.path / "away"
    for shard in sorted(corpus.glob("shard-*")):
        shutil.copytree(shard, shards / shard.name)
    job.edit((f'"{corpus}/shard-*"', f'"{shards}/shard-*"'))
    process = job.start()
    checks.that(job.wait_for_results(process, 2000), "results of all shards")
    job.stop(process, signal.SIGTERM)
    size = job.results.stat().st_size

    shutil.move(shards / SHARD, away)
    refused = job.run()
    checks.ended(refused, 74, [SHARD, "not there any more", "--leave-out-missing"], "taken away: refused by name")
    checks.equal(job.results.stat().st_size, size, "and nothing is written")

    def start(*options):
        return subprocess.Popen(job.command("run", "job.toml", *options), cwd=job.path, stderr=subprocess.PIPE,
                                stdout=subprocess.DEVNULL, text=True)

    process = start("--leave-out-missing")
    checks.that(job.wait_for_results(process, size + 3000), "left out: windows close on the others alone")
    err = job.stop(process, signal.SIGTERM)
    checks.holds(err, [SHARD, "goes on without it", "resumed from epoch"], "and the log says so")
    size = job.results.stat().st_size
    process = start()
    checks.that(job.wait_for_results(process, size + 200), "left out before: it need not be said again")
    checks.that("not there" not in job.stop(process, signal.SIGKILL), "nor told")
    listed = checks.run("watermark", "ls", "job.toml", cwd=job.path)
    checks.that(listed.returncode == 0 and SHARD not in listed.stdout, "it holds no watermark", listed.stdout)

    splits = json.loads(checks.run("state", "ls", "job.toml", "--format", "json", cwd=job.path).stdout)["splits"]
    checks.equal([one["split"].endswith(SHARD) for one in splits if one["state"] == "left out"], [True],
                 "state ls shows it, and that it is left out")
    checks.that(len(splits) == 4 and all(one["rows_read"] > 0 for one in splits), "and what was read of it", splits)

    shutil.move(away, shards / SHARD)
    job.edit(('read_limit = "1500/s"', ""))
    back = job.run()
    checks.ended(back, 0, [SHARD, "is there again", "finished: "], "put back: read on from where it was")
    checks.equal(counted(job) + late(checks, job), wanted, "every row is counted or late, none twice")
    checks.that(late(checks, job) > late(checks, calm), "those of closed windows are late")
    checks.close()


if __name__ == "__main__":
    main()
