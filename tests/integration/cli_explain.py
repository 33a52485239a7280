#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# `tidemark explain` as its users see it, over the orders shards: which columns are decoded, that the same numbers stand
# in text and JSON, graphs, the columns of single components, results as `run` really writes them, and a source whose
# files are not there.
#   cli_explain.py TIDEMARK CORPUS_FOLDER

import json
import re
import sys

from checks import Checks
from job_folder import JobFolder

DECODED = ["customer_id", "region", "amount", "qty", "created_at"]
TRANSFORM = """[transforms.large]
type = "map"
inputs = ["orders"]
where = '''region <> 'the "none"'
  and amount > 10'''
[transforms.large.set]
tax = "amount * 0.19"
[aggregates.totals]
inputs = ["large"]
"""


def whole_plan(checks, folder):
    done = checks.run("explain", "job.toml", cwd=folder.path)
    checks.equal((done.returncode, done.stderr), (0, ""), "explain: exit code, no findings")
    checks.holds(done.stdout, [
        f"decoded: {len(DECODED)} of 8 columns: {', '.join(DECODED)}\n", "shards: 4\n", "shard-01: ", "shop_01.orders_01",
        "tumbling windows of 1m", "more than 2h past that", "amount       decimal(18,4)\n",
        "up to 121 windows open at a time", "each result is final", "count_distinct(customer_id",
    ], "the plan in words")
    plan = json.loads(checks.run("explain", "job.toml", "--format", "json", cwd=folder.path).stdout)
    source, aggregate = plan["sources"][0], plan["aggregates"][0]
    checks.equal([column["name"] for column in source["decoded"]], DECODED, "JSON: decoded columns")
    checks.equal((source["columns"], len(source["shards"])), (8, 4), "JSON: columns and shards")
    checks.equal(aggregate["state"]["open"], 121, "JSON: windows open")
    checks.that(f"about {aggregate['state']['bytes_per_group']} B per group and window" in done.stdout,
                "text and JSON say the same of state", aggregate["state"])
    checks.that(any(kept["keeps"] for kept in aggregate["kept"] if kept["column"] == "customers"),
                "what grows with the rows is said", aggregate["kept"])
    return plan


def as_run_writes(checks, folder, plan):
    done = folder.run()
    checks.equal(done.returncode, 0, f"the job runs: {done.stderr}")
    row = json.loads(folder.results.read_text().splitlines()[0])
    checks.equal(list(row), [column["name"] for column in plan["aggregates"][0]["gives"]],
                 "results have the columns that were told")
    checks.equal(list(row), plan["sinks"][0]["columns"], "and so has the sink")


def graphs(checks, folder):
    folder.edit(("[aggregates.totals]\ninputs = [\"orders\"]\n", TRANSFORM))
    dot = checks.run("explain", "job.toml", "--format", "dot", cwd=folder.path)
    checks.equal(dot.returncode, 0, f"dot: {dot.stderr}")
    checks.holds(dot.stdout, ['digraph "orders" {', r"where region <> 'the \"none\"'\l  and amount > 10\l", "n0 -> n1;",
                              "n1 -> n2;", "n2 -> n3;"], "dot")
    unescaped = re.sub(r'"(?:[^"\\\n]|\\.)*"', "", dot.stdout)
    checks.that('"' not in unescaped, "dot: every quote is closed on its line", unescaped)
    mermaid = checks.run("explain", "job.toml", "--format", "mermaid", cwd=folder.path).stdout
    checks.holds(mermaid, ["flowchart LR\n", "#34;none#34;'<br/>", "n0 --> n1\n", "n2 --> n3\n"], "mermaid")
    checks.that(all(line.count('"') in (0, 2) for line in mermaid.splitlines()), "mermaid: quotes", mermaid)


def schemas(checks, folder):
    def of(name, *more):
        return checks.run("explain", "job.toml", "--schema", name, *more, cwd=folder.path)
    checks.holds(of("orders").stdout, ["source orders gives:", "amount", "decimal(18,4)"], "a source's columns")
    checks.holds(of("large").stdout, ["transform large gives:", "tax", "= amount * 0.19"], "a transform's columns")
    gives = json.loads(of("totals", "--format", "json").stdout)["gives"][0]["columns"]
    checks.equal([column["name"] for column in gives][:3], ["window_start", "window_end", "region"],
                 "an aggregate's columns as JSON")
    wrong = of("total")
    checks.ended(wrong, 78, ["did you mean totals?"], "a component that is not there")
    checks.ended(of("orders", "--format", "dot"), 78, ["text and as JSON"], "a schema is no graph")


def without_files(checks, folder):
    folder.edit(("/shard-*", "/no-such-*"))
    done = checks.run("explain", "job.toml", cwd=folder.path)
    checks.equal(done.returncode, 0, "files that are not there are no error")
    checks.holds(done.stdout, ["not known:", "no-such-*", "more than 2h past that", "tax  (type not known) = amount * 0.19"],
                 "what is not known is said, the rest is there")
    checks.that("decoded" not in done.stdout.replace("are decoded", ""), "no numbers are made up", done.stdout)
    folder.edit(("sum(amount)", "sum(amount"))
    checks.ended(checks.run("explain", "job.toml", cwd=folder.path), 78, ["close this parenthesis"], "a wrong job")


def main():
    tidemark, corpus = sys.argv[1:]
    checks = Checks(tidemark)
    folder = JobFolder(tidemark, corpus)
    plan = whole_plan(checks, folder)
    as_run_writes(checks, folder, plan)
    graphs(checks, folder)
    schemas(checks, folder)
    without_files(checks, folder)
    checks.close()


if __name__ == "__main__":
    main()
