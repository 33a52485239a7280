#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Torture against a real server: seeded scripts write random rows of all column types, random DDL and transactions
# under random settings to a private MariaDB; the lines of `tidemark binlog cat`, applied to an empty model, must give
# what SELECT gives, at each DDL and in the end. A failing seed prints how to repeat it and the first difference.
#   torture.py TIDEMARK [--seeds N] [--first N] [--size N] [--features +all,-xa] [--keep FOLDER] [--selftest]
# TIDEMARK_TORTURE_SEEDS is another way to give --seeds.

import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

from live_mariadb import LiveMariadb
from mariadb_session import Session
from torture_model import Difference, Model
from torture_script import Script

FEATURES = ("charsets", "client_charset", "compressed", "generated", "inet", "nontransactional", "versioned", "xa",
            "alter_two_phase")
ENABLED = FEATURES
GLOBALS = ("SET GLOBAL binlog_checksum=CRC32", "SET GLOBAL log_bin_compress=OFF", "SET GLOBAL binlog_row_metadata=NO_LOG")


class Bench:
    """One server for many seeds; each seed starts with empty binlogs and a database of its own."""

    def __init__(self, server, arguments):
        self.server = server
        self.tidemark = str(pathlib.Path(arguments.tidemark).resolve())
        self.arguments = arguments
        self.statements = 0
        self.changes = 0

    def session(self):
        return Session(self.server.socket)

    def cat(self, files, keep=None):
        done = subprocess.run([self.tidemark, "binlog", "cat", *map(str, files)], capture_output=True, timeout=120)
        notes = done.stderr.decode(errors="replace")
        if keep:
            (keep / "cat.ndjson").write_bytes(done.stdout)
            (keep / "cat.notes").write_bytes(done.stderr)
        return done.returncode, done.stdout.splitlines(), notes

    def run(self, seed, features, plant=None):
        """Raises Difference. `plant` may change the lines before they are applied."""
        session = self.session()
        for sql in GLOBALS:
            session.query(sql)
        session.query("RESET MASTER")
        database = f"torture {seed}" if seed % 7 == 0 else f"torture_{seed}"
        script = Script(random.Random(seed), session, self.session, database, features)
        script.go(self.arguments.size)
        session.close()
        files = self.server.binlogs()[:-1]
        try:
            self.compare(script, files, database, plant)
        except Difference:
            self.keep(seed, script, files)
            raise
        finally:
            session = self.session()
            session.query(f"DROP DATABASE `{database}`")
            session.close()
        self.statements += len(script.log)

    def compare(self, script, files, database, plant):
        code, lines, notes = self.cat(files)
        lines = plant(lines) if plant else lines
        self.changes += len(lines)
        model = Model(database, script.steps)
        failure = None
        try:
            for line in lines:
                model.apply(line)
            model.close()
        except Difference as difference:
            failure = str(difference)
        unknown = [note for note in notes.splitlines() if "without a name" in note or "error" in note]
        if code != 0 or unknown or failure:
            raise Difference("\n    ".join(filter(None, [f"exit code {code}" if code else "", failure, *unknown[:3]])))

    def keep(self, seed, script, files):
        if not self.arguments.keep:
            return
        folder = pathlib.Path(self.arguments.keep) / f"seed-{seed}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for file in files:
            shutil.copy(file, folder)
        (folder / "script.sql").write_text(";\n".join(script.log))
        self.cat(files, folder)


def self_test(bench, features):
    """Planted differences must be found, each kind: a change that is lost, one that comes twice, a value that differs,
    a column's name, a step that is lost."""
    def lose(lines):
        at = max(i for i, line in enumerate(lines) if b'.mark"' not in line)
        return lines[:at] + lines[at + 1:]

    def double(lines):
        at = max(i for i, line in enumerate(lines) if b'"op":"insert"' in line and b'.mark"' not in line)
        return lines[:at + 1] + lines[at:]

    def alter(lines):
        at = max(i for i, line in enumerate(lines) if b'"op":"insert"' in line and b'.mark"' not in line)
        head, mark, image = lines[at].partition(b'"after":')
        changed = re.sub(rb':(null|-?[0-9.e+-]+|"[^"\\]*")', lambda m: b':"planted"' if m[1] != b'"planted"' else m[0],
                         image, count=1)
        assert changed != image
        return lines[:at] + [head + mark + changed] + lines[at + 1:]

    def rename(lines):
        at = max(i for i, line in enumerate(lines) if b'"op":"insert"' in line and b'.mark"' not in line)
        return lines[:at] + [lines[at].replace(b'"after":{"', b'"after":{"planted_')] + lines[at + 1:]

    def forget(lines):
        return [line for i, line in enumerate(lines) if i != max(j for j, other in enumerate(lines) if b'.mark"' in other)]

    missed = []
    seeds = range(1, 4)
    for plant in (lose, double, alter, rename, forget):
        for seed in seeds:
            try:
                bench.run(seed, features, plant)
                missed.append(f"{plant.__name__} in seed {seed}")
            except Difference:
                pass
    for text in missed:
        print(f"FAILED: a planted difference was not found: {text}")
    print(f"self-test: {5 * len(seeds)} planted differences, {len(missed)} not found", flush=True)
    return not missed


def features_of(text):
    chosen = set(ENABLED)
    for word in filter(None, text.split(",")):
        name = word.lstrip("+-")
        names = set(FEATURES) if name == "all" else {name}
        if not names <= set(FEATURES):
            sys.exit(f"no such feature: {name}; there are {', '.join(FEATURES)}")
        chosen = chosen - names if word.startswith("-") else chosen | names
    return chosen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tidemark")
    parser.add_argument("--seeds", type=int, default=int(os.environ.get("TIDEMARK_TORTURE_SEEDS", "200")))
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--size", type=int, default=45)
    parser.add_argument("--features", default="")
    parser.add_argument("--keep", help="folder for the binlogs and statements of failing seeds")
    parser.add_argument("--stop-after", type=int, default=5, help="failing seeds")
    parser.add_argument("--selftest", action="store_true")
    arguments = parser.parse_args()
    features = features_of(arguments.features)
    folder = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    failed = 0
    with LiveMariadb("--character-set-server=utf8mb4", "--collation-server=utf8mb4_general_ci", folder=folder) as server:
        bench = Bench(server, arguments)
        good = self_test(bench, features) if arguments.selftest else True
        begin = time.monotonic()
        bench.statements = bench.changes = 0
        for seed in range(arguments.first, arguments.first + arguments.seeds):
            try:
                bench.run(seed, features)
            except Difference as difference:
                failed += 1
                print(f"FAILED: seed {seed}: {difference}\n    repeat: {sys.argv[0]} {arguments.tidemark} --first {seed} "
                      f"--seeds 1 --size {arguments.size} --features={arguments.features} --keep /tmp/torture", flush=True)
                if failed == arguments.stop_after:
                    break
        print(f"{arguments.seeds} seeds from {arguments.first}: {bench.statements} statements, {bench.changes} changes, "
              f"{failed} seeds failed, {time.monotonic() - begin:.0f} s")
    sys.exit(1 if failed or not good else 0)


if __name__ == "__main__":
    main()
