#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Aggregates of aggregates over one orders corpus in changelog mode, against SQL over the rows that are left on the
# servers at the end: totals per minute and region, per hour and region over those, and a global maximum over both.
# Results are the same bytes with 1, 2 and 4 workers; with results before their windows end, which are corrected again
# and again, the last ones are right, and so they are after a few SIGKILLs with changing numbers of workers. After
# SIGKILLs results at the windows' end are the bytes of an undisturbed run.
#   orders_chained.py TIDEMARK CORPUS_FOLDER FOLDER_OF_FINAL_ROWS

import datetime
import decimal
import json
import signal
import sqlite3
import sys
import time

from job_folder import JobFolder
from orders_windows import load, to_ms

KILLS = 6
RATE = 1200  # changes per second and shard, so that the last kill comes before the end
AFTER = """
[transforms.known]
type = "map"
inputs = ["totals"]
where = "orders > 1"
set = {{ twice = "sum_amount * 2", place = "COALESCE(region, 'nowhere')" }}
[aggregates.hours]
inputs = ["totals"]
key_by = ["region"]
window = {{ type = "tumbling", size = "1h" }}
{emit}
[aggregates.hours.columns]
minutes = "count()"
orders = "sum(orders)"
amount = "sum(sum_amount)"
most = "max(orders)"
largest = "max(max_amount)"
quantity = "sum(sum_qty)"
[aggregates.places]
inputs = ["known"]
key_by = ["place"]
window = {{ type = "sliding", size = "2h", slide = "1h" }}
{emit}
[aggregates.places.columns]
minutes = "count()"
twice = "max(twice)"
[aggregates.peak]
inputs = ["hours"]
window = {{ type = "global" }}
emit = "{peak}"
[aggregates.peak.columns]
hours = "count()"
regions = "count(distinct region)"
orders = "sum(orders)"
amount = "max(amount)"
largest = "max(largest)"
until = "max(window_end)"
"""
MINUTES = """CREATE TABLE minutes AS SELECT at - at % 60000 AS wstart, region, count(*) AS orders, sum(amount) AS amount,
  max(amount) AS largest, sum(qty) AS qty FROM rows GROUP BY 1, 2"""
HOURS = """CREATE TABLE hours AS SELECT wstart - wstart % 3600000 AS hstart, region, count(*) AS minutes,
  sum(orders) AS orders, sum(amount) AS amount, max(orders) AS most, max(largest) AS largest, sum(qty) AS quantity
  FROM minutes GROUP BY 1, 2"""
PLACES = """SELECT wstart - wstart % 3600000 - back * 3600000, coalesce(region, 'nowhere'), count(*), max(amount * 2)
  FROM minutes, (SELECT 0 AS back UNION SELECT 1) WHERE orders > 1 GROUP BY 1, 2"""
PEAK = "SELECT count(*), count(DISTINCT region), sum(orders), max(amount), max(largest), max(hstart) + 3600000 FROM hours"


