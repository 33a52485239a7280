#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# `tidemark test` as its users see it: the shipped example passes; failures with their place and difference; filters,
# JSON and exit codes; mistakes in tests, which `tidemark check` finds too; columns from the input where it is there.
#   cli_test.py TIDEMARK EXAMPLES_FOLDER CORPUS_FOLDER

import json
import pathlib
import sys
import tempfile
import time

from checks import Checks, findings

JOB = """[job]
name = "tested"
[sources.orders]
type = "binlog_file"
shards = ["{shards}"]
tables = ["shop_*.orders_*"]
[sources.orders.watermark]
field = "created_at"
[aggregates.totals]
inputs = ["orders"]
key_by = ["region"]
window = {{ type = "tumbling", size = "1m" }}
[aggregates.totals.columns]
orders = "count()"
[sinks.out]
type = "stdout"
inputs = ["totals"]
"""
CHAINED = """
[aggregates.totals]
inputs = ["orders"]
key_by = ["region"]
window = { type = "tumbling", size = "1m" }
allowed_lateness = "1h"
[aggregates.totals.columns]
orders = "count()"
amount = "sum(amount)"
[transforms.busy]
type = "map"
inputs = ["totals"]
where = "orders > 1"
set = { mean = "amount / orders" }
[aggregates.hours]
inputs = ["busy"]
window = { type = "tumbling", size = "1h" }
[aggregates.hours.columns]
minutes = "count()"
most = "max(orders)"
amount = "sum(amount)"
mean = "max(mean)"
[aggregates.regions]
inputs = ["totals"]
key_by = ["region"]
window = { type = "global" }
emit = "on_update"
[aggregates.regions.columns]
orders = "sum(orders)"
[sinks.out]
type = "stdout"
inputs = ["hours"]
[sinks.all]
type = "file"
path = "all.ndjson"
inputs = ["regions"]
[[tests]]
name = "results of results"
steps = [
  { rows = [
    { created_at = 2026-01-01T00:00:10Z, region = "eu", amount = 1.5 },
    { created_at = 2026-01-01T00:00:20Z, region = "eu", amount = 2.5 },
    { created_at = 2026-01-01T00:30:20Z, region = "eu", amount = 9 },
    { created_at = 2026-01-01T00:59:20Z, region = {}, amount = 3 },
    { created_at = 2026-01-01T00:59:40Z, region = {}, amount = 4 },
  ] },
  { watermark = 2026-01-01T01:00:30Z },
  { rows = [ { created_at = 2026-01-01T00:59:20Z, region = {}, amount = 5 } ] },
]
expect.totals = [
  { region = "eu", orders = 2, amount = 4, kind = "on_time" },
  { region = "eu", orders = 1, amount = 9 },
  { region = {}, orders = 2, amount = 7, kind = "on_time" },
  { region = {}, orders = 3, amount = 12, kind = "late", revision = 2 },
]
expect.hours = [ { window_start = 2026-01-01T00:00:00Z, minutes = 2, most = 2, amount = 11, mean = 3.5 } ]
expect.all = [
  { region = "eu", orders = 2, kind = "early" },
  { region = "eu", orders = 3, kind = "early" },
  { region = {}, orders = 2, kind = "early" },
  { region = {}, orders = 3, kind = "early" },
  { region = "eu", orders = 3, kind = "on_time" },
  { region = {}, orders = 3, kind = "on_time" },
]
expect.late = [
  { source = "totals", reason = "too_late", event_time = 2026-01-01T00:59:59.999999Z, count = 2, lateness = "30s1us" },
]
"""
CLOCK = """
[aggregates.totals]
inputs = ["orders"]
key_by = ["region"]
window = { type = "tumbling", size = "1m" }
emit = { early = { every = "10s" } }
[aggregates.totals.columns]
orders = "count()"
amount = "sum(amount)"
[aggregates.sizes]
inputs = ["totals"]
key_by = ["orders"]
window = { type = "tumbling", size = "10m" }
emit = "on_update"
[aggregates.sizes.columns]
regions = "count()"
amount = "sum(amount)"
[aggregates.plain]
inputs = ["orders"]
key_by = ["region"]
window = { type = "tumbling", size = "1m" }
[aggregates.plain.columns]
orders = "count()"
[aggregates.arrived]
inputs = ["plain"]
window = { type = "tumbling", size = "5m", time = "processing" }
[aggregates.arrived.columns]
orders = "sum(orders)"
last = "max(window_end)"
[sinks.out]
type = "stdout"
inputs = ["sizes"]
[sinks.out3]
type = "stdout"
inputs = ["arrived"]
[[tests]]
name = "early by the clock"
end = false
steps = [
  { rows = [
    { created_at = 2026-01-01T00:00:10Z, region = "eu", amount = 1.5 },
    { created_at = 2026-01-01T00:00:20Z, region = "eu", amount = 2.5 },
    { created_at = 2026-01-01T00:00:20Z, region = "us", amount = 2.5 } ] },
  { silence = "11s" },
  { rows = [
    { op = "delete", created_at = 2026-01-01T00:00:20Z, region = "us", amount = 2.5 },
    { op = "insert", created_at = 2026-01-01T00:00:20Z, region = "eu", amount = 2.5 } ] },
  { silence = "11s" },
  { rows = [ { op = "insert", created_at = 2026-01-01T00:02:20Z, region = "eu", amount = 9 } ] },
  { silence = "6m" },
]
expect.totals = [
  { region = "eu", orders = 2, kind = "early" },
  { region = "us", orders = 1, kind = "early" },
  { region = "us", kind = "retraction" },
  { region = "eu", orders = 3, kind = "early", revision = 2 },
  { region = "eu", orders = 3, kind = "on_time" },
  { region = "eu", orders = 1, amount = 9, kind = "early" },
]
expect.sizes = [
  { orders = 2, regions = 1, amount = 4, kind = "early" },
  { orders = 1, regions = 1, amount = 2.5, kind = "early" },
  { orders = 2, kind = "retraction" },
  { orders = 1, kind = "retraction" },
  { orders = 3, regions = 1, amount = 6.5, revision = 1, kind = "early" },
  { orders = 3, regions = 1, amount = 6.5, revision = 2, kind = "early" },
  { orders = 1, regions = 1, amount = 9, revision = 3, kind = "early" },
]
expect.arrived = [ { orders = 3, last = 2026-01-01T00:01:00Z } ]
expect.late = []
"""
TEST = """[[tests]]
name = "{name}"
steps = [ {{ rows = [ {{ created_at = 2026-01-01T00:00:10Z, region = "eu" }} ] }} ]
expect.totals = [ {{ {expected} }} ]
"""


