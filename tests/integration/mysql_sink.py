#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# The mysql sink against a live MariaDB server: the orders job into a table equals the truth, tables that do not fit
# are refused with what would, what the target refuses is set aside, and the cases K04, A02, A16 and C06.
#   mysql_sink.py TIDEMARK CORPORA_FOLDER EXAMPLE [PART...]

import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

from checks import Checks
from job_folder import COLUMNS, JobFolder, read_truth
from live_mariadb import LiveMariadb, program
from mysql_target import (DATABASE, create_suggested, dsn, file_rows, fresh_database, orders_job, sink_text, stored_epoch,
                          table_rows, value_of)

ALL = ("region", "window_start", "window_end") + COLUMNS + ("average",)
RETRY = 'retry = {{ max_attempts = {attempts}, initial = "50ms", max = "200ms" }}'


def new_table(server, job, checks):
    """The table that the job itself suggests."""
    fresh_database(server)
    refused = job.run()
    checks.equal(refused.returncode, 78, "a table that is not there is a mistake in the job")
    create_suggested(server, refused.stderr)
    shutil.rmtree(job.path / "state", ignore_errors=True)
    for left in job.path.glob("out.*"):
        left.unlink()


def truth_into_table(checks, server, corpus):
    for mode, truth_file in (("append", "inserts-1m-region.csv"), ("changelog", "changelog-1m-region.csv")):
        job = orders_job(server, checks.tidemark, corpus, mode=mode)
        new_table(server, job, checks)
        done = job.run()
        checks.equal(done.returncode, 0, f"{corpus.name} {mode}: {done.stderr}")
        truth = read_truth(corpus / truth_file)
        seen = {}
        for row in server.rows("SELECT UNIX_TIMESTAMP(CONVERT_TZ(window_start, '+00:00', @@time_zone)), region, "
                               f"{', '.join(COLUMNS)} FROM totals", DATABASE):
            region = None if row[1] == "(none)" else row[1]
            seen[(int(float(row[0]) * 1000), region)] = [value_of(cell) for cell in row[2:]]
        checks.that(seen == truth and truth, f"{corpus.name} {mode}: the table equals the truth",
                    f"{len(seen)} rows, {len(truth)} wanted")
        checks.equal(table_rows(server, ALL), file_rows(job.results, ALL), f"{corpus.name} {mode}: and the file")
        again = job.run()
        checks.that(again.returncode == 0 and "had finished" in again.stderr, "a finished job has nothing to do",
                    again.stderr)
        if mode == "append":
            other_states(checks, server, job)


def other_states(checks, server, job):
    """A table that another run wrote, and a state that is older than the table."""
    before = stored_epoch(server)
    shutil.move(job.path / "state", job.path / "first")
    shutil.move(job.results, job.path / "first.ndjson")
    refused = job.run()
    checks.holds(refused.stderr, ["sink table", "was written from another state", "delete that row"],
                 "a state that was thrown away is noticed")
    checks.equal((refused.returncode, stored_epoch(server)), (74, before), "and nothing is written")
    shutil.rmtree(job.path / "state")
    shutil.move(job.path / "first", job.path / "state")
    shutil.move(job.path / "first.ndjson", job.results)
    server.run("UPDATE tidemark_epochs SET epoch = epoch + 7", DATABASE)
    ahead = job.run()
    checks.holds(ahead.stderr, ["ahead of this job's state"], "an older state is noticed")


