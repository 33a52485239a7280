# SPDX-License-Identifier: Apache-2.0
#
# What tests of the mysql sink share: jobs that write into a table of a private MariaDB server, beside a file that tells
# what the table must have: of each key the row with the highest revision, unless it was taken back.

import decimal
import json
import re

from job_folder import JobFolder

DATABASE = "bi"


def dsn(server, user="root"):
    return f"mysql://{user}@localhost/{DATABASE}?socket={server.socket}"


def sink_text(server, table="totals", key='["region", "window_start"]', options="", inputs="totals"):
    return f"""
[sinks.table]
type = "mysql"
inputs = ["{inputs}"]
dsn = "{dsn(server)}"
table = "{table}"
key = {key}
{options}
"""


def orders_job(server, tidemark, shards, options="", **settings):
    """The orders job with a table beside its file. NULL is no key: the region NULL has a name."""
    job = JobFolder(tidemark, shards, **settings)
    job.edit(('key_by = ["region"]', """key_by = ["coalesce(region, '(none)') AS region"]"""),
             ("[state]", sink_text(server, options=options) + "[state]"))
    return job


def fresh_database(server):
    server.run(f"DROP DATABASE IF EXISTS {DATABASE}; CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4")


def create_suggested(server, message):
    """Runs the CREATE TABLE that the job asked for; gives it."""
    statement = re.search(r"CREATE TABLE .*\)\)", message).group(0)
    server.run(statement, DATABASE)
    return statement


def value_of(text):
    """Numbers as numbers: 1.50 in a table is 1.5 in JSON."""
    if text is None:
        return None
    try:
        return decimal.Decimal(str(text))
    except decimal.InvalidOperation:
        return str(text).replace("T", " ").rstrip("Z").removesuffix(".000000")


def table_rows(server, columns, table="totals"):
    """All rows as (values) in the order of the columns, sorted."""
    listed = ", ".join(f"`{column}`" for column in columns)
    return sorted((tuple(value_of(cell) for cell in row)
                   for row in server.rows(f"SELECT {listed} FROM {table}", DATABASE)), key=str)


def file_rows(path, columns, key=("region", "window_start")):
    """The same of an NDJSON file of results: the last of each key."""
    last = {}
    for line in path.read_text().splitlines():
        row = json.loads(line, parse_float=decimal.Decimal)
        at = tuple(row[name] for name in key)
        if row.get("kind") == "retraction":
            last.pop(at, None)
        else:
            last[at] = row
    return sorted((tuple(value_of(row[name]) for name in columns) for row in last.values()), key=str)


def stored_epoch(server):
    """The epoch in the target; None before the first."""
    tables = server.rows(f"SELECT 1 FROM information_schema.tables WHERE table_schema = '{DATABASE}' AND "
                         "table_name = 'tidemark_epochs'")
    rows = server.rows("SELECT epoch FROM tidemark_epochs", DATABASE) if tables else []
    return int(rows[0][0]) if rows else None
