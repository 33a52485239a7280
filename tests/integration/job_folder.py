# SPDX-License-Identifier: Apache-2.0
#
# What end-to-end tests share: a temporary folder with a job over the orders shards, runs of the real program in
# it, and the comparison of its results with the truth files of the corpora, as values.

import csv
import datetime
import decimal
import json
import pathlib
import subprocess
import tempfile
import time

JOB = """
[job]
name = "orders"
parallelism = {workers}
[sources.orders]
type = "binlog_file"
shards = ["{shards}/shard-*"]
tables = ["shop_*.orders_*"]
mode = "{mode}"
{source_options}
[sources.orders.watermark]
field = "created_at"
max_out_of_orderness = "{bound}"
[aggregates.totals]
inputs = ["orders"]
key_by = ["region"]
window = {{ type = "tumbling", size = "1m" }}
emit = "on_close"
[aggregates.totals.columns]
orders = "count()"
sum_amount = "sum(amount)"
min_amount = "min(amount)"
max_amount = "max(amount)"
customers = "count_distinct(customer_id)"
sum_qty = "sum(qty)"
count_qty = "count(qty)"
average = "avg(amount)"
[sinks.out]
type = "file"
inputs = ["totals"]
path = "out.{format}"
format = "{format}"
[state]
path = "state"
[checkpoint]
interval = "{interval}"
[log]
level = "warning"
"""
COLUMNS = ("orders", "sum_amount", "min_amount", "max_amount", "customers", "sum_qty", "count_qty")


class JobFolder:
    def __init__(self, tidemark, shards, mode="append", bound="2h", workers=2, format="ndjson", interval="10s",
                 source_options=""):
        self.tidemark = str(pathlib.Path(tidemark).resolve())
        self.temporary = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.temporary.name)
        self.results = self.path / f"out.{format}"
        text = JOB.format(shards=pathlib.Path(shards).resolve(), mode=mode, bound=bound, workers=workers,
                          format=format, interval=interval, source_options=source_options)
        (self.path / "job.toml").write_text(text)

    def edit(self, *changes):
        """Replaces texts of the job file."""
        text = (self.path / "job.toml").read_text()
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        (self.path / "job.toml").write_text(text)

    def command(self, *arguments):
        return [self.tidemark, *arguments]

    def start(self):
        """The job as a process that goes on; its standard error can be read when it has ended."""
        return subprocess.Popen(self.command("run", "job.toml"), cwd=self.path, stderr=subprocess.PIPE,
                                stdout=subprocess.DEVNULL, text=True)

    def stop(self, process, number):
        """Sends a signal and waits; returns standard error."""
        process.send_signal(number)
        return process.communicate(timeout=60)[1]

    def wait_for_results(self, process, size=1, seconds=30):
        """Until the result file has that many bytes; False when the process ended before."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and process.poll() is None:
            if self.results.exists() and self.results.stat().st_size >= size:
                return True
            time.sleep(0.01)
        return False

    def run(self):
        return subprocess.run(self.command("run", "job.toml"), cwd=self.path, capture_output=True, text=True,
                              timeout=300)


def number(text):
    return None if text in (r"\N", "", None) else decimal.Decimal(str(text))


def read_truth(path):
    """(window start in ms, region or None) -> values in the order of COLUMNS."""
    with open(path, newline="") as file:
        rows = [row for row in csv.reader(file) if row[0].lstrip("-").isdigit()]
    return {(int(row[0]), None if row[2] == r"\N" else row[2]): [number(value) for value in row[3:]] for row in rows}


def read_results(path):
    """The last revision per window and key of an NDJSON result file, as read_truth gives it."""
    out = {}
    for line in path.read_text().splitlines():
        row = json.loads(line, parse_float=decimal.Decimal)
        start = datetime.datetime.fromisoformat(row["window_start"].replace("Z", "+00:00"))
        out[(int(start.timestamp() * 1000), row["region"])] = [number(row[name]) for name in COLUMNS]
    return out