def case_K04(checks, server, corpus):
    """The target fails at an epoch: nothing moves, nothing is lost, nothing is there twice."""
    job = orders_job(server, checks.tidemark, corpus, bound="30s", interval="50ms",
                     source_options='read_limit = "1500/s"', options=RETRY.format(attempts=4))
    new_table(server, job, checks)
    process = job.start()
    wait_until(lambda: (stored_epoch(server) or 0) > 2)
    server.run("ALTER TABLE totals DROP COLUMN sum_qty", DATABASE)
    time.sleep(0.1)
    stuck = stored_epoch(server)
    _, err = process.communicate(timeout=60)
    checks.equal(process.returncode, 69, "a target that keeps failing ends the job visibly")
    checks.that(err.count("waits for it") == 1, "the failure is said once", err)
    checks.holds(err, ["sink table", "sum_qty", "tried 4 times", "resumes from epoch"], "with its cause")
    checks.equal(stored_epoch(server), stuck, "no epoch completes")
    server.run("ALTER TABLE totals ADD COLUMN sum_qty DECIMAL(65,0)", DATABASE)
    job.edit(("max_attempts = 4", "max_attempts = 0"))
    process = job.start()
    wait_until(lambda: stored_epoch(server) > stuck)
    server.run("RENAME TABLE totals TO away", DATABASE)  # once more, and back while the job waits
    time.sleep(1)
    held = stored_epoch(server)
    checks.equal((process.poll(), held > stuck), (None, True), "the job waits for its target")
    time.sleep(0.5)
    checks.equal(stored_epoch(server), held, "and no epoch completes")
    server.run("RENAME TABLE away TO totals", DATABASE)
    _, err = process.communicate(timeout=120)
    checks.holds(err, ["waits for it"], "the second failure is said")
    checks.equal(process.returncode, 0, f"it goes on by itself: {err}")
    # Rows before the drop lost their sums by the ALTER, not by the job.
    columns = [name for name in ALL if name != "sum_qty"]
    checks.equal(table_rows(server, columns), file_rows(job.results, columns), "in the end every row is there once")
    server_away(checks, server, corpus)


def server_away(checks, server, corpus):
    """The server itself is killed while the job writes, and comes back."""
    server.stop()  # what its first start made is on disk only now
    server.start()
    job = orders_job(server, checks.tidemark, corpus, bound="30s", interval="50ms",
                     source_options='read_limit = "1500/s"', options=RETRY.format(attempts=0))
    new_table(server, job, checks)
    process = job.start()
    wait_until(lambda: (stored_epoch(server) or 0) > 2)
    for _ in range(3):
        server.kill()
        time.sleep(0.3)
        server.start()
        time.sleep(0.3)
    _, err = process.communicate(timeout=120)
    checks.equal(process.returncode, 0, f"the job outlives its target: {err}")
    checks.equal(table_rows(server, ALL), file_rows(job.results, ALL), "and every row is there once")


CHANGES = """
[job]
name = "changes"
parallelism = 1
[sources.changes]
type = "binlog_file"
shards = ["{data}"]
tables = ["src.{table}"]
mode = "changelog"
follow = true
on_bad_event = "set_aside"
[aggregates.groups]
inputs = ["changes"]
key_by = ["{key}"]
window = {{ type = "global" }}
emit = {{ early = "on_update" }}
[aggregates.groups.columns]
total = "{column}"
[state]
path = "state"
[checkpoint]
interval = "20ms"
[http]
listen = "off"
[log]
level = "warning"
"""


def changes_job(checks, server, table, key, column):
    """A job that follows the server's own binlog and writes the newest value per key back to it."""
    job = JobFolder(checks.tidemark, ".")
    binlogs = job.path / "log"
    binlogs.symlink_to(server.data)
    text = CHANGES.format(data="log", table=table, key=key, column=column)
    text += sink_text(server, table="groups", key=f'["{key}"]', inputs="groups", options=RETRY.format(attempts=3))
    (job.path / "job.toml").write_text(text)
    return job


def wait_until(true, seconds=30):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    return true()


def groups(server):
    return {row[0]: value_of(row[1]) for row in server.rows(f"SELECT * FROM {DATABASE}.groups")}


