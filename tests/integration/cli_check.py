#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# `tidemark check` as its users see it: every error at once with place, carets and a suggestion, in text and JSON;
# columns and table patterns against real binlogs; what is a warning in check and an error in run; the smallest
# job with its defaults. Cases C02, C10, A06 of the field.
#   cli_check.py TIDEMARK CORPUS_FOLDER

import json
import pathlib
import sys
import tempfile

from checks import Checks, findings

SMALLEST = """[job]
name = "small"
[sources.orders]
type = "binlog_file"
shards = ["{corpus}/shard-*"]
tables = ["shop_*.orders_*"]
[sources.orders.watermark]
field = "created_at"
[aggregates.totals]
inputs = ["orders"]
window = {{ type = "tumbling", size = "1m" }}
[aggregates.totals.columns]
orders = "count()"
[sinks.out]
type = "stdout"
inputs = ["totals"]
"""

MANY_ERRORS = """[job]
name = "bad"
paralelism = 2
[sources.orders]
type = "binlog_file"
shards = ["{corpus}/shard-*"]
tabels = ["shop_*.orders_*"]
mode = "apend"
[sources.orders.watermark]
field = "created_at"
maxOutOfOrderness = "30s"
emit_interval = 200
[aggregates.totals]
inputs = ["order"]
key_by = ["region"]
window = {{ type = "tumbling", size = "1m" }}
grace = "5m"
idle_timeout = "1m"
[aggregates.totals.columns]
total = "sum(amount"
"größe" = "count()"
[sinks.out]
type = "file"
inputs = ["totals"]
"""
# line, words over the carets, code, part of the help
EXPECTED = (
    (3, "paralelism", "F003", "did you mean `parallelism`?"),
    (7, "tabels", "F003", "did you mean `tables`?"),
    (8, "apend", "F006", 'did you mean "append"?'),
    (11, "maxOutOfOrderness", "F003", "`max_out_of_orderness`"),
    (12, "200", "F008", 'write "10s"'),
    (14, "order", "F011", "did you mean `orders`?"),
    (17, "grace", "F003", "`allowed_lateness`"),
    (18, "idle_timeout", "F003", "[sources.orders.watermark]"),
    (20, "(", "F020", "close this parenthesis"),
    (21, '"größe"', None, ""),
    (22, "[sinks.out]", "F004", "path"),
)


class Job:
    """A folder with one job file that is written again for each check."""

    def __init__(self, checks, corpus):
        self.checks = checks
        self.corpus = corpus
        self.temporary = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.temporary.name)

    def write(self, template, *changes):
        text = template.format(corpus=self.corpus)
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        (self.path / "job.toml").write_text(text)
        return text

    def command(self, name, *arguments):
        return self.checks.run(name, "job.toml", *arguments, cwd=self.path)

    def one_error(self, change, marked, code, parts, name="check"):
        """The smallest job with one change has exactly one error, there, saying that."""
        text = self.write(SMALLEST, change)
        done = self.command(name)
        out = done.stdout if name == "check" else done.stderr
        found = [finding for finding in findings(out) if finding.severity == "error"]
        what = f"{name} with {change[1]!r}"
        self.checks.equal(done.returncode, 78, f"{what}: exit code")
        if not self.checks.equal(len(found), 1, f"{what}: one error"):
            print(out)
            return
        self.checks.equal((found[0].marked, found[0].code), (marked, code), f"{what}: words over the carets, code")
        self.checks.holds(out, parts, what)
        line = text.splitlines()[found[0].line - 1]
        self.checks.that(line[found[0].column - 1:].startswith(marked), f"{what}: line and column", out)


