#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Changes as servers log them, against SELECTs on the server: tables of one logical input whose columns differ and change
# at different moments (A08), rows that the job has never seen (A04), TRUNCATE (B24).
#   changes.py TIDEMARK

import decimal
import json
import pathlib
import subprocess
import sys
import tempfile

from live_mariadb import LiveMariadb

JOB = """
[job]
name = "changes"
parallelism = 2
[sources.orders]
type = "binlog_file"
shards = ["{logs}"]
tables = ["shop_*.orders"]
mode = "changelog"
{source}
[sources.orders.watermark]
field = "at"
max_out_of_orderness = "1d"
[aggregates.totals]
inputs = ["orders"]
key_by = ["region"]
window = {{ type = "tumbling", size = "1h" }}
[aggregates.totals.columns]
orders = "count()"
amount = "sum(amount)"
qty = "sum(qty)"
known = "count(qty)"
shops = "string_agg($database, ' ')"
[sinks.out]
type = "file"
inputs = ["totals"]
path = "out.ndjson"
[state]
path = "state"
[http]
listen = "off"
"""


class Run:
    def __init__(self, tidemark, server, source=""):
        self.tidemark = tidemark
        self.temporary = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.temporary.name)
        logs = self.path / "logs"
        logs.mkdir()
        for file in server.binlogs():
            (logs / file.name).write_bytes(file.read_bytes())
        (self.path / "job.toml").write_text(JOB.format(logs=logs, source=source))
        self.done = self.command("run", "job.toml")

    def command(self, *arguments):
        return subprocess.run([self.tidemark, *arguments], cwd=self.path, capture_output=True, text=True, timeout=120)

    def results(self):
        """region -> (orders, amount, qty, known, shops)"""
        out = {}
        for line in (self.path / "out.ndjson").read_text().splitlines():
            row = json.loads(line)
            number = lambda value: None if value is None else decimal.Decimal(value)
            out[row["region"]] = (row["orders"], number(row["amount"]), number(row["qty"]), row["known"], row["shops"])
        return out


def expect(found, right, what):
    if found != right:
        sys.exit(f"{what}: {found} instead of {right}")


def truth(server, query):
    number = lambda text: None if text is None else decimal.Decimal(text)
    return {row[0]: (int(row[1]), number(row[2]), number(row[3]), int(row[4]), row[5]) for row in server.rows(query)}


ALL = """SELECT region, count(*), sum(amount), sum(qty), count(qty), group_concat(shop ORDER BY shop SEPARATOR ' ') FROM (
  SELECT region, amount, qty, 'shop_1' AS shop FROM shop_1.orders UNION ALL
  SELECT region, amount, qty, 'shop_2' FROM shop_2.orders UNION ALL
  SELECT NULL, amount, NULL, 'shop_3' FROM shop_3.orders) AS everything GROUP BY region"""


def case_A08(tidemark, metadata):
    """Columns in other orders, a table that lacks two of them, and an ALTER that comes to each table at its own time."""
    with LiveMariadb(f"--binlog-row-metadata={metadata}") as server:
        server.run("CREATE DATABASE shop_1; CREATE DATABASE shop_2; CREATE DATABASE shop_3;"
                   "CREATE TABLE shop_1.orders (id INT PRIMARY KEY, region VARCHAR(9), amount DECIMAL(9,2), at DATETIME);"
                   "CREATE TABLE shop_2.orders (at DATETIME, amount DECIMAL(12,2), note TEXT, id INT PRIMARY KEY, region VARCHAR(9));"
                   "CREATE TABLE shop_3.orders (id INT PRIMARY KEY, amount DECIMAL(9,2), at DATETIME);")
        at = "'2026-03-29 10:00:00'"
        server.run(f"INSERT INTO shop_1.orders VALUES (1, 'eu', 1.10, {at}), (2, 'us', 2.20, {at});"
                   f"INSERT INTO shop_2.orders VALUES ({at}, 10.01, 'x', 1, 'eu');"
                   f"INSERT INTO shop_3.orders VALUES (1, 100, {at}), (2, 200, {at});"
                   "ALTER TABLE shop_1.orders ADD COLUMN qty INT FIRST;"
                   f"INSERT INTO shop_1.orders VALUES (7, 3, 'eu', 3.30, {at});"
                   f"INSERT INTO shop_2.orders VALUES ({at}, 20.02, NULL, 2, 'us');"
                   "UPDATE shop_1.orders SET qty = 5 WHERE id = 1; DELETE FROM shop_3.orders WHERE id = 2;"
                   "ALTER TABLE shop_2.orders ADD COLUMN qty INT AFTER at, DROP COLUMN note;"
                   f"INSERT INTO shop_2.orders VALUES ({at}, 9, 30.03, 3, 'eu');"
                   "UPDATE shop_2.orders SET region = 'eu', qty = 1 WHERE id = 2; UPDATE shop_1.orders SET qty = NULL WHERE id = 3;")
        right = truth(server, ALL)
        server.stop()
        run = Run(tidemark, server)
        expect(run.done.returncode, 0, f"A08 {metadata}: {run.done.stderr}")
        expect(run.results(), right, f"A08 {metadata}")
        told = [line for line in run.done.stderr.splitlines() if "has no column" in line]
        expect([(line.count("shop_3.orders"), line.count("'region'")) for line in told if "shop_3" in line], [(1, 1)],
               f"A08 {metadata}: missing columns are told once: {told}")
        print(f"case_A08, {metadata}: {len(right)} groups as on the server")


