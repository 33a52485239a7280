#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Rows that a source keeps: random changes of a live server that logs MINIMAL or NOBLOB row images, with TRUNCATE and its
# like, against SELECTs on the server in the end, by 1 to 4 workers that are killed on their way. Windows by commit time
# together have the rows that there are, each where its last change put it: rows are taken back with their own times.
#   kept_rows.py TIDEMARK [SEED]

import decimal
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from live_mariadb import LiveMariadb

JOB = """
[job]
name = "kept"
parallelism = {workers}
[sources.orders]
type = "binlog_file"
shards = ["{logs}"]
tables = ["shop_*.orders"]
mode = "changelog"
{source}
[sources.orders.watermark]
field = "$commit_time"
[aggregates.totals]
inputs = ["orders"]
key_by = ["region"]
window = {{ type = "global" }}
[aggregates.totals.columns]
orders = "count()"
amount = "sum(amount)"
qty = "sum(qty)"
known = "count(qty)"
least = "min(amount)"
notes = "count_distinct(note)"
[aggregates.moments]
inputs = ["orders"]
window = {{ type = "tumbling", size = "1s" }}
allowed_lateness = "1h"
[aggregates.moments.columns]
orders = "count()"
amount = "sum(amount)"
[sinks.out]
type = "file"
inputs = ["totals"]
path = "out.ndjson"
[sinks.moments_out]
type = "file"
inputs = ["moments"]
path = "moments.ndjson"
[state]
path = "state"
[checkpoint]
interval = "20ms"
[http]
listen = "off"
"""

TABLE = """(id INT AUTO_INCREMENT, line INT, region VARCHAR(9), qty INT, amount DECIMAL(9,2) NOT NULL, note TEXT, unread TEXT,
  PRIMARY KEY (line, id), UNIQUE KEY (id))"""
SHOPS = 3
BOTH = 'on_truncate = "apply"\non_partial_image = "complete"'


def expect(found, right, what):
    if found != right:
        sys.exit(f"{what}:\n{found}\ninstead of\n{right}")