def many_errors(job, checks):
    text = job.write(MANY_ERRORS)
    done = job.command("check")
    found = findings(done.stdout)
    checks.equal(done.returncode, 78, "a bad job: exit code")
    checks.equal([(one.line, one.marked) for one in found], [(line, marked) for line, marked, _, _ in EXPECTED],
                 "all errors at once, in order, carets under the words")
    checks.holds(done.stdout, [f"{len(EXPECTED)} errors"], "they are counted")
    for one, (line, marked, code, help_text) in zip(found, EXPECTED):
        checks.that(code in (None, one.code) and help_text in one.help, f"line {line}: code and help", one)
        place = text.splitlines()[one.line - 1][one.column - 1:]
        checks.that(place.startswith(one.marked), f"line {line}: column", one)

    as_json = job.command("check", "--format", "json")
    checks.equal(as_json.returncode, 78, "JSON: exit code")
    objects = json.loads(as_json.stdout)
    checks.equal([(one["range"]["start"]["line"] + 1, one["range"]["start"]["character"] + 1, one["code"],
                   one["message"], one["help"], one["file"]) for one in objects],
                 [(one.line, one.column, one.code, one.text, one.help, "job.toml") for one in found],
                 "JSON says the same, with ranges that count from 0")
    for one, wanted in zip(objects, found):
        line = text.splitlines()[one["range"]["start"]["line"]]
        checks.equal(line[one["range"]["start"]["character"]:one["range"]["end"]["character"]], wanted.marked,
                     "a JSON range covers the words")


def case_c02_durations(job):
    field = 'field = "created_at"\n'
    for value, marked, code, help_text in (
            ("5", "5", "F008", 'write "'), ('"5"', "5", "F008", 'write "'), ('"0"', "0", "F008", 'write "'),
            ("1e3", "1e3", "F008", 'write "'), ("5s", "5s", "F002", 'write "5s"'),
            ('"5 s"', "5 s", "F008", 'write "5s"'), ('"-5s"', "-5s", "F007", "allowed: 1ms to"),
            ('"300y"', "300y", "F008", "units: ns, us, ms, s, m, h, d"),
            ('"9999999999999d"', "9999999999999d", "F007", "allowed: 1ms to"),
            ('"0.5us"', "0.5us", "F008", 'smallest is "1us"')):
        job.one_error((field, f"{field}idle_timeout = {value}\n"), marked, code, [help_text])
    for value, shown in (("5s", "5s"), ("5000ms", "5s"), ("0.5s", "500ms"), ("5m", "5m"), ("1h30m", "1h30m")):
        job.write(SMALLEST, (field, f'{field}idle_timeout = "{value}"\n'))
        job.checks.ended(job.command("run"), 0, [f"idle_timeout {shown}, "], f'idle_timeout = "{value}" is printed')
        remove_state(job)


def remove_state(job):
    for path in sorted(job.path.glob("*.state/**/*"), reverse=True) + sorted(job.path.glob("*.state")):
        path.rmdir() if path.is_dir() else path.unlink()


def case_c10_smallest_job(job, checks):
    job.write(SMALLEST)
    done = job.command("check")
    checks.equal((done.returncode, done.stdout), (0, "job.toml: ok\n"), "the smallest job is good")
    checks.that(not list(job.path.glob("*.state")), "check leaves nothing behind", list(job.path.iterdir()))
    done = job.command("run")
    checks.ended(done, 0, ["max_out_of_orderness 10s (default)", "idle_timeout 1m (default)", "all_idle hold (default)",
                           "emit on_close (default)", "allowed_lateness 0s (default)", "late store (default)",
                           "a result comes when event time is 10s past its window's end",
                           "checkpoint: interval 10s (default)", "mode append (default)"],
                 "the smallest job runs and prints its defaults")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    checks.equal(list(rows[0]), ["window_start", "window_end", "orders"], "its columns")
    counted = job.checks.run("late", "ls", "job.toml", "--count", cwd=job.path)
    late = int(counted.stdout.splitlines()[-1].split()[0])
    checks.equal(sum(row["orders"] for row in rows) + late, 9947, "every insert is in a window or in the late store")
    for line in ("shard-01: 1 table matched: shop_01.orders_01", "shard-04: 1 table matched: shop_04.orders_04"):
        checks.holds(done.stderr, [line], "the matched tables are listed at the start")
    remove_state(job)
    for change, marked, code, parts in (
            (('size = "1m"', 'size = "0s"'), "0s", "F007", ["`size`", "allowed: 1ms to"]),
            (('size = "1m"', 'size = "-1m"'), "-1m", "F007", ["`size`", "allowed: 1ms to"]),
            (('name = "small"', 'name = "small"\ntime_zone = "Europe/Berlim"'), "Europe/Berlim", "F016",
             ['did you mean "Europe/Berlin"?']),
            (('name = "small"', 'name = "small"\nparallelism = 0'), "0", "F007", ["`parallelism`", "allowed: 1 to"])):
        job.one_error(change, marked, code, parts)