def job(*tests, shards="nothing/here-*"):
    return JOB.format(shards=shards) + "".join(TEST.format(name=name, expected=expected) for name, expected in tests)


def run(checks, folder, text, *arguments):
    (folder / "job.toml").write_text(text)
    return checks.run(*arguments, cwd=folder)


def check_examples(checks, examples):
    begin = time.monotonic()
    done = checks.run("test", "tests.toml", cwd=examples)
    checks.equal(done.returncode, 0, "the example passes")
    checks.that(done.stdout.endswith(" 0 failed\n") and done.stderr == "", "what it says", done.stdout + done.stderr)
    checks.that(time.monotonic() - begin < 5, "40 minutes of silence take no time", time.monotonic() - begin)
    checks.equal(checks.run("check", "tests.toml", cwd=examples).returncode, 0, "check has nothing against it")


def check_results(checks, folder):
    two = job(("right", "orders = 1"), ("wrong", 'region = "eu", orders = 2'))
    done = run(checks, folder, two, "test", "job.toml")
    checks.equal(done.returncode, 1, "a test that fails")
    checks.holds(done.stdout, ["ok     right\n", "FAILED wrong\n", "note: orders: expected 2, is 1\n",
                               "2 tests: 1 passed, 1 failed\n"], "what is printed")
    place = two.splitlines().index('expect.totals = [ { region = "eu", orders = 2 } ]') + 1
    checks.holds(done.stdout, [f"job.toml:{place}:19: error[T001]: `totals` has no such result\n"], "where it stands")
    checks.equal(done.stdout, run(checks, folder, two, "test", "job.toml").stdout, "the same every time")

    filtered = run(checks, folder, two, "test", "job.toml", "--filter", "righ")
    checks.equal((filtered.returncode, filtered.stdout), (0, "ok     right\n1 test: 1 passed, 0 failed\n"), "a filter")
    none = run(checks, folder, two, "test", "job.toml", "--filter", "nothing")
    checks.ended(none, 0, ["no test has the filter's text"], "a filter that nothing passes")

    done = run(checks, folder, two, "test", "--format", "json", "job.toml")
    report = json.loads(done.stdout)
    checks.equal([(one["name"], one["status"]) for one in report["tests"]], [("right", "ok"), ("wrong", "failed")],
                 "JSON: status")
    finding = report["tests"][1]["findings"][0]
    checks.equal((finding["code"], finding["range"]["start"]), ("T001", {"line": place - 1, "character": 18}),
                 "JSON: findings")
    checks.that(list(folder.iterdir()) == [folder / "job.toml"], "nothing is written", list(folder.iterdir()))


