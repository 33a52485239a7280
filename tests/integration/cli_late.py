#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# `tidemark late ls`: rows that came too late, one by one. Small bounds and windows of a second make many rows late;
# every insert must then be in exactly one place, results or late store, and in changelog mode results and late
# changes together must give the truth, also when the job was killed several times on the way.
#   cli_late.py TIDEMARK CORPORA_FOLDER [SEED]

import collections
import datetime
import decimal
import json
import pathlib
import random
import re
import signal
import sys
import time

from checks import Checks
from job_folder import JobFolder, read_results, read_truth

SUMMARY = re.compile(r"^finished: ([\d,]+) rows read in [\d.]+ s, ([\d,]+) results(?:, ([\d,]+) late)?"
                     r"(?:, ([\d,]+) set aside)?(?:, ([\d,]+) not inserts)?; epoch (\d+)$", re.MULTILINE)
ONE_COLUMN = """[aggregates.totals.columns]
orders = "count()"
[sinks.out]"""


def late_job(checks, shards, bound, **options):
    """Windows of a second with one group per row, so that each result is one insert."""
    job = JobFolder(checks.tidemark, shards, bound=bound, interval="20ms", **options)
    job.edit(('key_by = ["region"]', 'key_by = ["id"]'), ('size = "1m"', 'size = "1s"'))
    text = (job.path / "job.toml").read_text()
    text = re.sub(r"\[aggregates\.totals\.columns\].*?\[sinks\.out\]", ONE_COLUMN, text, flags=re.DOTALL)
    (job.path / "job.toml").write_text(text)
    return job


def inserts(checks, shards):
    """id -> where its insert is, by the decoder's own command."""
    found = {}
    for shard in sorted(shards.glob("shard-*")):
        done = checks.run("binlog", "cat", *sorted(shard.iterdir()), cwd="/")
        for line in done.stdout.splitlines():
            change = json.loads(line)
            if change["op"] == "insert" and ".orders_" in change["table"]:
                found[change["after"]["id"]] = {"shard": shard, "time": change["after"]["created_at"], **change}
    return found


def late_rows(checks, job, *arguments):
    done = checks.run("late", "ls", "job.toml", "--format", "ndjson", *arguments, cwd=job.path)
    checks.equal(done.returncode, 0, "late ls")
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00").replace(" ", "T"))


def counts_of_ids(job):
    """How often each id was counted."""
    counts = collections.Counter()
    for line in job.results.read_text().splitlines():
        row = json.loads(line)
        counts[row["id"]] += row["orders"]
    return counts


def each_once(checks, what, job, rows, wanted):
    counts = counts_of_ids(job)
    counts.update(int(row["columns"]["id"]) for row in rows)
    lost = wanted.keys() - counts.keys()
    twice = [key for key, count in counts.items() if count != 1]
    checks.that(not lost and not twice and counts.keys() == wanted.keys(),
                f"{what}: every insert is in one result or in the late store, once",
                f"{len(lost)} lost: {sorted(lost)[:5]}; {len(twice)} more than once: {sorted(twice)[:5]}")