def case_A02(checks, server):
    """An update of a measured column is one step: nobody sees the minus without the plus."""
    server.run("DROP DATABASE IF EXISTS src; CREATE DATABASE src; CREATE TABLE src.a02 (id INT PRIMARY KEY, k "
               "VARCHAR(10), v INT)")
    fresh_database(server)
    server.run("CREATE TABLE groups (k VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY, total "
               "DECIMAL(65,0))", DATABASE)
    job = changes_job(checks, server, "a02", "k", "sum(v)")
    process = job.start()
    seen = set()
    done = threading.Event()

    def watch():
        while not done.is_set():
            seen.add(groups(server).get("AB"))

    watcher = threading.Thread(target=watch)
    watcher.start()
    server.run("BEGIN; INSERT INTO src.a02 VALUES (1,'AB',1),(2,'AB',1),(3,'AB',1),(4,'C',5),(5,'D',6); COMMIT")
    wait_until(lambda: groups(server).get("AB") == 3)
    server.run("UPDATE src.a02 SET v = 8 WHERE id = 1")
    wait_until(lambda: groups(server).get("AB") == 10)
    done.set()
    watcher.join()
    checks.that(seen <= {None, 3, 10} and 10 in seen, "A02: 3, then 10, and nothing between", seen)
    for i in range(5):
        server.run(f"UPDATE src.a02 SET v = v + 1 WHERE id = {3 + i % 3}")
    wanted = {"AB": 12, "C": 7, "D": 7}
    wait_until(lambda: groups(server) == wanted)
    checks.equal(groups(server), wanted, "A02: five updates of three groups leave three rows")
    server.run("DELETE FROM src.a02 WHERE k = 'C'")
    wait_until(lambda: "C" not in groups(server))
    checks.equal(groups(server), {"AB": 12, "D": 7}, "A02: a group that goes is deleted")
    checks.that("Traceback" not in job.stop(process, signal.SIGTERM) and process.returncode == 0, "A02: stops cleanly")


def case_A16(checks, server):
    """Delete and insert of one key in one transaction; two rows that swap a unique value."""
    server.run("DROP DATABASE IF EXISTS src; CREATE DATABASE src; CREATE TABLE src.a16 (id INT PRIMARY KEY, v "
               "VARCHAR(10) CHARACTER SET utf8mb4 UNIQUE)")
    fresh_database(server)
    server.run("CREATE TABLE groups (id INT PRIMARY KEY, total VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, "
               "UNIQUE INDEX one_total (total))", DATABASE)
    job = changes_job(checks, server, "a16", "id", "max(v)")
    refused = job.run()
    checks.equal(refused.returncode, 78, "A16: a further unique index is refused at the start")
    checks.holds(refused.stderr, ["its unique index one_total is not over the key (id)", "DROP INDEX `one_total`"],
                 "A16: by its name")
    server.run("ALTER TABLE groups DROP INDEX one_total", DATABASE)
    process = job.start()
    server.run("INSERT INTO src.a16 VALUES (1,'10'),(2,'b')")
    wait_until(lambda: len(groups(server)) == 2)
    server.run("BEGIN; DELETE FROM src.a16 WHERE id = 1; INSERT INTO src.a16 VALUES (1,'25'); COMMIT")
    wait_until(lambda: groups(server).get("1") == 25)
    checks.equal(groups(server), {"1": 25, "2": "b"}, "A16: deleted and inserted again in one transaction")
    server.run("BEGIN; UPDATE src.a16 SET v = 'tmp' WHERE id = 1; UPDATE src.a16 SET v = '25' WHERE id = 2; UPDATE "
               "src.a16 SET v = 'b' WHERE id = 1; COMMIT")
    wait_until(lambda: groups(server).get("1") == "b")
    checks.equal(groups(server), {"1": "b", "2": 25}, "A16: swapped, and two rows")
    job.stop(process, signal.SIGTERM)


