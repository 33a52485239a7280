#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# `tidemark state ls | get | size | export`: what a stopped and a running job have in their state. A job that is stopped
# midway has read so many rows of each shard; what these come to, by the decoder's own command and plain arithmetic, must
# be what the state's windows hold. Beside a running job every look must be of one epoch.
#   cli_state.py TIDEMARK CORPORA_FOLDER

import collections
import datetime
import decimal
import json
import pathlib
import signal
import sys
import time

from checks import Checks
from job_folder import JobFolder

MINUTE = 60_000_000


def micros(text):
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00").replace(" ", "T"))
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.timezone.utc)
    return (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(microseconds=1)


def changes(checks, shards):
    """Shard -> [(sign, row)], by the decoder's own command."""
    found = {}
    for shard in sorted(shards.glob("shard-*")):
        rows = found[str(shard)] = []
        done = checks.run("binlog", "cat", *sorted(shard.iterdir()), cwd="/")
        for line in done.stdout.splitlines():
            change = json.loads(line, parse_float=decimal.Decimal)
            if ".orders_" not in change["table"]:
                continue
            if change["op"] != "insert":
                rows.append((-1, change["before"]))
            if change["op"] != "delete":
                rows.append((1 if change["op"] == "insert" else 2, change["after"]))
    return found


def books(found, splits, changelog):
    """(window start, region) -> (rows, amounts, customers), of the rows that the state has read."""
    groups = collections.defaultdict(lambda: [0, collections.Counter(), collections.Counter()])
    for split in splits:
        for sign, row in found[split["split"]][:split["rows_read"]]:
            if not changelog and sign != 1:
                continue
            weight = -1 if sign < 0 else 1
            start = micros(row["created_at"]) // MINUTE * MINUTE
            group = groups[start, row["region"]]
            group[0] += weight
            group[1][decimal.Decimal(row["amount"])] += weight
            group[2][row["customer_id"]] += weight
    return {key: group for key, group in groups.items() if group[0] > 0}


def look(checks, job, *arguments, code=0):
    done = checks.run("state", *arguments, cwd=job.path)
    checks.equal(done.returncode, code, f"state {' '.join(arguments)}: {done.stderr}")
    return done


def exported(checks, job, *arguments):
    parts = collections.defaultdict(list)
    for line in look(checks, job, "export", "job.toml", *arguments).stdout.splitlines():
        part = json.loads(line)
        parts[part["type"]].append(part)
    return parts


def stop_midway(checks, job, seconds):
    process = job.start()
    time.sleep(seconds)
    checks.that(process.poll() is None, "the job runs when it is stopped")
    job.stop(process, signal.SIGTERM)
    checks.equal(process.returncode, 0, "the job stops cleanly")


def windows_are_the_books(checks, what, parts, wanted):
    wrong = []
    seen = set()
    for entry in parts["entry"]:
        key = micros(entry["window_start"]), entry["key"]["region"]
        seen.add(key)
        rows, amounts, customers = wanted.get(key, (0, {}, {}))
        amounts = +collections.Counter(amounts)
        values = entry["values"]
        good = (rows > 0 and entry["kind"] == "window" and entry["rows"] == values["orders"] == rows
                and micros(entry["window_end"]) == key[0] + MINUTE
                and decimal.Decimal(values["sum_amount"]) == sum(amount * n for amount, n in amounts.items())
                and decimal.Decimal(values["min_amount"]) == min(amounts)
                and decimal.Decimal(values["max_amount"]) == max(amounts)
                and values["customers"] == len(+collections.Counter(customers)))
        if not good:
            wrong.append((entry, rows))
    checks.that(not wrong, f"{what}: every entry is what its rows come to", wrong[:2])
    checks.that(seen == wanted.keys() and len(parts["entry"]) == len(seen), f"{what}: every group is there, once",
                f"{len(seen)} of {len(wanted)}")


def stopped(checks, shards, found):
    for mode in ("append", "changelog"):
        job = JobFolder(checks.tidemark, shards, mode=mode, interval="100ms", source_options='read_limit = "2500/s"')
        before = checks.run("state", "ls", "job.toml", cwd=job.path)
        checks.ended(before, 74, ["there is no state in", "run the job first"], "state ls before the first run")
        stop_midway(checks, job, 2)
        files = sorted(path.name for path in (job.path / "state" / "db").iterdir())
        parts = exported(checks, job)
        wanted = books(found, parts["split"], mode == "changelog")
        checks.that(len(parts["split"]) == 4 and len(wanted) > 20, f"{mode}: stopped with open windows", len(wanted))
        windows_are_the_books(checks, mode, parts, wanted)
        operator = parts["operator"][0]
        checks.equal(operator["aggregate"], "totals", f"{mode}: the operator")
        ways_to_get(checks, job, parts)
        summary_and_size(checks, job, parts)
        checks.equal(sorted(path.name for path in (job.path / "state" / "db").iterdir()), files,
                     f"{mode}: looking changes no files")
        refusals(checks, job)
        checks.equal(job.run().returncode, 0, f"{mode}: the job goes on after it was looked at")
        done = look(checks, job, "get", "job.toml", "--format", "ndjson")
        checks.equal(done.stdout, "", f"{mode}: a finished job has no entries")
        checks.holds(done.stderr, ["0 entries", "the job has finished"], f"{mode}: and says so")


def ways_to_get(checks, job, parts):
    entries = parts["entry"]
    lines = look(checks, job, "get", "job.toml").stdout.splitlines()
    checks.equal(len(lines), len(entries) + 1, "text has a head and a line per entry")
    checks.holds(lines[0], ["KIND", "START", "END", "ROWS", "KEY", "VALUES"], "the head")
    first = entries[0]
    region = first["key"]["region"] or "NULL"
    checks.holds(lines[1], ["window ", first["window_end"], f"region={region} |", f"orders={first['values']['orders']} ",
                            f"sum_amount={first['values']['sum_amount']}"], "the first line")

    def got(*arguments):
        done = look(checks, job, "get", "job.toml", "--aggregate", "totals", "--format", "ndjson", *arguments)
        return [json.loads(line) for line in done.stdout.splitlines()]

    checks.equal(got(), entries, "get gives what export gives")
    checks.equal(got("--limit", "3"), entries[:3], "--limit")
    end = first["window_end"]
    checks.equal(got("--window", end), [one for one in entries if one["window_end"] == end], "--window")
    some = next(one["key"]["region"] for one in entries if one["key"]["region"] is not None)
    for name, value in ((f"region={some}", some), ("region", None)):
        checks.equal(got("--key", name), [one for one in entries if one["key"]["region"] == value], f"--key {name}")
    checks.that(any(one["key"]["region"] is None for one in entries), "there are keys that are NULL")
    look(checks, job, "export", "job.toml", "--output", "all.ndjson")
    written = (job.path / "all.ndjson").read_text()
    checks.equal(written, look(checks, job, "export", "job.toml").stdout, "--output has what standard output gets")
    checks.that(not (job.path / "all.ndjson.part").exists(), "and nothing else is left")


def summary_and_size(checks, job, parts):
    summary = json.loads(look(checks, job, "ls", "job.toml", "--format", "json").stdout)
    checks.equal(summary["epoch"], parts["epoch"][0]["epoch"], "ls: the epoch")
    checks.equal([{"type": "split", **one} for one in summary["splits"]], parts["split"], "ls: the splits")
    panes = summary["aggregates"][0]["panes"]
    checks.equal([pane["end"] for pane in panes], sorted({one["window_end"] for one in parts["entry"]}, key=micros),
                 "ls: the panes")
    checks.that(all(not pane["given"] and pane["base"]["pages"] == pane["key_groups"] > 0 for pane in panes),
                "ls: panes are open, and every key group has its base", panes[:2])
    text = look(checks, job, "ls", "job.toml").stdout
    checks.holds(text, [f"job orders: epoch {summary['epoch']} of ", "; the job does not run", "binlog.0000",
                        f"aggregate totals: watermark {summary['aggregates'][0]['watermark']}, {len(panes)} panes",
                        "late store: 0 rows", "sink out (file"], "ls: text")
    size = json.loads(look(checks, job, "size", "job.toml", "--format", "json").stdout)
    totals = size["aggregates"][0]
    checks.equal((totals["entries"], totals["panes"]), (len(parts["entry"]), len(panes)), "size: entries and panes")
    pages = sum(pane[kind]["pages"] for pane in panes for kind in ("base", "delta"))
    families = {one["family"]: one for one in size["families"]}
    checks.equal(families["panes"]["entries"], pages, "size: pages")
    checks.that(sum(one["bytes"] for one in size["files"]) > families["panes"]["bytes"] > totals["base"]["bytes"] > 0,
                "size: bytes", size)
    checks.holds(look(checks, job, "size", "job.toml").stdout, ["FAMILY", "AGGREGATE", "totals", "bytes on disk"],
                 "size: text")


def refusals(checks, job):
    for arguments, code, parts in (
            (("get", "--aggregate", "total"), 78, ["--aggregate total", "did you mean `totals`"]),
            (("get", "--key", "regoin=eu"), 78, ["aggregate totals has no key `regoin`", "did you mean `region`"]),
            (("get", "--window", "noon"), 78, ["--window noon: not a time"]),
            (("get", "--limit", "some"), 64, ["--limit"]),
            (("export", "--aggregate", "x"), 78, ["--aggregate x"]),
            (("export", "--output", "job.toml/all"), 69, ["job.toml"])):
        done = checks.run("state", arguments[0], "job.toml", *arguments[1:], cwd=job.path)
        checks.ended(done, code, parts, f"state {' '.join(arguments)}")
    text = (job.path / "job.toml").read_text()
    job.edit(('size = "1m"', 'size = "2m"'))
    done = checks.run("state", "get", "job.toml", cwd=job.path)
    checks.ended(done, 74, ["aggregate totals was changed", "tumbling window of 1m", "tumbling window of 2m"],
                 "a changed window")
    checks.equal(done.stdout, "", "nothing is shown under another meaning")
    look(checks, job, "ls", "job.toml")
    (job.path / "job.toml").write_text(text.replace('name = "orders"', 'name = "others"'))
    for command in ("ls", "get", "size", "export"):
        done = checks.run("state", command, "job.toml", cwd=job.path)
        checks.ended(done, 74, ["holds the state of job `orders`, not `others`"], f"state {command} of another job")
    (job.path / "job.toml").write_text(text)


def other_windows(checks, shards, found):
    job = JobFolder(checks.tidemark, shards, interval="100ms", source_options='read_limit = "2500/s"')
    job.edit(('type = "tumbling", size = "1m"', 'type = "sliding", size = "3m", slide = "1m"'))
    stop_midway(checks, job, 2)
    parts = exported(checks, job)
    checks.that(all(one["kind"] == "slice" for one in parts["entry"]), "sliding windows: entries are slices")
    for entry in parts["entry"]:
        entry["kind"] = "window"
    windows_are_the_books(checks, "sliding", parts, books(found, parts["split"], False))

    job = JobFolder(checks.tidemark, shards, mode="changelog", interval="100ms",
                    source_options='read_limit = "2500/s"')
    job.edit(('type = "tumbling", size = "1m"', 'type = "session", gap = "2s"'))
    stop_midway(checks, job, 2)
    parts = exported(checks, job)
    rows = sum(group[0] for group in books(found, parts["split"], True).values())
    entries = collections.defaultdict(list)
    for one in parts["entry"]:
        entries[one["key"]["region"]].append((micros(one["window_start"]), micros(one["window_end"]), one))
    checks.that(all(one["kind"] == "session" for one in parts["entry"]), "sessions: entries are sessions")
    checks.equal(sum(one["values"]["orders"] for one in parts["entry"]), rows, "sessions: every row is in one")
    checks.that(len(parts["entry"]) > len(entries) > 1, "sessions: there are several", len(parts["entry"]))
    checks.that(all(a[1] < b[0] for of in entries.values() for a, b in zip(sorted(of, key=lambda one: one[0]),
                                                                          sorted(of, key=lambda one: one[0])[1:])),
                "sessions: none of a key touch")


def while_it_runs(checks, shards, found):
    job = JobFolder(checks.tidemark, shards, interval="50ms", source_options='read_limit = "1500/s"')
    process = job.start()
    end = time.monotonic() + 20
    while time.monotonic() < end and checks.run("state", "ls", "job.toml", cwd=job.path).returncode != 0:
        time.sleep(0.05)
    looks = []
    for _ in range(8):
        parts = exported(checks, job)
        windows_are_the_books(checks, "running", parts, books(found, parts["split"], False))
        checks.equal(sum(one["rows"] for one in parts["entry"]), parts["operator"][0]["rows_aggregated"],
                     "running: entries and counters are of one epoch")
        looks.append((parts["epoch"][0]["epoch"], parts["operator"][0]["rows_aggregated"]))
        time.sleep(0.1)
    checks.that(looks == sorted(looks) and looks[-1] > looks[0], "running: epochs and rows only become more", looks)
    text = look(checks, job, "ls", "job.toml").stdout
    checks.holds(text, [f"the job runs (process {process.pid})"], "running: ls says so")
    look(checks, job, "size", "job.toml")
    checks.that(process.poll() is None, "the job goes on meanwhile")
    job.stop(process, signal.SIGTERM)
    checks.equal(process.returncode, 0, "and stops cleanly")


def main():
    checks = Checks(sys.argv[1])
    shards = pathlib.Path(sys.argv[2]).resolve() / "orders-mysql-9.7"
    found = changes(checks, shards)
    stopped(checks, shards, found)
    other_windows(checks, shards, found)
    while_it_runs(checks, shards, found)
    checks.close()


if __name__ == "__main__":
    main()