def look_at_rows(checks, what, rows, wanted):
    wrong = []
    for row in rows:
        insert = wanted[int(row["columns"]["id"])]
        time_of_row, window_end = instant(row["event_time"]), instant(row["window_end"])
        good = (row["reason"] == "too_late" and row["source"] == "orders" and row["aggregate"] == "totals"
                and row["op"] == "insert" and row["split"] == str(insert["shard"]) and row["table"] == insert["table"]
                and row["file"] == insert["file"] and row["gtid"] == insert["gtid"]
                and row["position"] <= insert["position"]
                and time_of_row.replace(tzinfo=None) == datetime.datetime.fromisoformat(insert["time"])
                and window_end - datetime.timedelta(seconds=1) <= time_of_row < window_end
                and instant(row["watermark"]) >= window_end - datetime.timedelta(microseconds=1)
                and row["late_by_us"] == (instant(row["watermark"]) - time_of_row) // datetime.timedelta(microseconds=1))
        if not good:
            wrong.append((row, insert))
    checks.that(not wrong, f"{what}: reason, place, times and window of each row", wrong[:1])


def undisturbed(checks, shards, wanted):
    for bound in ("0s", "1s"):
        what = f"bound {bound}"
        job = late_job(checks, shards, bound)
        before = checks.run("late", "ls", "job.toml", cwd=job.path)
        checks.ended(before, 74, ["there is no state in", "run the job first"], f"{what}: late ls before the first run")
        done = job.run()
        summary = SUMMARY.search(done.stderr)
        if not checks.that(done.returncode == 0 and summary, f"{what}: the job ends with its books", done.stderr):
            continue
        read, results, late, aside, others, _ = (int((text or "0").replace(",", "")) for text in summary.groups())
        counted = sum(counts_of_ids(job).values())
        checks.equal(results, len(job.results.read_text().splitlines()), f"{what}: results in the summary")
        checks.equal(read, counted + late + aside + others, f"{what}: read = aggregated + late + set aside + others")
        checks.that(late > 0 and aside == 0, f"{what}: some rows are late, none set aside", summary.group(0))
        rows, counts = late_rows(checks, job)
        checks.equal(len(rows), late, f"{what}: as many late rows as the summary says")
        checks.holds(counts, [f"{late} rows in all", "too_late, source orders, split ", "aggregate totals"],
                     f"{what}: the counts")
        look_at_rows(checks, what, rows, wanted)
        each_once(checks, what, job, rows, wanted)
        ways_to_list(checks, what, job, rows)


def ways_to_list(checks, what, job, rows):
    text = checks.run("late", "ls", "job.toml", cwd=job.path)
    lines = text.stdout.splitlines()
    checks.equal(len(lines), len(rows) + 1, f"{what}: text has a head and a line per row")
    checks.holds(lines[0], ["REASON", "EVENT TIME", "WINDOW END", "LATE BY", "POSITION"], f"{what}: the head")
    checks.holds(lines[1], ["too_late", rows[0]["event_time"], rows[0]["window_end"], "insert",
                            f"{rows[0]['file']}:{rows[0]['position']}", f"id={rows[0]['columns']['id']}"],
                 f"{what}: the first line")
    counts = checks.run("late", "ls", "job.toml", "--count", cwd=job.path)
    checks.that(counts.stdout.endswith(f"{len(rows)} rows in all\n"), f"{what}: --count", counts.stdout)
    checks.equal(len(late_rows(checks, job, "--limit", "1")[0]), 1, f"{what}: --limit")
    per_split = collections.Counter(row["split"] for row in rows)
    for split, count in per_split.items():
        some, said = late_rows(checks, job, "--split", split)
        checks.that(len(some) == count and said.endswith(f"{count} rows in all\n"), f"{what}: --split", said)
    none, said = late_rows(checks, job, "--aggregate", "others")
    checks.that(none == [] and said.endswith("0 rows in all\n"), f"{what}: --aggregate of another name", said)


def while_it_runs(checks, shards):
    job = late_job(checks, shards, "0s", source_options='read_limit = "1500/s"')
    process = job.start()
    checks.that(job.wait_for_results(process), "a running job")
    most = 0
    for _ in range(5):
        rows, _ = late_rows(checks, job)
        checks.that(len(rows) >= most, "late rows of a running job only become more", f"{len(rows)} after {most}")
        most = len(rows)
        time.sleep(0.1)
    checks.that(process.poll() is None, "the job goes on meanwhile")
    job.stop(process, signal.SIGTERM)
    checks.equal(process.returncode, 0, "and stops cleanly")


def kill_some_times(checks, job, rng, times):
    """Kills the job again and again, then runs it to its end."""
    resumed = kills = 0
    for _ in range(times):
        process = job.start()
        job.wait_for_results(process)
        time.sleep(rng.uniform(0.05, 0.4))
        err = job.stop(process, signal.SIGKILL)
        kills += process.returncode == -signal.SIGKILL
        resumed += "resumed from epoch" in err
    checks.that(kills > 1 and resumed > 0, "killed and resumed several times", f"{kills} kills, {resumed} resumes")
    checks.equal(job.run().returncode, 0, "killed: the job ends")


def killed(checks, shards, wanted, seed):
    job = late_job(checks, shards, "0s", source_options='read_limit = "4000/s"')
    kill_some_times(checks, job, random.Random(seed), 6)
    rows, _ = late_rows(checks, job)
    checks.that(rows, "killed: there are late rows")
    look_at_rows(checks, "killed", rows, wanted)
    each_once(checks, f"killed (seed {seed})", job, rows, wanted)


def changelog_books(checks, what, job, truth):
    """Counts and sums per window and region: the results and, on top, every late change."""
    books = collections.defaultdict(lambda: [decimal.Decimal(0)] * 4)
    for key, values in read_results(job.results).items():
        orders, amount, _, _, _, qty, with_qty = values
        books[key] = [orders, amount or 0, qty or 0, with_qty]
    rows, _ = late_rows(checks, job)
    for row in rows:
        sign = 1 if row["op"] in ("insert", "update+") else -1
        columns = row["columns"]
        start = int(instant(row["window_end"]).timestamp() * 1000) - 60000
        qty = columns["qty"]
        change = (1, decimal.Decimal(columns["amount"]), int(qty or 0), int(qty is not None))
        key = (start, columns["region"])
        books[key] = [value + sign * part for value, part in zip(books[key], change)]
    wrong = []
    for key in truth.keys() | books.keys():
        values = truth.get(key)
        wanted = [values[0], values[1] or 0, values[5] or 0, values[6]] if values else [0] * 4
        if list(books[key]) != wanted:
            wrong.append((key, books[key], wanted))
    checks.that(rows and not wrong, f"{what}: results and {len(rows)} late changes together are the truth", wrong[:3])


def changelog(checks, shards, seed):
    truth = read_truth(shards / "changelog-1m-region.csv")
    for bound, workers in (("1s", 1), ("10m", 3)):
        job = JobFolder(checks.tidemark, shards, mode="changelog", bound=bound, workers=workers)
        checks.equal(job.run().returncode, 0, "changelog: the job ends")
        changelog_books(checks, f"changelog, bound {bound}", job, truth)
    job = JobFolder(checks.tidemark, shards, mode="changelog", bound="1m", interval="20ms",
                    source_options='read_limit = "4000/s"')
    kill_some_times(checks, job, random.Random(seed), 4)
    changelog_books(checks, f"changelog, killed (seed {seed})", job, truth)


def main():
    checks = Checks(sys.argv[1])
    corpora = pathlib.Path(sys.argv[2]).resolve()
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else int(time.time())
    print(f"seed {seed}", flush=True)
    for name in ("orders-mysql-9.7", "orders-mariadb-10.11"):
        shards = corpora / name
        wanted = inserts(checks, shards)
        checks.equal(len(wanted), 9947, f"{name}: inserts")
        if name == "orders-mysql-9.7":
            undisturbed(checks, shards, wanted)
            while_it_runs(checks, shards)
        killed(checks, shards, wanted, seed)
        changelog(checks, shards, seed)
    checks.close()


if __name__ == "__main__":
    main()
