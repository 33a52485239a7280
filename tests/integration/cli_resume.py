#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Stopping and going on, as operators do it: SIGINT, SIGTERM and SIGKILL with changing numbers of workers give the
# bytes of an undisturbed run; what cannot be resumed (another job, a changed job, damaged state, cut results) is
# refused with the reason and leaves everything as it was; a damaged binlog stops the job until it is repaired.
#   cli_resume.py TIDEMARK CORPORA_FOLDER

import pathlib
import re
import shutil
import signal
import sys
import time

from checks import Checks
from job_folder import JobFolder, read_results, read_truth

CORPORA = ("orders-mysql-9.7", "orders-mariadb-10.11")


def throttled(checks, shards, workers=2, rate=4000, **options):
    return JobFolder(checks.tidemark, shards, bound="30s", workers=workers, format="csv", interval="20ms",
                     source_options=f'read_limit = "{rate}/s"', **options)


def at_full_speed(job):
    text = (job.path / "job.toml").read_text()
    (job.path / "job.toml").write_text(re.sub(r'read_limit = "\d+/s"\n', "", text))


def undisturbed(checks, shards):
    job = JobFolder(checks.tidemark, shards, bound="30s", format="csv")
    checks.equal(job.run().returncode, 0, "an undisturbed run")
    return job.results.read_bytes()


def stopped_job(checks, shards, **options):
    """A job that was stopped by SIGTERM with some results and more to come."""
    job = throttled(checks, shards, **options)
    process = job.start()
    checks.that(job.wait_for_results(process), "results before the stop")
    job.stop(process, signal.SIGTERM)
    at_full_speed(job)
    return job


def signals(checks, shards, expected):
    for number in (signal.SIGINT, signal.SIGTERM):
        job = throttled(checks, shards)
        process = job.start()
        checks.that(job.wait_for_results(process), f"{number.name}: results before the stop")
        err = job.stop(process, number)
        stopped = re.search(r"^stopped: .* rows read .*; epoch (\d+)$", err, re.MULTILINE)
        checks.that(process.returncode == 0 and stopped, f"{number.name}: stops cleanly and says so", err)
        epoch = int(stopped.group(1)) if stopped else 0
        part = job.results.read_bytes()
        checks.that(expected.startswith(part) and 0 < len(part) < len(expected), f"{number.name}: a part of the bytes")
        at_full_speed(job)
        done = job.run()
        checks.ended(done, 0, [f"resumed from epoch {epoch}\n", "finished: "], f"{number.name}: resumes where it was")
        checks.that(job.results.read_bytes() == expected, f"{number.name}: the same bytes in the end")


def frozen(checks, shards, expected):
    """SIGSTOP is a machine that sleeps: neither clocks nor epochs that are late may change a result."""
    job = throttled(checks, shards)
    process = job.start()
    for size in (1, 2000):
        checks.that(job.wait_for_results(process, size), "frozen: results before")
        process.send_signal(signal.SIGSTOP)
        time.sleep(1.5)
        process.send_signal(signal.SIGCONT)
    err = process.communicate(timeout=120)[1]
    checks.that(process.returncode == 0 and "error" not in err, "frozen twice: the job ends as if it had not been", err)
    checks.that(job.results.read_bytes() == expected, "frozen twice: the bytes of an undisturbed run")


def workers_change(checks, shards, expected):
    """1 worker, stopped; 2 workers, killed; 4 workers to the end."""
    job = throttled(checks, shards, workers=1, rate=2500)
    process = job.start()
    checks.that(job.wait_for_results(process), "1 worker: results")
    job.stop(process, signal.SIGTERM)
    size = job.results.stat().st_size
    job.edit(("parallelism = 1", "parallelism = 2"))
    process = job.start()
    checks.that(job.wait_for_results(process, size + 500), "2 workers: more results", f"{size} bytes before")
    err = job.stop(process, signal.SIGKILL)
    checks.that(process.returncode == -signal.SIGKILL and "resumed from epoch" in err, "2 workers: resumed, killed", err)
    at_full_speed(job)
    job.edit(("parallelism = 2", "parallelism = 4"))
    done = job.run()
    checks.ended(done, 0, ["resumed from epoch", "finished: "], "4 workers: resumed")
    checks.that(job.results.read_bytes() == expected, "1, 2 and 4 workers: the bytes of an undisturbed run")


def finished_and_locked(checks, shards):
    job = throttled(checks, shards, rate=1000)
    process = job.start()
    checks.that(job.wait_for_results(process), "a running job")
    second = job.run()
    checks.ended(second, 74, [f"process {process.pid}", "stop it"], "a second process on the same state")
    job.stop(process, signal.SIGTERM)
    at_full_speed(job)
    checks.equal(job.run().returncode, 0, "the job ends")
    before = (job.results.read_bytes(), job.results.stat().st_mtime_ns)
    again = job.run()
    checks.ended(again, 0, ["job orders had finished", "nothing to do", str(job.path / "state")], "a finished job again")
    checks.equal((job.results.read_bytes(), job.results.stat().st_mtime_ns), before, "it leaves the results alone")


