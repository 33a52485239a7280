#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# What a source cannot read in full: with on_bad_event = "fail" the job stops with place, cause and remedy (exit 65);
# with "set_aside" the rest is counted and each such change is in the late store with its reason, never a NULL in a
# result and never gone.
#   set_aside.py TIDEMARK CORPORA_FOLDER

import json
import pathlib
import subprocess
import sys
import tempfile

from checks import Checks
from live_mariadb import LiveMariadb

JOB = """
[job]
name = "aside"
[sources.rows]
type = "binlog_file"
shards = ["{file}"]
tables = ["{table}"]
mode = "{mode}"
on_bad_event = "{policy}"
[aggregates.totals]
inputs = ["rows"]
key_by = []
window = {{ type = "tumbling", size = "1d" }}
[aggregates.totals.columns]
rows = "count()"
{columns}
[sinks.out]
type = "file"
inputs = ["totals"]
path = "out.ndjson"
[state]
path = "state"
"""


class Job:
    def __init__(self, tidemark, file, table, mode, policy, columns=""):
        self.tidemark = tidemark
        self.temporary = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.temporary.name)
        text = JOB.format(file=file, table=table, mode=mode, policy=policy, columns=columns)
        (self.path / "job.toml").write_text(text)

    def edit(self, old, new):
        path = self.path / "job.toml"
        text = path.read_text()
        assert old in text, old
        path.write_text(text.replace(old, new))

    def call(self, *arguments):
        return subprocess.run([self.tidemark, *arguments], cwd=self.path, capture_output=True, text=True, timeout=120)

    def results(self):
        return [json.loads(line) for line in (self.path / "out.ndjson").read_text().splitlines()]

    def set_aside(self):
        done = self.call("late", "ls", "job.toml", "--format", "ndjson")
        return [json.loads(line) for line in done.stdout.splitlines()]


def statement_format(checks, tidemark, corpora):
    file = corpora / "variants" / "mariadb-10.11-statement-format.binlog"
    done = Job(tidemark, file, "s", "append", "fail").call("run", "job.toml")
    checks.equal(done.returncode, 65, "statement format with fail: exit code")
    checks.holds(done.stderr, [f"{file}:640:", "binlog_format", "on_bad_event"], "statement format: the message")

    job = Job(tidemark, file, "s", "append", "set_aside")
    done = job.call("run", "job.toml")
    checks.equal(done.returncode, 0, f"statement format set aside: exit code ({done.stderr})")
    aside = job.set_aside()
    checks.equal([(row["reason"], row["op"]) for row in aside], [("statement", "unread")] * len(aside), "reasons")
    checks.equal(len(aside) >= 2, True, f"each statement is kept ({len(aside)})")
    checks.holds(aside[0]["detail"], [f"{file}:640:", "insert into s"], "the first statement's text")
    counted = sum(row["rows"] for row in job.results())
    checks.equal(counted, 0, "no row is counted from statements")
    checks.holds(done.stderr, [f"{len(aside)} set aside"], "the summary counts them")
    text = job.call("late", "ls", "job.toml").stdout
    checks.holds(text, ["statement", "unread", "insert into s"], "late ls as text")


def missing_columns(checks, tidemark, corpora, name, columns, variable):
    """Row images that lack a column which the job needs, or documents that cannot be made."""
    file = corpora / "variants" / name
    what = f"{name}, {columns}"
    done = Job(tidemark, file, "j", "changelog", "fail", columns).call("run", "job.toml")
    checks.equal(done.returncode, 65, f"{what} with fail: exit code ({done.stderr})")
    checks.holds(done.stderr, [f"{file}:", "v.j", variable, "on_bad_event"], f"{what}: the message")

    job = Job(tidemark, file, "j", "changelog", "set_aside", columns)
    done = job.call("run", "job.toml")
    checks.equal(done.returncode, 0, f"{what} set aside: exit code ({done.stderr})")
    aside = job.set_aside()
    checks.that(aside and all(row["reason"] in ("missing_column", "undecodable") for row in aside), f"{what}: reasons",
                aside)
    checks.holds(aside[0]["detail"], [f"{file}:", variable], f"{what}: detail")
    checks.that(all(row["one"] is not None for row in job.results() if row["rows"] > 0), f"{what}: no NULL made up",
                job.results())

    job = Job(tidemark, file, "j", "append", "fail", columns)
    done = job.call("run", "job.toml")
    checks.equal(done.returncode, 0, f"{what}, inserts alone need no image of updates ({done.stderr})")
    checks.equal(sum(row["rows"] for row in job.results()), 4, f"{what}: inserts, of them one by XA COMMIT")


def case_B06_event_time_of_zero(checks, tidemark):
    """A zero date as event time: the row is set aside with its reason, and the watermark does not move by it. A data
    directory of a server is a shard as it is."""
    with LiveMariadb() as server:
        server.run("SET sql_mode=''; CREATE DATABASE d; CREATE TABLE d.t (id INT, at DATETIME(6) NOT NULL);"
                   "INSERT INTO d.t VALUES (1,'2026-01-02 03:04:05.6'),(2,'0000-00-00'),(3,'2026-01-02 03:04:06');")
        server.stop()
        job = Job(tidemark, server.data, "d.t", "append", "fail")
        job.edit('tables = ["d.t"]', 'tables = ["d.t"]\nwatermark = { field = "at" }')
        done = job.call("run", "job.toml")
        checks.equal(done.returncode, 0, f"B06: exit code ({done.stderr})")
        aside = job.set_aside()
        checks.equal([row["reason"] for row in aside], ["no_event_time"], "B06: one row is set aside")
        results = job.results()
        checks.equal([(row["window_start"], row["rows"]) for row in results], [("2026-01-02T00:00:00Z", 2)],
                     "B06: the others count, in their day")


def main():
    tidemark = str(pathlib.Path(sys.argv[1]).resolve())
    corpora = pathlib.Path(sys.argv[2]).resolve()
    checks = Checks(tidemark)
    statement_format(checks, tidemark, corpora)
    case_B06_event_time_of_zero(checks, tidemark)
    for name in ("mariadb-10.11-minimal-image-xa.binlog", "mysql-9.7-partial-json-minimal-image-xa.binlog"):
        missing_columns(checks, tidemark, corpora, name, 'one = "max(n)"', "binlog_row_image")
    missing_columns(checks, tidemark, corpora, name, 'one = "count(doc)"', "binlog_row_")
    checks.close()


if __name__ == "__main__":
    main()
