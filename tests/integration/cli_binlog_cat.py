#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# `tidemark binlog cat` over whole shards: the changes, applied to rows by primary key, give what the servers had
# in the end; fields and order of the lines; memory on a transaction of 200,000 rows; what cannot be shown is said.
#   cli_binlog_cat.py TIDEMARK CORPORA_FOLDER

import csv
import decimal
import json
import pathlib
import subprocess
import sys
import tempfile

from checks import Checks

FIELDS = ["file", "position", "gtid", "commit_time", "table", "op", "before", "after"]
COLUMNS = ["id", "customer_id", "region", "status", "amount", "qty", "created_at"]
MEMORY_KIB_MAX = 40 * 1024


def cat(checks, files):
    done = checks.run("binlog", "cat", *files, cwd="/")
    checks.ended(done, 0, [], f"cat {files[0].parent.name}")
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def applied(checks, what, lines, table):
    """The rows that are left; every before image must be the row as it was."""
    rows = {}
    wrong = []
    for line in lines:
        if line["table"] != table:
            continue
        before, after = line["before"], line["after"]
        shape = {"insert": (False, True), "update": (True, True), "delete": (True, False)}[line["op"]]
        if (before is not None, after is not None) != shape:
            wrong.append(line)
            continue
        if before is not None and rows.pop(before["id"], None) != before:
            wrong.append(line)
        if after is not None and rows.setdefault(after["id"], after) is not after:
            wrong.append(line)
    checks.that(not wrong, f"{what}: every before image is the row as it was", wrong[:3])
    return rows


def value(name, text):
    if text is None or text == "NULL":
        return None
    return decimal.Decimal(text) if name == "amount" else str(text)


def final_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return {int(row["id"]): [value(name, row[name]) for name in COLUMNS]
                for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}


def shards(checks, corpora):
    for corpus in ("orders-mysql-9.7", "orders-mariadb-10.11"):
        for number in range(1, 5):
            what = f"{corpus}, shard {number}"
            files = sorted((corpora / corpus / f"shard-0{number}").iterdir())
            lines, notes = cat(checks, files)
            checks.that(lines and all(list(line) == FIELDS for line in lines), f"{what}: fields of each line")
            order = [(line["file"], line["position"]) for line in lines]
            checks.equal(order, sorted(order), f"{what}: positions ascend")
            checks.that({line["file"] for line in lines} <= {file.name for file in files}, f"{what}: files")
            checks.that(all(line["gtid"] and line["commit_time"].endswith("Z") for line in lines), f"{what}: GTID, time")
            checks.that("without a name" not in notes, f"{what}: column names are known", notes)
            table = f"shop_0{number}.orders_0{number}"
            checks.equal({line["table"] for line in lines}, {table, f"shop_0{number}.audit"}, f"{what}: tables")
            rows = applied(checks, what, lines, table)
            wanted = final_rows(corpora / "orders-mysql-9.7" / f"final-rows-0{number}.tsv")
            seen = {key: [value(name, row[name]) for name in COLUMNS] for key, row in rows.items()}
            wrong = [key for key in wanted.keys() | seen.keys() if wanted.get(key) != seen.get(key)]
            checks.that(wanted and not wrong, f"{what}: the rows that are left",
                        [(key, seen.get(key), wanted.get(key)) for key in wrong[:3]])
    alone = checks.run("binlog", "cat", "--alone", files[2], cwd="/")
    checks.that(alone.returncode == 0 and '"@1":' in alone.stdout, "--alone: columns without a name are numbered",
                alone.stdout[:300])
    checks.holds(alone.stderr, ["note: ", files[2].name], "--alone: that is said")


def memory_kib(pid):
    """The most that the process had so far (ru_maxrss of a child would count this script, which it was forked from)."""
    try:
        with open(f"/proc/{pid}/status") as file:
            return next((int(line.split()[1]) for line in file if line.startswith("VmHWM:")), 0)
    except OSError:
        return 0


def large_transaction(checks, variants):
    file = variants / "mysql-9.7-compressed-200k-row-transaction.binlog"
    count = total = peak = 0
    process = subprocess.Popen([checks.tidemark, "binlog", "cat", str(file)], stdout=subprocess.PIPE)
    for line in process.stdout:
        after = json.loads(line)["after"]
        count += 1
        total += after["v"]
        if count % 10000 == 0:
            peak = max(peak, memory_kib(process.pid))
        if after["k"] != after["id"] % 97:
            checks.that(False, "a row of the large transaction", after)
            break
    process.stdout.close()
    checks.equal((process.wait(), count, total), (0, 200000, 139999300000), "200,000 rows in one transaction")
    checks.that(0 < peak < MEMORY_KIB_MAX, "its memory stays flat", f"{peak} KiB")

    first = subprocess.Popen([checks.tidemark, "binlog", "cat", str(file)], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    checks.that(first.stdout.readline().endswith(b"}\n"), "a reader that takes one line")
    first.stdout.close()
    err = first.stderr.read()
    checks.that(first.wait(30) in (0, -13, 69) and b"internal" not in err, "a closed pipe ends it quietly",
                f"{first.returncode}: {err}")


def what_is_not_shown(checks, variants, corpora):
    file = variants / "mariadb-10.11-statement-format.binlog"
    done = checks.run("binlog", "cat", file, cwd="/")
    checks.equal(done.stdout, "", "statement format: no rows to show")
    checks.holds(done.stderr, [f"{file}:640: data was changed by a logged statement", "insert into s", f"{file}:816:",
                               "update s set"], "statement format is reported with file:position")
    for name, position in (("mysql-9.7-partial-json-minimal-image-xa.binlog", 1138),
                           ("mariadb-10.11-minimal-image-xa.binlog", 2494)):
        done = checks.run("binlog", "cat", variants / name, cwd="/")
        checks.ended(done, 65, [f"{name}:{position}: ", "; "], f"{name}: refused with file:position")
        checks.that(done.stdout.count("\n") > 0, f"{name}: what comes before is shown")
    done = checks.run("binlog", "cat", variants / "none.000001", cwd="/")
    checks.ended(done, 69, ["none.000001", "No such file"], "no such file")
    with tempfile.TemporaryDirectory() as folder:
        other = pathlib.Path(folder) / "text.000001"
        other.write_text("this is no binlog, but long enough to look like one\n" * 20)
        done = checks.run("binlog", "cat", other, cwd="/")
        checks.ended(done, 65, ["text.000001", "binlog"], "a file that is no binlog")
        cut = pathlib.Path(folder) / "cut.000001"
        whole = (corpora / "orders-mysql-9.7" / "shard-01" / "binlog.000001").read_bytes()
        cut.write_bytes(whole[:len(whole) // 2])
        done = checks.run("binlog", "cat", cut, cwd="/")
        checks.that(done.returncode in (0, 65), "a cut file", done.returncode)
        checks.holds(done.stderr, ["cut.000001:"], "a cut file is reported")
        checks.that(done.stdout.count("\n") > 100, "a cut file: the whole transactions are shown")


def main():
    checks = Checks(sys.argv[1])
    corpora = pathlib.Path(sys.argv[2]).resolve()
    shards(checks, corpora)
    large_transaction(checks, corpora / "variants")
    what_is_not_shown(checks, corpora / "variants", corpora)
    checks.close()


if __name__ == "__main__":
    main()