def ms(text):
    return None if text is None else to_ms(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")))


def units(text):
    return None if text is None else int(decimal.Decimal(text) * 10_000)


def whole(value):
    return None if value is None else int(value)


def truth(folder):
    database = sqlite3.connect(":memory:")
    load(database, folder)
    database.execute(MINUTES)
    database.execute(HOURS)
    return {"totals": {row[:2]: row[2:] for row in database.execute("SELECT * FROM minutes")},
            "hours": {row[:2]: row[2:] for row in database.execute("SELECT * FROM hours")},
            "places": {row[:2]: row[2:] for row in database.execute(PLACES)},
            "peak": {(None,): database.execute(PEAK).fetchone()}}


def last_lines(path):
    """The last result of each window and key; retracted ones are not there."""
    out = {}
    for text in path.read_text().splitlines():
        line = json.loads(text)
        place = (line["window_start"], line.get("region"), line.get("place"))
        if "kind" not in line and place in out:
            sys.exit(f"{path.name}: {place} has two results")
        out[place] = line
    return [line for line in out.values() if line.get("kind") != "retraction"]


def results(job):
    lines = {name: last_lines(job.path / f"{name}.ndjson") for name in ("totals", "hours", "places", "peak")}
    return {
        "totals": {(ms(line["window_start"]), line["region"]):
                   (line["orders"], units(line["sum_amount"]), units(line["max_amount"]), whole(line["sum_qty"]))
                   for line in lines["totals"]},
        "hours": {(ms(line["window_start"]), line["region"]):
                  (line["minutes"], int(line["orders"]), units(line["amount"]), line["most"], units(line["largest"]),
                   whole(line["quantity"])) for line in lines["hours"]},
        "places": {(ms(line["window_start"]), line["place"]): (line["minutes"], units(line["twice"]))
                   for line in lines["places"]},
        "peak": {(line["window_start"],): (line["hours"], line["regions"], int(line["orders"]), units(line["amount"]),
                                           units(line["largest"]), ms(line["until"])) for line in lines["peak"]}}


def new_job(tidemark, corpus, workers, early=False, mode="changelog", **options):
    job = JobFolder(tidemark, corpus, mode=mode, workers=workers, **options)
    text = AFTER.format(emit='emit = "on_update"' if early else "", peak="on_update" if early else "on_close")
    sinks = "".join(f'[sinks.{name}_out]\ntype = "file"\ninputs = ["{name}"]\npath = "{name}.ndjson"\n'
                    for name in ("hours", "places", "peak"))
    job.edit(("[sinks.out]", text + sinks + "[sinks.out]"), ('path = "out.ndjson"', 'path = "totals.ndjson"'))
    job.results = job.path / "totals.ndjson"
    if early:
        job.edit(('emit = "on_close"\n[aggregates.totals.columns]', 'emit = "on_update"\n[aggregates.totals.columns]'))
    return job


def files(job):
    return {name: (job.path / f"{name}.ndjson").read_bytes() for name in ("totals", "hours", "places", "peak")}


def compare(what, found, right):
    for name, wanted in right.items():
        wrong = [place for place in wanted.keys() | found[name].keys() if wanted.get(place) != found[name].get(place)]
        for place in sorted(wrong, key=str)[:5]:
            print(f"{what}: {name}: {place}: {found[name].get(place)} instead of {wanted.get(place)}")
        if wrong or not wanted:
            sys.exit(f"{what}: {len(wrong)} of {len(wanted)} groups of {name} are wrong")


def finish(what, job):
    done = job.run()
    if done.returncode != 0:
        sys.exit(f"{what}: exit code {done.returncode}: {done.stderr}")


def killed(what, tidemark, corpus, **options):
    """Killed a few times on the way, each time with another number of workers."""
    job = new_job(tidemark, corpus, 1, interval="20ms", source_options=f'read_limit = "{RATE}/s"', **options)
    resumed, grown = 0, set()
    for kill in range(KILLS):
        process = job.start()
        time.sleep(0.6)
        resumed += "resumed from epoch" in job.stop(process, signal.SIGKILL)
        grown.add(sum(len(one) for one in files(job).values()))
        if process.returncode != -signal.SIGKILL:
            sys.exit(f"{what}: the job ended before kill {kill + 1}")
        job.edit((f"parallelism = {1 + kill % 4}\n", f"parallelism = {1 + (kill + 1) % 4}\n"))
    if resumed < KILLS - 2 or len(grown) < KILLS - 2:
        sys.exit(f"{what}: resumed after {resumed} of {KILLS} kills, with {grown} bytes: too few to say anything")
    job.edit((f'read_limit = "{RATE}/s"\n', ""))
    finish(what, job)
    return job


def main():
    tidemark, corpus, finals = sys.argv[1:4]
    right = truth(finals)
    undisturbed = None
    for workers in (1, 2, 4):
        job = new_job(tidemark, corpus, workers)
        finish(f"{workers} workers", job)
        compare(f"{workers} workers", results(job), right)
        undisturbed = undisturbed or files(job)
        if files(job) != undisturbed:
            sys.exit(f"the bytes differ between 1 and {workers} workers")
        early = new_job(tidemark, corpus, workers, early=True)
        finish(f"{workers} workers, early results", early)
        compare(f"{workers} workers, early results", results(early), right)
    early = killed("killed, early results", tidemark, corpus, early=True)
    compare("killed, early results", results(early), right)
    inserts = {"mode": "append", "bound": "30s"}  # whose results begin to come soon
    whole = new_job(tidemark, corpus, 2, **inserts)
    finish("inserts", whole)
    if files(killed("killed", tidemark, corpus, **inserts)) != files(whole):
        sys.exit("killed: the bytes are not those of an undisturbed run")
    print(f"{', '.join(f'{len(groups)} {name}' for name, groups in right.items())}: right, same bytes with 1, 2 and 4 "
          f"workers and after {KILLS} kills")


if __name__ == "__main__":
    main()
