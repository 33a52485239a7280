#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# K12: killed at every epoch while one transaction is being read that inserts, moves a primary key (a delete and an insert
# of the group's rows) and deletes; the rows of the transaction come one by one, so that epochs fall between them. Each
# run must end with the ids that the server has.
#   mid_transaction.py TIDEMARK

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

from live_mariadb import LiveMariadb

JOB = """
[job]
name = "ids"
parallelism = {workers}
[sources.t]
type = "binlog_file"
shards = ["{logs}"]
tables = ["d.t"]
mode = "changelog"
read_limit = "10/s"
[sources.t.watermark]
field = "$commit_time"
[aggregates.all]
inputs = ["t"]
window = {{ type = "global" }}
[aggregates.all.columns]
rows = "count()"
sum = "sum(v)"
ids = "sum(id)"
least = "min(id)"
most = "max(id)"
[aggregates.per_id]
inputs = ["t"]
key_by = ["id"]
window = {{ type = "global" }}
[aggregates.per_id.columns]
rows = "count()"
[sinks.out]
type = "file"
inputs = ["all"]
path = "all.ndjson"
[sinks.ids]
type = "file"
inputs = ["per_id"]
path = "ids.ndjson"
[state]
path = "state"
[checkpoint]
interval = "10ms"
[http]
listen = "off"
"""
TABLE = "CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY, v INT);"
TRANSACTION = """
BEGIN;
INSERT INTO d.t VALUES (1, 1); INSERT INTO d.t VALUES (2, 1); UPDATE d.t SET id = 3 WHERE id = 2;
DELETE FROM d.t WHERE id = 1; INSERT INTO d.t VALUES (4, 1);
COMMIT;
"""
# Rows are let through two by two; with one before, epochs fall between the others.
BEFORE, AFTER = "INSERT INTO d.t VALUES (9, 1);", "DELETE FROM d.t WHERE id = 9;"


def run(tidemark, folder, kill_at):
    environment = dict(os.environ)
    if kill_at:
        environment["TIDEMARK_FAILPOINTS"] = f"epoch_after_write=kill@{kill_at}"
    return subprocess.run([tidemark, "run", "job.toml"], cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=60)


def rows_read(tidemark, folder):
    """What the state has of the transaction's rows."""
    looked = subprocess.run([tidemark, "watermark", "ls", "job.toml", "--format", "json"], cwd=folder, capture_output=True,
                            text=True, timeout=60)
    return json.loads(looked.stdout)["rows_read"] if looked.returncode == 0 else 0


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def check(tidemark, statements, points):
    """Returns kills, and how many rows the states had that were resumed from."""
    kills, stood = 0, set()
    with LiveMariadb() as server, tempfile.TemporaryDirectory() as beside:
        server.run(statements)
        server.stop()
        logs = pathlib.Path(beside) / "logs"
        logs.mkdir()
        for file in server.binlogs():
            (logs / pathlib.Path(file).name).write_bytes(pathlib.Path(file).read_bytes())
        for kill_at in points:
            workers = 1 + kill_at % 2
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                (folder / "job.toml").write_text(JOB.format(logs=f"{logs}/*", workers=workers))
                first = run(tidemark, folder, kill_at)
                if first.returncode == -signal.SIGKILL:
                    kills += 1
                    stood.add(rows_read(tidemark, folder))
                    first = run(tidemark, folder, 0)
                assert first.returncode == 0, first.stderr
                result = lines(folder / "all.ndjson")[-1]
                wanted = {"rows": 2, "sum": 2, "ids": 7, "least": 3, "most": 4}
                assert {name: int(result[name]) for name in wanted} == wanted, (kill_at, workers, result)
                ids = {row["id"]: row["rows"] for row in lines(folder / "ids.ndjson")}
                assert ids == {3: 1, 4: 1}, (kill_at, workers, ids)
    return kills, stood


def main():
    tidemark = str(pathlib.Path(sys.argv[1]).resolve())
    kills, stood = check(tidemark, TABLE + TRANSACTION, range(1, 62, 5))
    more, shifted = check(tidemark, TABLE + BEFORE + TRANSACTION + AFTER, range(3, 84, 5))
    shifted = {rows - 1 for rows in shifted if rows > 0}
    print(f"{kills + more} kills, resumed after {sorted(stood | shifted)} rows of the transaction")
    assert len(stood | shifted) >= 4, "hardly an epoch fell into the transaction"


if __name__ == "__main__":
    main()