def refused_rows(checks, server, corpus):
    """Results that the target does not take: an error, or set aside with their reason."""
    job = orders_job(server, checks.tidemark, corpus, options='on_reject = "fail"')
    new_table(server, job, checks)
    server.run("ALTER TABLE totals MODIFY region VARCHAR(4) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, ADD "
               "CHECK (orders <> 3)", DATABASE)
    done = job.run()
    checks.equal(done.returncode, 65, "a refused result fails the job")
    checks.holds(done.stderr, ["table totals refuses the result with region = "], "and is named")
    checks.equal(table_rows(server, ALL), [], "the whole epoch waits")
    job.edit(('on_reject = "fail"', 'on_reject = "set_aside"'))
    done = job.run()
    checks.equal(done.returncode, 0, f"set aside: {done.stderr}")
    wanted = file_rows(job.results, ALL)
    kept = [row for row in wanted if len(row[0]) <= 4 and row[3] != 3]
    checks.that(table_rows(server, ALL) == kept and 0 < len(kept) < len(wanted), "the others are in the table",
                f"{len(kept)} of {len(wanted)}")
    listed = checks.run("late", "ls", "job.toml", "--format", "ndjson", cwd=job.path)
    checks.equal(listed.stdout.count('"refused_by_sink"') > 0, True, f"they are in the late store {listed.stdout[:500]}"
                 f"{listed.stderr[:500]}")


def example(checks, server, path):
    """The commented example as it stands, with the table of its comment."""
    fresh_database(server)
    text = path.read_text()
    comment = "\n".join(line[1:].split(" -- ")[0] for line in text.splitlines() if line.startswith("#  "))
    server.run(comment, DATABASE)
    job = JobFolder(checks.tidemark, ".")
    (job.path / "pw").write_text("")
    (job.path / "job.toml").write_text(text.replace("mysql://app@127.0.0.1:3306/bi", dsn(server))
                                       .replace("/run/secrets/report", "pw"))
    done = checks.run("run", "job.toml", cwd=job.path)
    checks.equal(done.returncode, 0, f"the example runs: {done.stderr}")
    rows = server.rows("SELECT COUNT(*), SUM(orders), COUNT(DISTINCT kind) > 0 FROM revenue_by_minute", DATABASE)[0]
    checks.equal(rows[1:], ["25000", "1"], f"every row of the example is in the table: {rows}")
    late = server.rows("SELECT epoch > 0 FROM tidemark_epochs WHERE job = 'revenue_table' AND sink = 'report'", DATABASE)
    checks.equal(late, [["1"]], "beside its epoch")


SECRET = "Zq9!x@:/ #"


