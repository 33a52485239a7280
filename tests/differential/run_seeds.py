#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Random jobs over random changelogs by the real program, against an oracle that recomputes everything from the rows
# that are left (oracle.py). Each seed is a job of its own; the first that differs is kept and shown.
#   run_seeds.py TIDEMARK PLUGINS FIRST_SEED COUNT [KEEP_FOLDER]

import datetime
import decimal
import fractions
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from chained_jobs import random_job
from changelog import Changelog
from oracle import all_results
from random_jobs import call_text
from schema import key_kind

MICROS = 1_000_000
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def micros(text):
    if text is None:
        return None
    return (datetime.datetime.fromisoformat(text) - EPOCH) // datetime.timedelta(microseconds=1)


def read_results(path, aggregate):
    """The last result of each window and key; those that were retracted are not there."""
    out, problems = {}, []
    revisions = {}
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for line in text.splitlines():
        row = json.loads(line, parse_float=float)
        place = (micros(row["window_start"]), micros(row["window_end"]),
                 *(read_key(key_kind(key, aggregate.schema), row[key[1]]) for key in aggregate.keys))
        if "revision" in row:
            if row["revision"] != revisions.get(place, 0) + 1:
                problems.append(f"{place}: revision {row['revision']} after {revisions.get(place, 0)}")
            revisions[place] = row["revision"]
        elif place in out:
            problems.append(f"{place}: two results")
        if row.get("kind") == "retraction":
            if out.pop(place, None) is None:
                problems.append(f"{place}: a retraction of nothing")
        else:
            out[place] = {name: row[name] for name in aggregate.columns}
    return out, problems


def read_key(kind, value):
    if kind.name == "time":
        return micros(value)
    return pathlib.Path(value).stem if kind.name == "shard" else value


def is_equal(column, schema, found, right):
    function, argument = column[0], column[1]
    if right is None or found is None:
        return found is None and right is None
    if function == "top_k":
        return (json.loads(found) if isinstance(found, str) else found) == right
    if function == "approx_count_distinct":
        return abs(int(found) - right) <= max(1, right * 0.03)
    if function == "quantile":
        return abs(fractions.Fraction(found) - right) <= abs(right) * fractions.Fraction(101, 10_000)
    if argument and schema[argument].name == "time" and not function.startswith("count"):
        return micros(found) == right
    if isinstance(right, decimal.Decimal):  # scale counts
        return (isinstance(found, str) or right.as_tuple().exponent == 0) and (
            decimal.Decimal(str(found)).as_tuple() == right.as_tuple())
    if isinstance(right, bool):
        return found is right
    if function == "sum" and isinstance(right, int):
        return decimal.Decimal(str(found)) == right
    if isinstance(right, float):
        return found == right or (math.isclose(found, right, rel_tol=1e-15) and function.startswith("stddev"))
    return (int(found) if isinstance(right, int) else found) == right


def run_seed(seed, tidemark, plugins, folder):
    job = random_job(seed)
    log = Changelog(seed, job.mode)
    log.write_files(folder)
    (folder / "job.toml").write_text(job.to_toml(folder, plugins), encoding="utf-8")
    done = subprocess.run([tidemark, "run", "--quiet", "job.toml"], cwd=folder, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        return [f"exit code {done.returncode}: {done.stderr}"]
    problems = []
    for aggregate, right in zip(job.aggregates, all_results(job, log).values()):
        problems += [f"{aggregate.name}: {one}" for one in compare(folder / f"{aggregate.name}.ndjson", aggregate, right)]
    return problems


def compare(path, aggregate, right):
    found, problems = read_results(path, aggregate)
    for place in sorted(right.keys() | found.keys(), key=str):
        if place not in found or place not in right:
            problems.append(f"{place}: {found.get(place)} instead of {right.get(place)}")
            continue
        for name, column in aggregate.columns.items():
            if not is_equal(column, aggregate.schema, found[place][name], right[place][name]):
                problems.append(f"{place}: {name} = {call_text(column)} is {found[place][name]!r} instead of "
                                f"{right[place][name]!r}")
    return problems


def main():
    tidemark, plugins, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    keep = pathlib.Path(sys.argv[5]) if len(sys.argv) > 5 else None
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # nothing here is about what survives a power loss
    failed = 0
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory(dir=memory) as name:
            folder = pathlib.Path(name)
            problems = run_seed(seed, str(pathlib.Path(tidemark).resolve()), str(pathlib.Path(plugins).resolve()), folder)
            if not problems:
                continue
            failed += 1
            print(f"seed {seed}: {len(problems)} problems")
            print((folder / "job.toml").read_text())
            print("\n".join(problems[:6]), flush=True)
            if keep:
                shutil.copytree(folder, keep / str(seed), dirs_exist_ok=True)
            if failed >= 3:
                break
    if failed:
        sys.exit(f"{failed} seeds differ")
    print(f"seeds {first} to {first + count - 1}: every result equals the oracle's")


if __name__ == "__main__":
    main()