def check_chained(checks, folder):
    """Aggregates of aggregates: what each gives, and which corrections of the first come too late for the second."""
    text = job().split("[aggregates.totals]")[0] + CHAINED
    done = run(checks, folder, text, "test", "job.toml")
    checks.equal((done.returncode, done.stdout), (0, "ok     results of results\n1 test: 1 passed, 0 failed\n"),
                 "results of results")
    clock = text.split("[sources.orders.watermark]")[0] + 'mode = "changelog"\n[sources.orders.watermark]\n' + (
        'field = "created_at"\nmax_out_of_orderness = "0s"\n') + CLOCK
    done = run(checks, folder, clock, "test", "job.toml")
    checks.equal((done.returncode, done.stdout), (0, "ok     early by the clock\n1 test: 1 passed, 0 failed\n"),
                 "results that the clock brings, and windows of the clock over results")
    done = run(checks, folder, text.replace("count = 2,", "count = 1,"), "test", "job.toml")
    checks.equal(done.returncode, 1, "another count of late results")
    checks.holds(done.stdout, ["too_late, aggregate hours, source totals, event time 2026-01-01T00:59:59.999999Z, late by "
                               "30s1us, region = NULL, orders = 2, amount = 7.0"], "late results are shown")
    done = run(checks, folder, text.replace('source = "totals"', 'source = "total"'), "check", "job.toml")
    checks.that("job.toml:" in done.stdout and "did you mean `totals`?" in done.stdout, "no such source", done.stdout)
    done = run(checks, folder, text.replace("max(orders)", "max(ordres)"), "test", "job.toml")
    checks.ended(done, 78, ["no column `ordres` in input `busy`", "did you mean `orders`?"], "a column that results lack")


def check_mistakes(checks, folder):
    wrong = job(("typo", "ordres = 1"))
    for command in ("test", "check"):
        done = run(checks, folder, wrong, command, "job.toml")
        checks.equal(done.returncode, 78, f"{command}: a wrong test")
        found = [one for one in findings(done.stdout + done.stderr) if one.severity == "error"]
        checks.equal([(one.code, one.marked, one.help) for one in found], [("F021", "ordres", "did you mean `orders`?")],
                     f"{command}: its finding")
    done = run(checks, folder, job(), "test", "job.toml")
    checks.ended(done, 0, ["the job has no [[tests]]"], "no tests")


def check_input(checks, folder, corpus):
    """Where the input is there, columns are its own."""
    shards = f"{corpus}/shard-*"
    done = run(checks, folder, job(("right", "orders = 1"), shards=shards), "test", "job.toml")
    checks.equal((done.returncode, done.stdout), (0, "ok     right\n1 test: 1 passed, 0 failed\n"), "with its input")
    typo = job(("right", "orders = 1"), shards=shards).replace('region = "eu"', 'regoin = "eu"')
    done = run(checks, folder, typo, "test", "job.toml")
    checks.ended(done, 78, ["no column `regoin` in `orders`", "did you mean `region`?"], "a column that it lacks")


def main():
    checks = Checks(sys.argv[1])
    check_examples(checks, pathlib.Path(sys.argv[2]))
    for check in (check_results, check_chained, check_mistakes):
        with tempfile.TemporaryDirectory() as folder:
            check(checks, pathlib.Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        check_input(checks, pathlib.Path(folder), pathlib.Path(sys.argv[3]).resolve())
    checks.close()


main()