def case_a06_patterns(job, checks):
    tables = 'tables = ["shop_*.orders_*"]'
    for pattern, matched in (("shop_*.orders_0?", True), ("/orders_[0-9]+/", True), ("shop_0[1-4].*", True),
                             ("/orders_0/", False), ("orders", False), ("SHOP_01.orders_01", False),
                             ("shop_*.order_*", False)):
        job.write(SMALLEST, (tables, f'tables = ["{pattern}"]'))
        done = job.command("check")
        if matched:
            checks.equal((done.returncode, done.stdout), (0, "job.toml: ok\n"), f"pattern {pattern} matches")
            continue
        job.one_error((tables, f'tables = ["{pattern}"]'), pattern, "F031",
                      ["matches no table", "near names: ", "shop_01.orders_01"])
    job.one_error((tables, 'tables = ["shop_*.orders_*", "/[/"]'), "/[/", "F031", ["is no regular expression"])
    job.write(SMALLEST, (tables, 'tables = ["shop_*.orders_*", "shop_*.order"]'))
    done = job.command("check")
    checks.ended(done, 0, ['pattern "shop_*.order" matches no table', "near names: "],
                 "one of two patterns that matches nothing is a warning")


def names_and_columns(job):
    amount = ('orders = "count()"', 'orders = "sum(ammount)"')
    job.one_error(amount, "ammount", "F021", ["no column `ammount` in input `orders`", "did you mean `amount`?",
                                              "note: `orders` gives: id, customer_id, region"])
    job.one_error(('field = "created_at"', 'field = "created"'), "created", "F021", ["did you mean `created_at`?"])
    job.one_error(('field = "created_at"', 'field = "amount"'), "amount", "F023", ["decimal(18,4)", "created_at"])
    job.one_error(('"count()"', '"cuont()"'), "cuont", "F022", ["did you mean `count`?"])
    job.one_error(('"count()"', '"sum(region)"'), "region", "F023", ["cannot be computed on", "text"])
    job.one_error(('type = "binlog_file"', 'type = "binlog_fil"'), "binlog_fil", "F030",
                  ['did you mean "binlog_file"?', "plugins here: binlog_file generator"])
    tables = 'tables = ["shop_*.orders_*"]'
    job.one_error((tables, tables + '\nread_limit = "fast"'), "fast", "F031", ["'read_limit'", '"5000/s"'])
    job.one_error((tables, tables + "\nfollow = 3"), "3", "F005", ["`follow`", "true"])
    job.one_error((tables, tables + '\nfolow = true'), "folow", "F003", ["did you mean `follow`?"])


