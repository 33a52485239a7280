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
    for check in (check_results, check_mistakes):
        with tempfile.TemporaryDirectory() as folder:
            check(checks, pathlib.Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        check_input(checks, pathlib.Path(folder), pathlib.Path(sys.argv[3]).resolve())
    checks.close()


main()
