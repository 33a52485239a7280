#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# `tidemark binlog cat` over whole shards: the changes, applied to rows by primary key, give what the servers had
# in the end; fields and order of the lines; filters and counts; memory on transactions of 200,000 compressed and of
# 2,000,000 plain rows; what cannot be shown is said.
#   cli_binlog_cat.py TIDEMARK CORPORA_FOLDER

import csv
import decimal
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

from checks import Checks

FIELDS = ["file", "position", "gtid", "commit_time", "table", "op", "before", "after"]
COLUMNS = ["id", "customer_id", "region", "status", "amount", "qty", "created_at"]
TABLES = """CREATE TABLE `shop_0?`.`orders_*` (id BIGINT UNSIGNED PRIMARY KEY, customer_id INT NOT NULL,
  region VARCHAR(16) CHARACTER SET utf8mb4,
  status ENUM('new','paid','cancelled') NOT NULL, amount DECIMAL(18,4) NOT NULL, qty SMALLINT UNSIGNED,
  created_at DATETIME(3) NOT NULL, note TEXT) CHARSET utf8mb4;
CREATE TABLE audit (id BIGINT AUTO_INCREMENT PRIMARY KEY, msg VARCHAR(200)) CHARSET latin1;
"""
MEMORY_KIB_MAX = 40 * 1024
PLAIN_ROWS = 2_000_000


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
    checks.holds(alone.stderr, ["note: ", files[2].name, "schema_file"], "--alone: that is said")
    schema_file(checks, files[2])


def schema_file(checks, file):
    with tempfile.TemporaryDirectory() as folder:
        tables = pathlib.Path(folder) / "tables.sql"
        tables.write_text(TABLES)
        whole = checks.run("binlog", "cat", file, cwd="/")
        declared = checks.run("binlog", "cat", "--alone", "--schema", tables, file, cwd="/")
        checks.equal((declared.returncode, declared.stdout), (0, whole.stdout), "--schema: the same lines as with the DDL")
        tables.write_text(TABLES.replace("DECIMAL", "DECIMA"))
        wrong = checks.run("binlog", "cat", "--schema", tables, file, cwd="/")
        checks.ended(wrong, 65, [f"{tables}:3:58: ", "column type not known near 'DECIMA'"], "--schema: an error's place")


PEAK = """import os, subprocess, sys
with open(os.devnull, "wb") as null:
    process = subprocess.Popen(sys.argv[1:], stdout=null)
    _, status, usage = os.wait4(process.pid, 0)
print(status, usage.ru_maxrss)"""


def peak_kib(checks, arguments, what):
    """Peak memory of a run that must end well; from a small process, as a child starts with what its parent has."""
    done = subprocess.run([sys.executable, "-S", "-c", PEAK, checks.tidemark, "binlog", "cat", *map(str, arguments)],
                          stdout=subprocess.PIPE, text=True)
    status, peak = map(int, done.stdout.split())
    checks.equal(status, 0, f"{what}: exit code")
    return peak


