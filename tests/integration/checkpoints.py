#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Retained checkpoints as operators use them: made by schedule and by hand, of a running and of a stopped job; listed,
# shown, pruned; the state set back to one gives the bytes of an undisturbed run; damage of the state and of checkpoints
# is named, and survived where the job says so.
#   checkpoints.py TIDEMARK CORPORA_FOLDER

import json
import pathlib
import re
import shutil
import signal
import sys

from checks import Checks
from job_folder import JobFolder

CORPUS = "orders-mysql-9.7"
SETTINGS = 'interval = "20ms"\nretain = 3\nretain_interval = "100ms"\npath = "kept"'


def job_with_checkpoints(checks, shards, more=""):
    job = JobFolder(checks.tidemark, shards, bound="30s", workers=2, format="csv", interval="20ms",
                    source_options='read_limit = "3000/s"')
    job.edit(('interval = "20ms"', SETTINGS + more))
    return job


def listed(checks, job, *options):
    done = checks.run("checkpoint", "ls", "job.toml", "--format", "json", *options, cwd=job.path)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def stopped(checks, shards, more=""):
    job = job_with_checkpoints(checks, shards, more)
    process = job.start()
    checks.that(job.wait_for_results(process, 4000), "results before the stop")
    job.stop(process, signal.SIGTERM)
    job.edit(('read_limit = "3000/s"', ""))
    return job


def made_and_listed(checks, shards):
    job = job_with_checkpoints(checks, shards)
    process = job.start()
    checks.that(job.wait_for_results(process, 1000), "results while it runs")
    done = checks.run("checkpoint", "create", "job.toml", cwd=job.path)
    checks.ended(done, 0, [], "a running job makes one on request")
    by_hand = int(re.search(r"holds epoch (\d+)", done.stdout).group(1))
    checks.that(not (job.path / "state" / "checkpoint.request").exists(), "the request is gone")
    checks.ended(checks.run("checkpoint", "restore", "job.toml", cwd=job.path), 74, ["is in use by process"], "not under a running job")
    checks.ended(checks.run("checkpoint", "prune", "job.toml", cwd=job.path), 74, ["is in use by process"], "nor pruned")
    checks.that(job.wait_for_results(process, 4000), "more results")
    job.stop(process, signal.SIGTERM)
    code, all_of_them = listed(checks, job, "--verify")
    checks.equal(code, 0, "all are intact")
    schedule = [one["epoch"] for one in all_of_them if one["made_by"] == "schedule"]
    checks.equal(len(schedule), 3, "retain = 3")
    checks.equal(schedule, sorted(schedule, reverse=True), "newest first")
    checks.that(by_hand in [one["epoch"] for one in all_of_them if one["made_by"] == "hand"], "the one by hand stays")
    shown = checks.run("checkpoint", "show", "job.toml", "--epoch", str(schedule[1]), cwd=job.path)
    checks.ended(shown, 0, [], "show")
    checks.that(f"epoch {schedule[1]}, committed " in shown.stdout and "split orders/" in shown.stdout and
                "aggregate totals: watermark " in shown.stdout, "show says what it holds", shown.stdout)
    checks.ended(checks.run("checkpoint", "show", "job.toml", "--epoch", "1000000", cwd=job.path), 74,
                 ["there is no checkpoint of epoch 1000000"], "an epoch that is not there")
    checks.ended(checks.run("checkpoint", "prune", "job.toml", "--keep", "1", cwd=job.path), 0, [], "prune")
    checks.equal([one["epoch"] for one in listed(checks, job)[1]], [schedule[0], by_hand], "one of each")
    checks.ended(checks.run("checkpoint", "prune", "job.toml", "--epoch", str(by_hand), cwd=job.path), 0, [], "prune one")
    again = checks.run("checkpoint", "create", "job.toml", cwd=job.path)
    checks.ended(again, 0, [], "of a stopped job")
    checks.equal([one["made_by"] for one in listed(checks, job)[1]].count("hand"), 1, "and it is there")