def changed_jobs(checks, shards):
    job = stopped_job(checks, shards)
    good = (job.path / "job.toml").read_text()
    part = job.results.read_bytes()
    for change, parts in (
            (('size = "1m"', 'size = "2m"'), ["totals", "1m", "2m"]),
            (('key_by = ["region"]', 'key_by = ["region", "status"]'), ["totals", "region", "status"]),
            (('sum_amount = "sum(amount)"', 'sum_amount = "max(amount)"'), ["totals", "sum(amount decimal(18,4)), min", "max(amount decimal(18,4)), min"]),
            (('mode = "append"', 'mode = "changelog"'), ["append", "changelog"]),
            (('"created_at"', '"$commit_time"'), ["created_at", "$commit_time"]),
            (('format = "csv"', 'format = "ndjson"'), ["sink out", "csv of totals", "ndjson of totals"]),
            (('sum_qty = ', 'quantity = '), ["sink out", "sum_qty", "quantity"]),
            (('name = "orders"', 'name = "others"'), ["`orders`", "`others`"])):
        job.edit(change)
        checks.ended(job.run(), 74, [*parts, "state path"], f"changed: {change[1]}")
        checks.equal(job.results.read_bytes(), part, f"changed: {change[1]}: the results are left alone")
        (job.path / "job.toml").write_text(good)
    job.edit(('interval = "20ms"', 'interval = "1s"'), ('level = "warning"', 'level = "error"'))
    checks.ended(job.run(), 0, ["finished: "], "what does not change results may change")


def results_file(checks, shards, expected):
    job = stopped_job(checks, shards)
    part = job.results.read_bytes()
    job.results.write_bytes(part[:-1])
    checks.ended(job.run(), 74, ["out.csv", str(len(part) - 1), str(len(part))], "a result file that was cut")
    checks.equal(job.results.read_bytes(), part[:-1], "it is not touched")
    job.results.write_bytes(part + b"half a li")
    checks.ended(job.run(), 0, ["finished: "], "what stands behind the committed length is cut off")
    checks.that(job.results.read_bytes() == expected, "and the bytes are right")

    job = JobFolder(checks.tidemark, shards, bound="30s", format="csv")
    job.results.write_text("mine\n")
    checks.ended(job.run(), 74, ["out.csv", "5 bytes", "move the file away"], "a result file that was there before")
    checks.equal(job.results.read_text(), "mine\n", "it is not touched")
    job.results.unlink()
    checks.ended(job.run(), 0, ["finished: "], "without it the job runs")
    checks.that(job.results.read_bytes() == expected, "and the bytes are right")


def damaged_state(checks, shards, expected):
    good = stopped_job(checks, shards)
    database = good.path / "state" / "db"
    kept = good.path / "kept"
    # An SST needs a memtable that was written out: opening again does that.
    again = throttled_again(good)
    checks.that(again, "stopped twice")
    shutil.copytree(database, kept)
    part = good.results.read_bytes()
    newest = {suffix: sorted(path.name for path in database.iterdir() if re.search(suffix, path.name))
              for suffix in (r"\.sst$", r"^MANIFEST-", r"^CURRENT$", r"\.log$")}
    checks.that(all(newest.values()), "the state has a file of each kind", newest)
    for kind, name, damage in (("no CURRENT", newest[r"^CURRENT$"][0], "delete"),
                               ("no MANIFEST", newest[r"^MANIFEST-"][-1], "delete"),
                               ("a cut MANIFEST", newest[r"^MANIFEST-"][-1], "truncate"),
                               ("an SST is gone", newest[r"\.sst$"][-1], "delete"),
                               ("a cut SST", newest[r"\.sst$"][-1], "truncate"),
                               ("no log", newest[r"\.log$"][-1], "delete"),
                               ("a cut log", newest[r"\.log$"][-1], "truncate"),
                               ("all files are gone", None, "empty")):
        shutil.rmtree(database)
        shutil.copytree(kept, database)
        spoil(database, name, damage)
        done = good.run()
        what = f"damaged state, {kind}"
        if name is None:
            checks.ended(done, 74, ["out.csv already has", "knows nothing of them"], what)
        elif done.returncode == 0 and kind in ("a cut MANIFEST", "a cut log"):
            # What was cut off need not have been needed; then all must be as if nothing had happened.
            checks.that("resumed from epoch" in done.stderr, f"{what}: never an empty start", done.stderr)
            checks.that(good.results.read_bytes() == expected, f"{what}: refused or right")
            good.results.write_bytes(part)
            continue
        else:
            checks.ended(done, 74, [str(database), "start over with"], what)
            named = kind.startswith("no ") or name.split(".")[0] in done.stderr or "write-ahead log" in done.stderr
            checks.that(named, f"{what}: names the file", done.stderr)
            if damage == "delete" and name.startswith(("CURRENT", "MANIFEST")):
                listed = checks.run("late", "ls", "job.toml", cwd=good.path)
                checks.ended(listed, 74, [str(database), "start over with"], f"{what}: late ls says so too")
        checks.equal(good.results.read_bytes(), part, f"{what}: the results are left alone")
        good.results.write_bytes(part)
    flipped_bytes(checks, good, database, kept, part, newest[r"\.sst$"], expected)


