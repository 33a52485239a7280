#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Every charset of a live MariaDB against the conversion to UTF-8: all sequences of one byte, of two in the charsets
# that have them, of three in those that have them too, and every Unicode character in the Unicode ones. What is one
# character on the server must be the same one here, with nothing replaced; what is none must not be taken for one.
# The ids of all collations name the charset that the server names.
#   charsets.py CHARSET_LINES_PROGRAM

import subprocess
import sys

from live_mariadb import LiveMariadb

TWO_BYTES = ["big5", "cp932", "eucjpms", "euckr", "gb2312", "gbk", "sjis", "ujis"]
THREE_BYTES = ["eucjpms", "ujis"]
UNICODE = {"ucs2": "utf-16-be", "utf16": "utf-16-be", "utf16le": "utf-16-le", "utf32": "utf-32-be", "utf8mb3": "utf-8",
           "utf8mb4": "utf-8"}
REPLACEMENT = "\ufffd"
REPORTED = 20


def sequences(charset):
    """What to ask of the server, as hex."""
    if charset in UNICODE:
        last = 0x110000 if charset in ("utf8mb4", "utf16", "utf16le", "utf32") else 0x10000
        step = 7  # beyond the BMP: a sample
        codes = [*range(0x10000), *range(0x10000, last, step)]
        return [chr(code).encode(UNICODE[charset], "surrogatepass").hex().upper() for code in codes]
    out = [f"{byte:02X}" for byte in range(0x100)]
    if charset in TWO_BYTES:
        out += [f"{pair:04X}" for pair in range(0x8000, 0x10000)]
    if charset in THREE_BYTES:
        out += [f"8F{pair:04X}" for pair in range(0x8000, 0x10000)]
    return out


def on_server(server, charset, asked):
    """Hex of the bytes -> the one character they are to the server; absent = they are none."""
    server.run("TRUNCATE d.asked; INSERT INTO d.asked VALUES " + ",".join(f"(x'{one}')" for one in asked))
    rows = server.rows(f"SET sql_mode=''; SELECT HEX(b), HEX(CONVERT(CONVERT(b USING {charset}) USING utf8mb4)) FROM d.asked")
    characters = {}
    for code, utf8 in rows:
        text = bytes.fromhex(utf8 or "").decode("utf-8", "surrogatepass")
        # A question mark stands for what cannot be converted.
        question_mark = code == "?".encode(UNICODE.get(charset, "ascii")).hex().upper()
        if len(text) == 1 and (text != "?" or question_mark):
            characters[code] = text
    return characters


def faults(charset, asked, answers, characters):
    single = {code: text for code, text in characters.items() if len(code) == 2}
    for code, (utf8, replaced) in zip(asked, answers):
        ours = bytes.fromhex(utf8).decode("utf-8")  # strict: raises if it is not valid
        theirs = characters.get(code)
        # Lone surrogates are characters to ucs2, and U+FFFD stands in the servers' tis620 for what is none.
        unsure = theirs is not None and (0xD800 <= ord(theirs) <= 0xDFFF or (theirs == REPLACEMENT and charset not in UNICODE))
        if theirs is not None and not unsure:
            if ours != theirs or replaced != 0:
                yield f"{code}: {theirs!r} on the server, {ours!r} here, {replaced} bytes replaced"
            continue
        bytewise = [single.get(code[i:i + 2]) for i in range(0, len(code), 2)]
        if replaced == 0 and (charset in UNICODE or None in bytewise or ours != "".join(bytewise)):
            yield f"{code}: no character on the server, {ours!r} here"
        if replaced != ours.count(REPLACEMENT):
            yield f"{code}: {replaced} bytes replaced, but {ours!r}"


def ask(program, lines):
    done = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def main(program):
    failed = 0
    with LiveMariadb("--skip-log-bin", "--max-allowed-packet=64M") as server:
        server.run("CREATE DATABASE d; CREATE TABLE d.asked (b VARBINARY(8)) ENGINE=MyISAM")
        names = [name for name, in server.rows("SELECT character_set_name FROM information_schema.character_sets ORDER BY 1")]
        for charset in names:
            if charset == "binary":
                continue
            asked = sequences(charset)
            characters = on_server(server, charset, asked)
            answers = [line.split() for line in ask(program, [f"text {charset} {code}" for code in asked])]
            if ["?"] in answers:
                found = ["not known here"]
            else:
                found = list(faults(charset, asked, [(utf8, int(count)) for utf8, count in answers], characters))
            print(f"{charset}: {len(asked)} sequences, {len(characters)} characters, {len(found)} differences", flush=True)
            for line in found[:REPORTED]:
                print("    " + line)
            failed += len(found)
        collations = server.rows("SELECT DISTINCT id, character_set_name, full_collation_name "
                                 "FROM information_schema.collation_character_set_applicability ORDER BY 1")
        named = ask(program, [f"collation {number}" for number, _, _ in collations])
        for (number, charset, collation), name in zip(collations, named):
            if (name or "binary") != charset:
                print(f"    collation {number} ({collation}) is of {charset}, {name!r} here")
                failed += 1
        print(f"{len(collations)} collations")
    sys.exit(1 if failed or len(names) < 30 or len(collations) < 300 else 0)


if __name__ == "__main__":
    main(sys.argv[1])