def case_C06(checks, corpus):
    """The password works as it is, and stands nowhere but in the job file."""
    with GrantingMariadb() as server:
        fresh_database(server)
        server.run(f"CREATE USER app@localhost IDENTIFIED BY '{SECRET}'; GRANT ALL ON {DATABASE}.* TO app@localhost")
        raw = f"mysql://app:{SECRET}@127.0.0.1:{server.port}/{DATABASE}"
        encoded = f"mysql://app:Zq9!x%40%3A%2F%20%23@127.0.0.1:{server.port}/{DATABASE}"
        plain = f"mysql://app@127.0.0.1:{server.port}/{DATABASE}"
        forms = [(raw, ""), (encoded, ""), (plain, f'password = "{SECRET}"'),
                 (plain, 'password = { env = "TM_PW" }'), (plain, 'password = { file = "pw" }')]
        for address, password in forms:
            job = secret_job(checks, server, corpus, address, password)
            if stored_epoch(server) is not None:
                server.run("DELETE FROM totals; DELETE FROM tidemark_epochs", DATABASE)
            environment = {"TM_PW": SECRET}
            first = checks.run("run", "job.toml", cwd=job.path, environment=environment)
            if "CREATE TABLE" in first.stderr:
                create_suggested(server, first.stderr)
                first = checks.run("run", "job.toml", cwd=job.path, environment=environment)
            checks.equal(first.returncode, 0, f"C06: the password works: {address[:13]} {password[:18]} {first.stderr}")
            texts = [first.stderr, first.stdout]
            for command in ("check", "explain"):
                done = checks.run(command, "job.toml", cwd=job.path, environment=environment)
                checks.equal(done.returncode, 0, f"C06: {command}: {done.stdout} {done.stderr}")
                texts += [done.stdout, done.stderr]
            for change in (("127.0.0.1", "127.0.0.2"), ('level = "warning"', 'level = "debug"'), ("app", "ape"),
                           ("[state]", "[state")):  # no such host, debug, access denied, no TOML
                job.edit(change)
                for command in ("run", "check"):
                    done = checks.run(command, "job.toml", cwd=job.path, environment=environment)
                    texts += [done.stdout, done.stderr]
                if change[1] != 'level = "debug"':
                    job.edit(change[::-1])
            for path in job.path.rglob("*"):
                if path.is_file() and path.name not in ("job.toml", "pw"):
                    texts.append(path.read_bytes().decode("latin-1"))
            hits = [text for text in texts if "Zq9!x" in text]
            checks.equal(hits, [], f"C06: no hit: {address[:13]} {password[:18]}")
        job = secret_job(checks, server, corpus, plain, 'password = { env = "TM_UNSET" }')
        missing = checks.run("check", "job.toml", cwd=job.path)
        checks.holds(missing.stdout, ["error[F012]", "`TM_UNSET`"], "C06: a variable that is not set is named")
        wrong = secret_job(checks, server, corpus, f"mysql://app:{SECRET}@127.0.0.1", "")
        shown = checks.run("check", "job.toml", cwd=wrong.path)
        checks.that("***" in shown.stdout and "Zq9" not in shown.stdout, "C06: shown as ***", shown.stdout)


def secret_job(checks, server, corpus, address, password):
    job = orders_job(server, checks.tidemark, corpus)
    text = (job.path / "job.toml").read_text()
    text = re.sub(r'dsn = ".*"', lambda _: f'dsn = "{address}"\n{password}', text)
    (job.path / "job.toml").write_text(text.replace('level = "warning"', 'level = "debug"'))
    (job.path / "pw").write_text(SECRET + "\n")
    job.edit(('level = "debug"', 'level = "warning"'))
    return job


class GrantingMariadb(LiveMariadb):
    """With users and passwords, and reached by TCP."""

    def start(self):
        if not (self.data / "mysql").exists():
            subprocess.run([program("mariadb-install-db"), "--no-defaults", f"--datadir={self.data}",
                            "--auth-root-authentication-method=normal", "--skip-test-db", "--user=root"], check=True,
                           capture_output=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.options = ("--skip-grant-tables=0", "--skip-networking=0", "--bind-address=127.0.0.1",
                        f"--port={self.port}")
        super().start()


def main():
    checks = Checks(sys.argv[1])
    corpora = pathlib.Path(sys.argv[2]).resolve()
    only = sys.argv[4:]
    with LiveMariadb("--binlog-row-metadata=FULL", "--innodb-flush-log-at-trx-commit=1") as server:
        corpus = corpora / "orders-mysql-9.7"
        parts = {"truth": lambda: [truth_into_table(checks, server, corpora / name)
                                   for name in ("orders-mysql-9.7", "orders-mariadb-10.11")],
                 "refused": lambda: refused_rows(checks, server, corpus),
                 "K04": lambda: case_K04(checks, server, corpus),
                 "A02": lambda: case_A02(checks, server),
                 "A16": lambda: case_A16(checks, server),
                 "C06": lambda: case_C06(checks, corpus),
                 "example": lambda: example(checks, server, pathlib.Path(sys.argv[3]))}
        for name, part in parts.items():
            if only and name not in only:
                continue
            began = time.monotonic()
            part()
            print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)
    checks.close()


if __name__ == "__main__":
    main()