def set_back(checks, shards, expected):
    job = stopped(checks, shards)
    _, all_of_them = listed(checks, job)
    oldest = all_of_them[-1]["epoch"]
    before = job.results.read_bytes()
    done = checks.run("checkpoint", "restore", "job.toml", "--epoch", str(oldest), cwd=job.path)
    checks.ended(done, 0, [], "restore")
    checks.that((job.path / "state" / "db.replaced").is_dir(), "what was there is kept")
    run = job.run()
    checks.ended(run, 0, [f"resumed from epoch {oldest}\n"], "goes on from there")
    checks.that(job.results.read_bytes() == expected, "the bytes of an undisturbed run")
    checks.that(expected.startswith(before), "and before it had some of them")
    for point in ("restore_before_exchange", "restore_after_exchange"):
        job = stopped(checks, shards)
        killed = checks.run("checkpoint", "restore", "job.toml", environment={"TIDEMARK_FAILPOINTS": point + "=kill"}, cwd=job.path)
        checks.equal(killed.returncode, -signal.SIGKILL, point)
        checks.ended(job.run(), 0, ["resumed from epoch "], f"{point}: one state or the other")
        checks.that(job.results.read_bytes() == expected, f"{point}: the bytes of an undisturbed run")


def damage(path):
    """Of all tables and logs, so that some of it is met when the state is read; gives the name of the first."""
    files = sorted([*(path / "db").glob("*.sst"), *(path / "db").glob("*.log")])
    for file in files:
        content = bytearray(file.read_bytes())
        content[0 if file.suffix == ".sst" else len(content) // 3] ^= 0x40
        file.unlink()  # not the content of files that others share
        file.write_bytes(content)
    return files[0].name


def survived(checks, shards, expected):
    job = stopped(checks, shards)
    (job.path / "state" / "db" / "CURRENT").unlink()
    checks.ended(job.run(), 74, ["is damaged", "tidemark checkpoint restore"], "a damaged state is an error, by default")
    newest, second = (one["epoch"] for one in listed(checks, job)[1][:2])
    name = damage(pathlib.Path(listed(checks, job)[1][0]["path"]))
    code, _ = listed(checks, job)
    checks.equal(code, 0, "without --verify files are not read")
    code, verified = listed(checks, job, "--verify")
    checks.that(code == 74 and name in verified[0]["damage"], "ls --verify names the file")
    checks.ended(checks.run("checkpoint", "restore", "job.toml", cwd=job.path), 74, [f"epoch-{newest:012}", name, "use another one"],
                 "a damaged one is not restored")
    job.edit(("retain = 3", 'retain = 3\non_damage = "restore"'))
    run = job.run()
    checks.ended(run, 0, [name, f"goes on from the checkpoint of epoch {second} ", f"resumed from epoch {second}\n"],
                 "the newest intact one is taken")
    checks.that(job.results.read_bytes() == expected, "the bytes of an undisturbed run")
    job = stopped(checks, shards, '\non_damage = "restore"')
    damage(job.path / "state")
    run = job.run()
    checks.ended(run, 0, ["goes on from the checkpoint of epoch "], "damage of tables, found while the state is read")
    checks.that(job.results.read_bytes() == expected, "the bytes of an undisturbed run")
    job = stopped(checks, shards, '\non_damage = "restore"')
    (job.path / "state" / "db" / "CURRENT").unlink()
    shutil.rmtree(job.path / "kept")
    checks.ended(job.run(), 74, ["no checkpoint is intact", "CURRENT file is missing"], "nothing to restore")


def does_not_stop_the_job(checks, shards, expected):
    job = job_with_checkpoints(checks, shards)
    job.edit(('read_limit = "3000/s"', ""), ('retain_interval = "100ms"', 'retain_interval = "1ms"'))
    (job.path / "kept").write_text("a file where the folder should be")
    run = job.run()
    checks.ended(run, 0, ["is retained: ", "the job goes on"], "checkpoints that cannot be made")
    checks.equal(run.stderr.count("is retained: "), 1, "said once")
    checks.that(job.results.read_bytes() == expected, "the results are there all the same")


def main():
    checks = Checks(pathlib.Path(sys.argv[1]).resolve())
    shards = pathlib.Path(sys.argv[2]).resolve() / CORPUS
    calm = JobFolder(checks.tidemark, shards, bound="30s", format="csv")
    checks.equal(calm.run().returncode, 0, "an undisturbed run")
    expected = calm.results.read_bytes()
    made_and_listed(checks, shards)
    set_back(checks, shards, expected)
    survived(checks, shards, expected)
    does_not_stop_the_job(checks, shards, expected)
    checks.close()


if __name__ == "__main__":
    main()
