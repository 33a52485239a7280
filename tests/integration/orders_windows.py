#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Windows of every kind over one orders corpus in changelog mode, against SQL: SQLite computes each window from the
# rows that are left on the servers at the end. Sliding, cumulative, session and daily windows in zones with half hours
# and with daylight saving; results are the same bytes with 1, 2 and 4 workers.
#   orders_windows.py TIDEMARK CORPUS_FOLDER FOLDER_OF_FINAL_ROWS

import csv
import datetime
import decimal
import json
import sqlite3
import sys
import zoneinfo

from job_folder import JobFolder

MINUTE = 60_000
DAY = 86_400_000
COLUMNS = """
orders = "count()"
sum_amount = "sum(amount)"
min_amount = "min(amount)"
max_amount = "max(amount)"
customers = "count_distinct(customer_id)"
sum_qty = "sum(qty)"
count_qty = "count(qty)"
paid = "count() filter (where status = 'paid')"
paid_amount = "sum(amount) filter (where status = 'paid')"
amounts = "string_agg(CASE WHEN amount > 4900 THEN amount END, ' ')"
spread = "max(amount) - min(amount)"
"""
# Amounts in ten-thousandths, so that SQLite's integers are exact.
VALUES = """count(*), sum(amount), min(amount), max(amount), count(DISTINCT customer), sum(qty), count(qty),
  sum(status = 'paid'), sum(CASE WHEN status = 'paid' THEN amount END),
  (SELECT group_concat(x, ' ') FROM (SELECT amount AS x FROM placed AS inner_rows WHERE inner_rows.wstart = placed.wstart
     AND inner_rows.wend = placed.wend AND inner_rows.key IS placed.key AND amount > 49000000 ORDER BY amount)),
  max(amount) - min(amount)"""
NAMES = ("orders", "sum_amount", "min_amount", "max_amount", "customers", "sum_qty", "count_qty", "paid", "paid_amount",
         "amounts", "spread")
AMOUNTS = {"sum_amount", "min_amount", "max_amount", "paid_amount", "spread"}

SLIDING = """SELECT at - at % {m} - k.n * {m} AS wstart, at - at % {m} - k.n * {m} + 5 * {m} AS wend, region AS key, rows.*
  FROM rows, (SELECT 0 AS n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4) AS k""".format(m=MINUTE)
CUMULATIVE = """WITH RECURSIVE step(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM step WHERE n < 6)
  SELECT at - at % (30 * {m}) AS wstart, at - at % (30 * {m}) + step.n * 5 * {m} AS wend, region AS key, rows.*
  FROM rows, step WHERE at < at - at % (30 * {m}) + step.n * 5 * {m}""".format(m=MINUTE)
SESSION = """SELECT min(at) OVER s AS wstart, max(at) OVER s + 30000 AS wend, customer AS key, numbered.*
  FROM (SELECT *, sum(begins) OVER (PARTITION BY customer ORDER BY at, shard, id ROWS UNBOUNDED PRECEDING) AS number
        FROM (SELECT *, at - lag(at, 1, -100000000) OVER (PARTITION BY customer ORDER BY at, shard, id) > 30000 AS begins
              FROM rows)) AS numbered
  WINDOW s AS (PARTITION BY customer, number)"""
DAILY = "SELECT days.wstart, days.wend, region AS key, rows.* FROM rows JOIN days ON at >= days.wstart AND at < days.wend"


def windows():
    yield "sliding", 'type = "sliding", size = "5m", slide = "1m"', "region", SLIDING, None
    yield "cumulative", 'type = "cumulative", max_size = "30m", step = "5m"', "region", CUMULATIVE, None
    yield "session", 'type = "session", gap = "30s"', "customer_id", SESSION, None
    for zone in ("Asia/Kolkata", "America/New_York"):
        yield zone, f'type = "tumbling", size = "1d", time_zone = "{zone}"', "region", DAILY, zone