def throttled_again(job):
    job.edit(('mode = "append"', 'mode = "append"\nread_limit = "4000/s"'))
    process = job.start()
    grown = job.wait_for_results(process, job.results.stat().st_size + 1)
    job.stop(process, signal.SIGTERM)
    at_full_speed(job)
    return grown and process.returncode == 0


def spoil(database, name, damage):
    if damage == "delete":
        (database / name).unlink()
    elif damage == "truncate":
        with open(database / name, "r+b") as file:
            file.truncate((database / name).stat().st_size // 2)
    else:
        for path in database.iterdir():
            path.unlink()


def flipped_bytes(checks, job, database, kept, part, tables, expected):
    """One byte of each SST in turn: either the job refuses, or (the block was not needed) its totals are right."""
    refused = 0
    for name in tables:
        shutil.rmtree(database)
        shutil.copytree(kept, database)
        with open(database / name, "r+b") as file:
            file.seek((database / name).stat().st_size // 3)
            byte = file.read(1)
            file.seek(-1, 1)
            file.write(bytes([byte[0] ^ 0x10]))
        done = job.run()
        if done.returncode == 74:
            refused += 1
            checks.holds(done.stderr, ["start over with", name], f"a flipped byte in {name}")
            checks.equal(job.results.read_bytes(), part, f"a flipped byte in {name}: the results are left alone")
        else:
            checks.equal(done.returncode, 0, f"a flipped byte in {name}: refused or right")
            checks.that(job.results.read_bytes() == expected, f"a flipped byte in {name}: right totals")
        job.results.write_bytes(part)
    checks.that(refused > 0, "a flipped byte of an SST is noticed", f"{len(tables)} tables")


def spoiled_binlog(checks, corpus, expected):
    """One byte of an event is wrong: file:position, exit code 65; after the repair, the exact totals."""
    job = JobFolder(checks.tidemark, corpus, bound="30s", format="csv", interval="20ms")
    shards = job.path / "shards"
    shutil.copytree(corpus, shards, ignore=lambda _, names: [name for name in names if name.endswith((".csv", ".tsv"))])
    job.edit((str(pathlib.Path(corpus).resolve()), "shards"),
             ('mode = "append"', 'mode = "append"\nread_limit = "8000/s"'))
    file = sorted((shards / "shard-01").iterdir())[2]
    good = file.read_bytes()
    at = len(good) // 2
    file.write_bytes(good[:at] + bytes([good[at] ^ 0x04]) + good[at + 1:])
    done = job.run()
    checks.ended(done, 65, [file.name + ":"], "a flipped byte of a binlog stops the job")
    found = re.search(re.escape(file.name) + r":(\d+)", done.stderr)
    position = int(found.group(1)) if found else -1
    checks.that(0 < position <= at and at - position < 10000, "the position is that of the event", done.stderr)
    part = job.results.read_bytes()
    checks.that(expected.startswith(part) and len(part) > 0, "the results so far are right", part[-200:])
    again = job.run()
    checks.ended(again, 65, [f"{file.name}:{position}"], "it says the same when it is started again")
    file.write_bytes(good)
    at_full_speed(job)
    checks.ended(job.run(), 0, ["resumed from epoch", "finished: "], "the repaired file: the job goes on")
    checks.that(job.results.read_bytes() == expected, "the repaired file: the bytes of an undisturbed run")


def unreadable_shard(checks, corpus):
    job = JobFolder(checks.tidemark, corpus)
    shards = job.path / "shards"
    shutil.copytree(corpus, shards, ignore=lambda _, names: [name for name in names if name.endswith((".csv", ".tsv"))])
    job.edit((str(pathlib.Path(corpus).resolve()), "shards"))
    file = sorted((shards / "shard-02").iterdir())[1]
    file.chmod(0)
    try:
        with open(file, "rb"):
            readable = True  # by root: then a dangling link is what cannot be read
    except PermissionError:
        readable = False
    if readable:
        file.unlink()
        file.symlink_to("nowhere")
    done = job.run()
    checks.that(done.returncode in (69, 78), "an unreadable shard file: exit code", done.returncode)
    checks.holds(done.stderr, ["error", str(file.name)], "an unreadable shard file is named")
    checks.that(not job.results.exists(), "and nothing was started")


def main():
    checks = Checks(sys.argv[1])
    for name in CORPORA:
        corpus = pathlib.Path(sys.argv[2]).resolve() / name
        expected = undisturbed(checks, corpus)
        workers_change(checks, corpus, expected)
        spoiled_binlog(checks, corpus, expected)
        if name == CORPORA[0]:
            signals(checks, corpus, expected)
            frozen(checks, corpus, expected)
            finished_and_locked(checks, corpus)
            changed_jobs(checks, corpus)
            results_file(checks, corpus, expected)
            damaged_state(checks, corpus, expected)
            unreadable_shard(checks, corpus)
    checks.close()


if __name__ == "__main__":
    main()