def case_A04(tidemark):
    """The log begins after some rows: what takes them away is set aside, or applied, or ends the job."""
    at = "'2026-03-29 10:00:00'"
    with LiveMariadb("--binlog-row-metadata=FULL") as server:
        server.run("CREATE DATABASE shop_1; CREATE TABLE shop_1.orders (id INT PRIMARY KEY, region VARCHAR(9), amount DECIMAL(9,2),"
                   f" qty INT, at DATETIME); INSERT INTO shop_1.orders VALUES (1, 'old', 5, 1, {at}), (2, 'old', 7, NULL, {at});"
                   "RESET MASTER;"
                   f"INSERT INTO shop_1.orders VALUES (3, 'new', 1, 1, {at}), (4, 'new', 2, 2, {at});"
                   "DELETE FROM shop_1.orders WHERE id = 1; UPDATE shop_1.orders SET region = 'moved' WHERE id = 2;"
                   "DELETE FROM shop_1.orders WHERE id = 4;")
        server.stop()
        kept = Run(tidemark, server)
        expect(kept.done.returncode, 0, f"A04: {kept.done.stderr}")
        right = {"new": (1, decimal.Decimal(1), decimal.Decimal(1), 1, "shop_1"),
                 "moved": (1, decimal.Decimal(7), None, 0, "shop_1")}
        expect(kept.results(), right, "A04, set aside")
        listed = kept.command("late", "ls", "job.toml").stdout
        expect(listed.count("no_base"), 2, f"A04: rows in the late store: {listed}")
        applied = Run(tidemark, server, 'no_base = "delta"').results()
        expect(applied["old"][:2], (-2, decimal.Decimal(-12)), "A04, delta")
        failed = Run(tidemark, server, 'no_base = "fail"').done
        expect((failed.returncode, "never" in failed.stderr or "nothing" in failed.stderr), (65, True), f"A04, fail: {failed.stderr}")
        print("case_A04: set aside with their reason, applied, or fatal")


def case_B24(tidemark):
    """TRUNCATE and what is like it, in any spelling: ignored, it is said and counted, and the rows stay in the results;
    applied, they are taken out."""
    at = "'2026-03-29 10:00:00'"
    table = "(id INT PRIMARY KEY, region VARCHAR(9), amount DECIMAL(9,2), qty INT, at DATETIME)"
    four = f"INSERT INTO shop_1.orders VALUES (1, 'eu', 10, 1, {at}), (2, 'eu', 10, 1, {at}), (3, 'eu', 10, 1, {at}), (4, 'eu', 10, 1, {at});"
    spellings = ["TRUNCATE shop_1.orders", "TRUNCATE TABLE `shop_1` . `orders` -- all of it",
                 "/* gone */ truncate /* really */ table shop_1./* so */`orders`", "USE shop_1; TRUNCATE orders",
                 f"CREATE OR REPLACE TABLE shop_1.orders {table}",
                 f"DROP TABLE shop_1.other, shop_1.orders; CREATE TABLE shop_1.orders {table}",
                 f"DROP DATABASE shop_1; CREATE DATABASE shop_1; CREATE TABLE shop_1.orders {table}",
                 f"CREATE OR REPLACE DATABASE shop_1; CREATE TABLE shop_1.orders {table}"]
    for spelling in spellings:
        with LiveMariadb("--binlog-row-metadata=FULL") as server:
            server.run(f"CREATE DATABASE shop_1; CREATE TABLE shop_1.orders {table}; CREATE TABLE shop_1.other (a INT);"
                       f"{four} {spelling}\n; INSERT INTO shop_1.orders VALUES (1, 'eu', 7, 1, {at});")
            server.stop()
            for policy, right in (("", (5, 47)), ('on_truncate = "ignore"', (5, 47)), ('on_truncate = "apply"', (1, 7))):
                run = Run(tidemark, server, policy)
                expect(run.done.returncode, 0, f"B24, {spelling}, {policy}: {run.done.stderr}")
                expect(run.results()["eu"][:2], (right[0], decimal.Decimal(right[1])), f"B24, {spelling}, {policy}")
                told = "removes rows without row events" if "apply" not in policy else "its 4 rows are taken out"
                expect(run.done.stderr.count(told), 1, f"B24, {spelling}: it is said: {run.done.stderr}")
    print(f"case_B24: {len(spellings)} spellings, ignored and applied")


def main():
    tidemark = str(pathlib.Path(sys.argv[1]).resolve())
    case_A08(tidemark, "FULL")
    case_A08(tidemark, "NO_LOG")
    case_A04(tidemark)
    case_B24(tidemark)


if __name__ == "__main__":
    main()