def absent_input(job, checks):
    change = ("/shard-*", "/nowhere-*")
    job.write(SMALLEST, change)
    done = job.command("check")
    checks.equal(done.returncode, 0, "absent shards: a warning in check")
    checks.holds(done.stdout, ["warning[W003]", "nowhere-*", "checked when the job runs", "1 warning"],
                 "absent shards: the warning")
    checks.equal(job.command("check", "--deny-warnings").returncode, 78, "absent shards: --deny-warnings")
    done = job.command("run")
    checks.ended(done, 69, ["error[F031]", "nowhere-*"], "absent shards: an error in run")
    with tempfile.TemporaryDirectory() as folder:
        damaged = bytearray((pathlib.Path(job.corpus) / "shard-01" / "binlog.000001").read_bytes())
        damaged[600] ^= 1  # in the CREATE TABLE statement
        file = pathlib.Path(folder) / "binlog.000001"
        file.write_bytes(damaged)
        job.write(SMALLEST, (f"{job.corpus}/shard-*", folder))
        for command in ("run", "check"):
            done = job.command(command)
            checks.equal(done.returncode, 65, f"damaged shards: exit code of {command}")
            checks.holds(done.stdout + done.stderr, ["error[F031]", f"{file}:445: checksum of QUERY"], "damaged shards: the place")
    missing = checks.run("check", "none.toml", cwd=job.path)
    checks.equal(missing.returncode, 78, "no such job file: exit code")
    checks.holds(missing.stdout, ["none.toml: error[F001]", "no such file"], "no such job file")
    checks.equal(checks.run("check", cwd=job.path).returncode, 64, "no job file named: a usage error")
    job.write(SMALLEST)
    (job.path / "other.toml").write_text("[job\n")
    both = checks.run("check", "job.toml", "other.toml", cwd=job.path)
    checks.equal(both.returncode, 78, "two job files: the worse exit code")
    checks.holds(both.stdout, ["job.toml: ok", "other.toml:1:"], "two job files: both are checked")


def examples(checks):
    """The shipped examples are good jobs, and the one of watermarks runs and counts every row."""
    folder = pathlib.Path(__file__).resolve().parents[2] / "config" / "examples"
    for path in sorted(folder.glob("*.toml")):
        done = checks.run("check", path.name, cwd=folder)
        absent = "[W003]" in done.stdout  # the data of orders.toml are the reader's own
        checks.equal((done.returncode, done.stdout.count(": error[")), (0, 0), f"{path.name} is a good job")
        checks.that(absent or done.stdout == f"{path.name}: ok\n", f"{path.name} without warnings", done.stdout)
    with tempfile.TemporaryDirectory() as copy:
        text = (folder / "watermarks.toml").read_text().replace("127.0.0.1:8686", "127.0.0.1:0")
        (pathlib.Path(copy) / "watermarks.toml").write_text(text)
        done = checks.run("run", "watermarks.toml", cwd=copy)
        checks.equal(done.returncode, 0, "watermarks.toml runs")
        lines = (pathlib.Path(copy) / "out" / "revenue.ndjson").read_text().splitlines()
        checks.equal(sum(json.loads(line)["orders"] for line in lines), 100_000, "watermarks.toml loses no row")
        returned = sum(json.loads(line)["returns"] for line in done.stdout.splitlines())
        checks.equal(returned, 25_000, "watermarks.toml loses no returned row")
    with tempfile.TemporaryDirectory() as copy:
        (pathlib.Path(copy) / "windows.toml").write_text((folder / "windows.toml").read_text())
        done = checks.run("run", "windows.toml", cwd=copy)
        checks.equal((done.returncode, done.stderr.count("error")), (0, 0), "windows.toml runs")
        read = lambda name: [json.loads(line) for line in (pathlib.Path(copy) / f"{name}.ndjson").read_text().splitlines()]
        rows = sum(line["orders"] for line in read("sessions"))
        checks.equal(read("ever")[-1]["orders"], rows, "windows.toml: all of time has the rows of all sessions")
        checks.equal(read("ever")[-1]["kind"], "on_time", "windows.toml: the last result of all")
        checks.equal(sum(line["visits"] for line in read("now")), 15_000, "windows.toml: the clock's windows have every row")


def main():
    checks = Checks(sys.argv[1])
    job = Job(checks, pathlib.Path(sys.argv[2]).resolve())
    many_errors(job, checks)
    case_c02_durations(job)
    case_c10_smallest_job(job, checks)
    case_a06_patterns(job, checks)
    names_and_columns(job)
    absent_input(job, checks)
    examples(checks)
    checks.close()


if __name__ == "__main__":
    main()