def large_transaction(checks, variants):
    file = variants / "mysql-9.7-compressed-200k-row-transaction.binlog"
    count = total = 0
    process = subprocess.Popen([checks.tidemark, "binlog", "cat", str(file)], stdout=subprocess.PIPE)
    for line in process.stdout:
        after = json.loads(line)["after"]
        count += 1
        total += after["v"]
        if after["k"] != after["id"] % 97:
            checks.that(False, "a row of the large transaction", after)
            break
    process.stdout.close()
    checks.equal((process.wait(), count, total), (0, 200000, 139999300000), "200,000 rows in one transaction")
    for arguments in ([file], ["--stats", file]):
        peak = peak_kib(checks, arguments, "200,000 compressed rows")
        checks.that(peak < MEMORY_KIB_MAX, "its peak memory", f"{peak} KiB")

    first = subprocess.Popen([checks.tidemark, "binlog", "cat", str(file)], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    checks.that(first.stdout.readline().endswith(b"}\n"), "a reader that takes one line")
    first.stdout.close()
    err = first.stderr.read()
    checks.that(first.wait(30) == 69 and b"error: standard output: cannot be written: Broken pipe" in err,
                "a closed pipe is an error of the output", f"{first.returncode}: {err}")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([checks.tidemark, "binlog", "cat", str(file)], stdout=full, stderr=subprocess.PIPE,
                              text=True)
    checks.ended(done, 69, ["error: standard output: cannot be written: No space left on device"], "a full disk")


def event(kind, body):
    """Without checksum and end position, as inside a MariaDB 11.4 transaction."""
    return struct.pack("<IBIIIH", 1_000_000_000, kind, 5, 19 + len(body), 0, 0) + body


def query(text):
    return event(2, struct.pack("<IIBHH", 1, 0, 2, 0, 0) + b"db\0" + text)


def plain_head():
    """Magic and FORMAT_DESCRIPTION of a file without checksums."""
    lengths = bytearray(42)
    lengths[18] = 8
    return b"\xfebin" + event(15, struct.pack("<H50sIB", 4, b"8.4.3", 0, 19) + lengths + b"\0" + b"\0" * 4)


def plain_log(path):
    """One transaction of PLAIN_ROWS rows of db.t (id INT), 500 in an event."""
    table_map = event(19, b"\7\0\0\0\0\0" + b"\1\0" + b"\2db\0\1t\0" + b"\1\3\0\0" + b"\1\1\0\4\3\2id")
    rows = event(23, b"\7\0\0\0\0\0" + b"\0\0" + b"\1\1" + b"".join(struct.pack("<BI", 0, i) for i in range(500)))
    with open(path, "wb") as file:
        file.write(plain_head() + query(b"BEGIN") + table_map)
        for _ in range(PLAIN_ROWS // 500):
            file.write(rows)
        file.write(event(16, b"\0" * 8))


def plain_transaction(checks):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "plain.000001"
        plain_log(file)
        done = checks.run("binlog", "cat", "--stats", "--json", file, cwd="/")
        checks.ended(done, 0, [], "2,000,000 rows in one transaction")
        table = json.loads(done.stdout)["tables"][0]
        checks.equal((table["table"], table["inserts"], table["transactions"], table["image_bytes"]),
                     ("db.t", PLAIN_ROWS, 1, 5 * PLAIN_ROWS), "their counts")
        for arguments in ([file], ["--stats", file]):
            peak = peak_kib(checks, arguments, "2,000,000 rows")
            checks.that(peak < MEMORY_KIB_MAX, "their memory stays flat", f"{peak} KiB")


def large_event(checks):
    """One row of 64 MiB, as a LONGBLOB and as a LONGTEXT."""
    size = 64 << 20
    with tempfile.TemporaryDirectory() as folder:
        for collation, value in ((63, b"\xab"), (45, b"a")):
            file = pathlib.Path(folder) / f"large.00000{collation}"
            metadata = b"\1\1\0" b"\2\1" + bytes([collation]) + b"\4\5\2id\1v"
            table_map = event(19, b"\7\0\0\0\0\0" + b"\1\0" + b"\2db\0\1t\0" + b"\2\3\xfc\1\4\2" + metadata)
            row = b"\7\0\0\0\0\0" + b"\1\0" + b"\2\3" + b"\0" + struct.pack("<II", 1, size) + value * size
            with open(file, "wb") as log:
                log.write(plain_head() + query(b"BEGIN") + table_map + event(23, row) + event(16, b"\0" * 8))
            done = subprocess.run([checks.tidemark, "binlog", "cat", str(file)], stdout=subprocess.PIPE)
            wanted = b'"0x' + b"ab" * size + b'"}}\n' if collation == 63 else b'"' + b"a" * size + b'"}}\n'
            checks.that(done.returncode == 0 and done.stdout.endswith(b'"after":{"id":1,"v":' + wanted),
                        f"a value of 64 MiB, collation {collation}", done.stdout[:300])
            peak = peak_kib(checks, [file], "an event of 64 MiB")
            checks.that(peak < 6 * size >> 10, "its memory is a small multiple", f"{peak} KiB")


def filters(checks, corpora):
    folder = corpora / "orders-mysql-9.7" / "shard-01"
    files = sorted(folder.iterdir())
    lines, _ = cat(checks, files)
    listed, _ = cat(checks, [folder])
    checks.equal(listed, lines, "a directory is read as its files")

    def chosen(*arguments):
        done = checks.run("binlog", "cat", *arguments, folder, cwd="/")
        checks.ended(done, 0, [], f"cat {arguments}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    low, high = lines[len(lines) // 3], lines[2 * len(lines) // 3]
    at = [(line["file"], line["position"]) for line in lines]
    places = [(line["file"], line["position"]) for line in (low, high)]
    checks.equal(chosen("--from", "%s:%d" % places[0], "--to", "%s:%d" % places[1]),
                 [line for line, place in zip(lines, at) if places[0] <= place < places[1]], "a range of positions")
    checks.equal(chosen("--from", low["commit_time"], "--to", high["commit_time"]),
                 [line for line in lines if low["commit_time"] <= line["commit_time"] < high["commit_time"]],
                 "a range of times")
    checks.equal(chosen("--table", "shop_*.audit", "--table", "/nothing/"),
                 [line for line in lines if line["table"].endswith(".audit")], "a table")
    uuid = low["gtid"].split(":")[0]
    checks.equal(chosen("--gtid", low["gtid"], "--gtid", f"{uuid}:2-3:9"),
                 [line for line in lines
                  if line["gtid"] in (low["gtid"], f"{uuid}:2", f"{uuid}:3", f"{uuid}:9")], "GTIDs")
    for arguments, parts in ((["--from", "binlog.000009:4"], ["--from binlog.000009:4: no such file"]),
                             (["--to", "4"], ["--to 4: which of the files"]), (["--json"], ["--stats"]),
                             (["--gtid", "1:2"], ["--gtid 1:2: "]),
                             (["--table", "a.b.c"], ["--table: pattern", "more than two halves"])):
        checks.ended(checks.run("binlog", "cat", *arguments, folder, cwd="/"), 64, parts, f"usage: {arguments}")

    done = checks.run("binlog", "cat", "--stats", folder, cwd="/")
    checks.ended(done, 0, [], "--stats")
    checks.holds(done.stdout, [f"{len(files)} files, ", "shop_01.orders_01", "longest transactions by rows"], "--stats")
    stats = json.loads(checks.run("binlog", "cat", "--stats", "--json", folder, cwd="/").stdout)
    for table in stats["tables"]:
        of_table = [line for line in lines if line["table"] == table["table"]]
        checks.equal([table[op + "s"] for op in ("insert", "update", "delete")],
                     [sum(line["op"] == op for line in of_table) for op in ("insert", "update", "delete")],
                     f"counts of {table['table']}")
        checks.equal((table["first_commit_time"], table["last_commit_time"], table["transactions"]),
                     (min(line["commit_time"] for line in of_table), max(line["commit_time"] for line in of_table),
                      len({line["gtid"] for line in of_table})), f"times of {table['table']}")
    by_gtid = {}
    for line in lines:
        by_gtid[line["gtid"]] = by_gtid.get(line["gtid"], 0) + 1
    checks.equal([one["rows"] for one in stats["longest_by_rows"]], sorted(by_gtid.values(), reverse=True)[:5],
                 "the longest transactions")


def what_is_not_shown(checks, variants, corpora):
    file = variants / "mariadb-10.11-statement-format.binlog"
    done = checks.run("binlog", "cat", file, cwd="/")
    checks.equal(done.stdout, "", "statement format: no rows to show")
    checks.holds(done.stderr, [f"{file}:640: data was changed by a logged statement", "insert into s", f"{file}:816:",
                               "update s set"], "statement format is reported with file:position")
    done = checks.run("binlog", "cat", variants / "mysql-9.7-partial-json-minimal-image-xa.binlog", cwd="/")
    checks.ended(done, 0, ["note: ", "its document was changed in part"], "a document without its base is noted")
    checks.holds(done.stdout, ['"op":"update"'], "and shown as it stands")
    done = checks.run("binlog", "cat", variants / "none.000001", cwd="/")
    checks.ended(done, 69, ["none.000001: cannot open the file: No such file"], "no such file")
    with tempfile.TemporaryDirectory() as folder:
        other = pathlib.Path(folder) / "text.000001"
        other.write_text("this is no binlog, but long enough to look like one\n" * 20)
        done = checks.run("binlog", "cat", other, cwd="/")
        checks.ended(done, 65, ["text.000001", "binlog"], "a file that is no binlog")
        encrypted = pathlib.Path(folder) / "encrypted.000001"
        encrypted.write_bytes((b"\xfdbin\1\1\5key_1\2" + b"p" * 32 + b"\3" + b"i" * 16).ljust(600, b"\0"))
        done = checks.run("binlog", "cat", encrypted, cwd="/")
        checks.ended(done, 65, ["encrypted.000001: the file is encrypted", "key_1", "--keyring"], "an encrypted file")
        keyring = pathlib.Path(folder) / "keyring"
        keyring.write_text('{"version":"1.0","elements":[]}')
        done = checks.run("binlog", "cat", "--keyring", keyring, encrypted, cwd="/")
        checks.ended(done, 65, ["key_1, which is not in", str(keyring)], "a keyring without the key")
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
    filters(checks, corpora)
    large_transaction(checks, corpora / "variants")
    plain_transaction(checks)
    large_event(checks)
    what_is_not_shown(checks, corpora / "variants", corpora)
    checks.close()


if __name__ == "__main__":
    main()