def load(database, folder):
    database.execute("CREATE TABLE rows (shard INT, id INT, customer INT, region TEXT, status TEXT, amount INT, qty INT,"
                     " at INT)")
    for number in range(1, 5):
        with open(f"{folder}/final-rows-0{number}.tsv", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                at = datetime.datetime.fromisoformat(row["created_at"]).replace(tzinfo=datetime.timezone.utc)
                database.execute("INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                                 (number, int(row["id"]), int(row["customer_id"]), none(row["region"]), row["status"],
                                  int(decimal.Decimal(row["amount"]) * 10_000),
                                  None if row["qty"] == "NULL" else int(row["qty"]), to_ms(at)))


def none(text):
    return None if text == "NULL" else text


def to_ms(time):
    return round((time - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) / datetime.timedelta(milliseconds=1))


def local_days(zone):
    """Days of the zone around the corpus, as the standard library knows them."""
    info = zoneinfo.ZoneInfo(zone)
    first = datetime.date(2026, 3, 26)
    bounds = [to_ms(datetime.datetime.combine(first + datetime.timedelta(days=i), datetime.time(), info))
              for i in range(7)]
    return list(zip(bounds, bounds[1:]))


def truth(database, query, zone):
    database.execute("DROP TABLE IF EXISTS days")
    database.execute("CREATE TABLE days (wstart INT, wend INT)")
    database.executemany("INSERT INTO days VALUES (?, ?)", local_days(zone) if zone else [])
    database.execute("DROP TABLE IF EXISTS placed")
    database.execute(f"CREATE TABLE placed AS {query}")
    database.execute("CREATE INDEX by_window ON placed (wstart, wend)")
    out = {}
    for row in database.execute(f"SELECT wstart, wend, key, {VALUES} FROM placed GROUP BY wstart, wend, key"):
        values = dict(zip(NAMES, row[3:]))
        for name in AMOUNTS:
            values[name] = None if values[name] is None else decimal.Decimal(values[name]).scaleb(-4)
        if values["amounts"] is not None:
            values["amounts"] = " ".join(str(decimal.Decimal(x).scaleb(-4).quantize(decimal.Decimal("0.0001")))
                                         for x in str(values["amounts"]).split())
        out[row[:3]] = values
    return out


def results(job, key):
    out = {}
    for text in job.results.read_text().splitlines():
        line = json.loads(text)
        values = {name: line[name] for name in NAMES}
        for name in AMOUNTS | {"sum_qty"}:
            values[name] = None if values[name] is None else decimal.Decimal(values[name])
        place = tuple(to_ms(datetime.datetime.fromisoformat(line[name].replace("Z", "+00:00")))
                      for name in ("window_start", "window_end"))
        if (*place, line[key]) in out:
            sys.exit(f"{place}, {line[key]} has two results")
        out[(*place, line[key])] = values
    return out


def main():
    tidemark, corpus, finals = sys.argv[1:4]
    database = sqlite3.connect(":memory:")
    load(database, finals)
    for name, window, key, query, zone in windows():
        right = truth(database, query, zone)
        files = []
        for workers in (1, 2, 4):
            job = JobFolder(tidemark, corpus, mode="changelog", workers=workers)
            text = (job.path / "job.toml").read_text()
            old_columns = text[text.index("[aggregates.totals.columns]"):text.index("[sinks.out]")]
            job.edit(('type = "tumbling", size = "1m"', window), ('key_by = ["region"]', f'key_by = ["{key}"]'),
                     (old_columns, "[aggregates.totals.columns]" + COLUMNS))
            done = job.run()
            if done.returncode != 0:
                sys.exit(f"{name}, {workers} workers: exit code {done.returncode}: {done.stderr}")
            found = results(job, key)
            wrong = [place for place in right.keys() | found.keys() if right.get(place) != found.get(place)]
            for place in sorted(wrong, key=str)[:5]:
                print(f"{name}, {workers} workers: {place}: {found.get(place)} instead of {right.get(place)}")
            if wrong or not right:
                sys.exit(f"{name}, {workers} workers: {len(wrong)} of {len(right)} groups are wrong")
            files.append(job.results.read_bytes())
        if len(set(files)) != 1:
            sys.exit(f"{name}: the bytes differ between 1, 2 and 4 workers")
        print(f"{name}: {len(right)} groups right, same bytes with 1, 2 and 4 workers")


if __name__ == "__main__":
    main()