class Changes:
    """Statements at random; ids say what may be there, never what is."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def values(self, number):
        pick = self.random
        region = pick.choice(["'eu'", "'us'", "'asia'", "NULL"])
        qty = pick.choice(["NULL", str(pick.randrange(-3, 9))])
        note = pick.choice(["NULL", "''", f"'{'n' * pick.randrange(40)}{pick.randrange(4)}'"])
        return f"({number}, {pick.randrange(2)}, {region}, {qty}, {pick.randrange(-999, 9999) / 100}, {note}, REPEAT('u', 99))"

    def one(self, table):
        pick = self.random
        number = pick.randrange(1, 60)
        some = f"id BETWEEN {number} AND {number + pick.randrange(6)}"
        what = pick.randrange(100)
        if what < 30:
            rows = ", ".join(self.values(pick.randrange(1, 60)) for _ in range(pick.randrange(1, 6)))
            return f"{pick.choice(['INSERT IGNORE', 'REPLACE'])} INTO {table} VALUES {rows};"
        if what < 38:
            return f"INSERT INTO {table} VALUES {self.values(number)} ON DUPLICATE KEY UPDATE qty = qty + 1, note = 'again';"
        if what < 45:
            return f"UPDATE IGNORE {table} SET id = id + {pick.randrange(1, 9)}, qty = 1 WHERE {some} ORDER BY id DESC;"
        if what < 50:
            return f"UPDATE IGNORE {table} SET line = 1 - line WHERE {some};"
        if what < 76:
            setting = pick.choice(["amount = amount + 1", "qty = NULL", "qty = 7, region = 'eu'", "region = NULL",
                                   "note = CONCAT(note, 'x')", "note = NULL", "unread = 'other'"])
            return f"UPDATE {table} SET {setting} WHERE {some};"
        if what < 92:
            return f"DELETE FROM {table} WHERE {some};"
        if what < 96:
            return f"TRUNCATE TABLE {table};"
        if what < 98:
            return f"DROP TABLE {table}; CREATE TABLE {table} {TABLE};"
        return f"ALTER TABLE {table} COMMENT '{number}';"

    def script(self, count):
        out = []
        clock = int(time.time())
        while count > 0:
            clock += self.random.random() < 0.2
            out.append(f"SET timestamp = {clock};")
            several = self.random.randrange(1, 5)
            statements = [self.one(f"shop_{self.random.randrange(SHOPS)}.orders") for _ in range(several)]
            count -= several
            if self.random.random() < 0.3:
                ends = self.random.choice(["COMMIT;", "COMMIT;", "ROLLBACK;",
                                           "BEGIN; SAVEPOINT s; DELETE FROM shop_0.orders; ROLLBACK TO s; COMMIT;"])
                out.append("BEGIN; " + " ".join(statements) + " " + ends)
            else:
                out.append(" ".join(statements))
        return "\n".join(out)


class Folder:
    def __init__(self, tidemark, files, workers, source=BOTH, more=""):
        self.tidemark = tidemark
        self.temporary = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.temporary.name)
        logs = self.path / "logs"
        logs.mkdir()
        for name, content in files.items():
            (logs / name).write_bytes(content)
        (self.path / "job.toml").write_text(JOB.format(logs=logs, workers=workers, source=source + "\n" + more))

    def run(self):
        return subprocess.run([self.tidemark, "run", "job.toml"], cwd=self.path, capture_output=True, text=True, timeout=300)

    def kill_after(self, seconds):
        process = subprocess.Popen([self.tidemark, "run", "job.toml"], cwd=self.path, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        ended = process.poll() is not None
        process.kill()
        process.wait()
        return not ended

    def results(self):
        out = {}
        for line in (self.path / "out.ndjson").read_text().splitlines():
            row = json.loads(line)
            number = lambda value: None if value is None else decimal.Decimal(value)
            out[row["region"]] = (row["orders"], number(row["amount"]), number(row["qty"]), row["known"],
                                  number(row["least"]), row["notes"])
        return out


    def moments(self):
        """(windows, orders, amount) of what stands of the results by commit time."""
        last = {}
        for line in (self.path / "moments.ndjson").read_text().splitlines():
            row = json.loads(line)
            last[row["window_start"]] = row
        stands = [row for row in last.values() if row["kind"] != "retraction"]
        return len(stands), sum(row["orders"] for row in stands), sum(decimal.Decimal(row["amount"]) for row in stands)


def truth(server):
    everything = " UNION ALL ".join(f"SELECT * FROM shop_{i}.orders" for i in range(SHOPS))
    number = lambda text: None if text is None else decimal.Decimal(text)
    rows = server.rows("SELECT region, count(*), sum(amount), sum(qty), count(qty), min(amount), count(DISTINCT BINARY note) "
                       f"FROM ({everything}) AS everything GROUP BY region")
    return {row[0]: (int(row[1]), number(row[2]), number(row[3]), int(row[4]), number(row[5]), int(row[6])) for row in rows}


def random_changes(tidemark, seed, image, metadata, statements=900):
    with LiveMariadb(f"--binlog-row-image={image}", f"--binlog-row-metadata={metadata}") as server:
        server.run("".join(f"CREATE DATABASE shop_{i}; CREATE TABLE shop_{i}.orders {TABLE};" for i in range(SHOPS)))
        server.run(Changes(seed).script(statements))
        right = truth(server)
        server.stop()
        files = {file.name: file.read_bytes() for file in server.binlogs()}
    kills = 0
    for workers in (1, 2, 3, 4):
        folder = Folder(tidemark, files, workers, more="" if workers == 1 else 'read_limit = "4000/s"')
        pick = random.Random(seed * 10 + workers)
        for _ in range(0 if workers == 1 else 3):
            kills += folder.kill_after(pick.uniform(0.1, 0.5))
        done = folder.run()
        what = f"seed {seed}, {image}, metadata {metadata}, {workers} workers"
        expect(done.returncode, 0, f"{what}: {done.stderr}")
        expect(folder.results(), right, what)
        windows, orders, amount = folder.moments()
        expect((orders, amount), (sum(group[0] for group in right.values()), sum(group[1] for group in right.values())),
               f"{what}: windows by commit time")
        expect(windows > 1, True, f"{what}: several windows")
    print(f"{image} images, metadata {metadata}, seed {seed}: {len(right)} groups as on the server, {kills} kills")
    return kills


def what_is_missing(tidemark):
    """A default that is not in the log, and rows that were there before the log began, are problems and never NULL."""
    with LiveMariadb("--binlog-row-image=MINIMAL", "--binlog-row-metadata=FULL") as server:
        server.run(f"CREATE DATABASE shop_0; CREATE TABLE shop_0.orders {TABLE};"
                   "INSERT INTO shop_0.orders VALUES (1, 0, 'old', 1, 1, '', ''), (2, 0, 'old', 1, 2, '', ''); RESET MASTER;"
                   "INSERT INTO shop_0.orders VALUES (3, 0, 'new', 3, 3, '', '');"
                   "UPDATE shop_0.orders SET qty = 9 WHERE id = 1; DELETE FROM shop_0.orders WHERE id = 2;"
                   "INSERT INTO shop_0.orders (id, line, amount) VALUES (4, 0, 4);"
                   "UPDATE shop_0.orders SET qty = 5 WHERE id = 3;")
        server.stop()
        files = {file.name: file.read_bytes() for file in server.binlogs()}
    failing = Folder(tidemark, files, 1)
    done = failing.run()
    expect((done.returncode, "no row is kept for its key" in done.stderr, "binlog_row_image" in done.stderr,
            "on_bad_event" in done.stderr), (65, True, True, True), f"missing rows: {done.stderr}")
    aside = Folder(tidemark, files, 2, more='on_bad_event = "set_aside"')
    done = aside.run()
    expect(done.returncode, 0, f"set aside: {done.stderr}")
    expect(aside.results(), {"new": (1, decimal.Decimal(3), decimal.Decimal(5), 1, decimal.Decimal(3), 1)}, "set aside")
    listed = subprocess.run([tidemark, "late", "ls", "job.toml"], cwd=aside.path, capture_output=True, text=True).stdout
    expect(listed.count("missing_column"), 4, f"set aside: {listed}")
    rejecting = Folder(tidemark, files, 1, source='on_truncate = "apply"').run()
    expect((rejecting.returncode, "absent from" in rejecting.stderr), (65, True), f"rejected: {rejecting.stderr}")
    print("rows and defaults that are not in the log are problems")


def what_is_refused(tidemark):
    """Partitions and renames under on_truncate = apply, tables without a primary key, other columns after a restart."""
    with LiveMariadb("--binlog-row-metadata=FULL") as server:
        server.run("CREATE DATABASE shop_0; CREATE TABLE shop_0.orders "
                   "(id INT PRIMARY KEY, line INT, region VARCHAR(9), qty INT, amount DECIMAL(9,2) NOT NULL, note TEXT, unread TEXT)"
                   " PARTITION BY RANGE (id) (PARTITION low VALUES LESS THAN (10), PARTITION high VALUES LESS THAN (99));"
                   "INSERT INTO shop_0.orders VALUES (1, 0, 'eu', 1, 1, '', ''), (11, 0, 'eu', 1, 2, '', '');"
                   "ALTER TABLE shop_0.orders TRUNCATE PARTITION low;")
        server.stop()
        files = {file.name: file.read_bytes() for file in server.binlogs()}
    done = Folder(tidemark, files, 1).run()
    expect((done.returncode, "does not tell which" in done.stderr), (65, True), f"partitions: {done.stderr}")
    done = Folder(tidemark, files, 1, source='on_truncate = "ignore"').run()
    expect(done.returncode, 0, f"partitions, ignored: {done.stderr}")
    for ddl, key in (("(id INT, line INT, region VARCHAR(9), qty INT, amount INT, note TEXT)", "has no primary key"),
                     ("(id INT, line INT, region VARCHAR(9) PRIMARY KEY, qty INT, amount INT, note TEXT)", "the primary key is (")):
        with LiveMariadb("--binlog-row-metadata=FULL") as server:
            server.run(f"CREATE DATABASE shop_0; CREATE TABLE shop_0.orders {TABLE.replace('DECIMAL(9,2)', 'INT')};"
                       f"CREATE DATABASE shop_1; CREATE TABLE shop_1.orders {ddl};")
            server.stop()
            files = {file.name: file.read_bytes() for file in server.binlogs()}
        done = Folder(tidemark, files, 1).run()
        expect((done.returncode != 0, key in done.stderr, "on_truncate" in done.stderr), (True, True, True), f"{ddl}: {done.stderr}")
    print("what cannot be applied is said")


def main():
    tidemark = str(pathlib.Path(sys.argv[1]).resolve())
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    what_is_missing(tidemark)
    what_is_refused(tidemark)
    kills = random_changes(tidemark, seed, "MINIMAL", "FULL") + random_changes(tidemark, seed + 1, "NOBLOB", "NO_LOG")
    if kills == 0:
        sys.exit("no process was killed on its way: the runs say nothing of restarts")


if __name__ == "__main__":
    main()
