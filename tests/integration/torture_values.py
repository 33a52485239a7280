# SPDX-License-Identifier: Apache-2.0
#
# Columns and cells for the torture test: random column types as SQL spells them, random literals with the edges of
# each type, and the one form in which a value of the server and a value of `tidemark binlog cat` compare.
#
# A column is what information_schema says of it (Column); what was written to make it is forgotten, so that columns
# that an ALTER or a conversion made are treated like all others.

import collections
import decimal
import ipaddress
import re
import struct
import uuid

Column = collections.namedtuple("Column", "name type full charset extra nullable key")

INTEGERS = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "bigint": 64}
TEXTS = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext")
BINARIES = ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob")
GEOMETRIES = ("geometry", "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon",
              "geometrycollection")
PLAIN_CHARSETS = ("latin1", "utf8mb4", "utf8mb3", "ascii", "utf8")
OTHER_CHARSETS = ("latin2", "latin5", "latin7", "cp1250", "cp1251", "cp1256", "cp1257", "koi8r", "koi8u", "greek",
                  "hebrew", "gbk", "gb2312", "big5", "sjis", "cp932", "ujis", "eucjpms", "euckr", "ucs2", "utf16",
                  "utf16le", "utf32")
WORDS = ("", "a", "x  ", " y", "it's", 'say "hi"', "back\\slash", "tab\tline\nend\r", "zero\0byte", "Ä", "größe",
         "naïve €", "žluťoučký", "Привет", "Ελλάδα", "שלום", "日本語", "漢字かな", "中文測試", "한국어", "😀", "a😀b",
         "%_", "NULL", "y" * 60, "é" * 300, "long " * 200)

FIND_MEMBERS = re.compile(r"'((?:[^']|'')*)'")


# --- types -----------------------------------------------------------------------------------------------------------

def pick_charset(rng, features):
    names = PLAIN_CHARSETS + (OTHER_CHARSETS if "charsets" in features else ())
    return rng.choice(names)


def charset_clause(rng, features):
    if rng.random() < 0.45:
        return ""
    name = pick_charset(rng, features)
    return rng.choice((f" CHARACTER SET {name}", f" charset {name}", f" CHARSET='{name}'"
                       if False else f" CHARACTER SET {name}", f" COLLATE {name}_bin", f" CHAR SET {name}",
                       f" CHARACTER SET {name} COLLATE {name}_bin"))


def integer_type(rng, _):
    word = rng.choice(("TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "INTEGER", "INT1", "INT2", "INT3", "INT4",
                       "INT8", "MIDDLEINT", "tinyint", "BOOL", "BOOLEAN"))
    if word.startswith("BOOL"):
        return word
    width = rng.choice(("", "", "(5)", "(20)"))
    return word + width + rng.choice(("", " UNSIGNED", " SIGNED", " UNSIGNED ZEROFILL", " ZEROFILL"))


def decimal_type(rng, _):
    word = rng.choice(("DECIMAL", "DEC", "NUMERIC", "FIXED"))
    digits = rng.choice((1, 2, 9, 10, 18, 19, 30, 64, 65, rng.randint(1, 65)))
    scale = rng.choice((0, min(digits, 30), rng.randint(0, min(digits, 30))))
    size = rng.choice(("", f"({digits})", f"({digits},{scale})", f"( {digits} , {scale} )"))
    return word + size + rng.choice(("", "", " UNSIGNED", " ZEROFILL"))


def float_type(rng, _):
    return rng.choice(("FLOAT", "DOUBLE", "DOUBLE PRECISION", "REAL", "FLOAT(24)", "FLOAT(25)", "FLOAT(53)",
                       "FLOAT(7,3)", "DOUBLE(12,4)", "FLOAT4", "FLOAT8", "FLOAT UNSIGNED", "DOUBLE UNSIGNED",
                       "REAL(9,2)"))


def temporal_type(rng, _):
    word = rng.choice(("DATE", "TIME", "DATETIME", "TIMESTAMP", "YEAR"))
    if word == "YEAR":
        return rng.choice(("YEAR", "YEAR(4)"))
    if word == "DATE":
        return word
    word += rng.choice(("", f"({rng.randint(0, 6)})"))
    return word + (rng.choice((" NULL", " NULL DEFAULT NULL")) if word.startswith("TIMESTAMP") else "")


def text_type(rng, features):
    kind = rng.randrange(10)
    size = rng.choice((0, 1, 10, 63, 64, 85, 86, 255))
    if kind < 3:
        return rng.choice(("CHAR", "CHARACTER")) + rng.choice(("", f"({size})")) + charset_clause(rng, features)
    if kind < 6:
        long = rng.choice((size, 256, 400, 700))
        compressed = " COMPRESSED" if "compressed" in features and rng.random() < 0.3 else ""
        word = rng.choice(("VARCHAR", "CHAR VARYING", "CHARACTER VARYING", "VARCHARACTER"))
        return f"{word}({long}){charset_clause(rng, features) if not compressed else ''}{compressed}"
    if kind == 6:
        return rng.choice(("NCHAR(7)", "NATIONAL CHAR(9)", "NATIONAL VARCHAR(12)", "NVARCHAR(13)",
                           "NATIONAL CHARACTER VARYING(8)", "NCHAR VARCHAR(5)", "LONG", "LONG VARCHAR",
                           "LONG CHAR VARYING"))
    if kind == 7:
        return f"VARCHAR(20000) CHARACTER SET {rng.choice(('utf8mb4', 'latin1', 'utf8mb3'))}"
    word = rng.choice(("TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT", f"TEXT({rng.choice((10, 80, 300, 20000, 70000))})"))
    if "compressed" in features and rng.random() < 0.3:
        return word + " COMPRESSED" + rng.choice(("", "=zlib"))
    return word + charset_clause(rng, features)


def binary_type(rng, features):
    word = rng.choice(("BINARY", "BINARY(4)", "BINARY(16)", "BINARY(255)", "VARBINARY(0)", "VARBINARY(20)",
                       "VARBINARY(300)", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB", "BLOB(100)", "BLOB(70000)",
                       "LONG VARBINARY", "CHAR(6) BYTE", "VARCHAR(30) CHARACTER SET binary", "TEXT CHARSET binary"))
    if "compressed" in features and word.startswith(("VARBINARY", "BLOB", "LONGBLOB")) and rng.random() < 0.3:
        word += " COMPRESSED"
    return word


def members(rng, count):
    words = ["a", "b", "c", "it''s", "semi;colon", "com,ma" if count == 0 else "dot.", "größe", "日本", "with space",
             "tail  ", "(x)", "-- no", "/* no */", "z\\\\z"]
    rng.shuffle(words)
    return words[:count] if count <= len(words) else words + [f"m{i}" for i in range(count - len(words))]


def member_type(rng, features):
    word = rng.choice(("ENUM", "SET"))
    sizes = (1, 2, 5, 300) if word == "ENUM" else (1, 3, 8, 9, 17, 33, 64)
    chosen = members(rng, rng.choice(sizes))
    charset = rng.choice(("", " CHARACTER SET utf8mb4", " CHARACTER SET utf8mb3"))
    if rng.random() < 0.3 and "charsets" in features:
        # MariaDB 10.11 shows the bytes of a backslash in a member of sjis, which has two of them.
        chosen = [m for m in chosen if m.isascii() and "\\" not in m]
        charset = charset_clause(rng, features)
    if "client_charset" not in features and not charset:
        chosen = [m for m in chosen if m.isascii() or m == "größe"]
    chosen = chosen or ["only"]
    return f"{word}({','.join(chr(39) + m + chr(39) for m in chosen)}){charset}"


def other_type(rng, features):
    kinds = ["BIT", "BIT(1)", "BIT(9)", "BIT(64)", f"BIT({rng.randint(1, 64)})", "JSON", "UUID"]
    kinds += [word.upper() for word in GEOMETRIES]
    if "inet" in features:
        kinds += ["INET4", "INET6", "INET4", "INET6"]
    return rng.choice(kinds)


TYPES = (integer_type, integer_type, decimal_type, float_type, temporal_type, temporal_type, text_type, text_type,
         binary_type, member_type, other_type)


def column_type(rng, features):
    return rng.choice(TYPES)(rng, features)


# --- literals ---------------------------------------------------------------------------------------------------------

def hexed(text, charset="utf8mb4"):
    raw = text.encode()
    return f"_utf8mb4 x'{raw.hex()}'"


def integer_literal(rng, column):
    bits = INTEGERS[column.type]
    low, high = (0, 2 ** bits - 1) if "unsigned" in column.full else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return str(rng.choice((low, high, 0, 1, -1, high - 1, 2 ** (bits - 1), rng.randint(low, high), rng.randint(0, 9))))


def decimal_literal(rng, column):
    digits, scale = (int(number) for number in re.search(r"\((\d+),(\d+)\)", column.full).groups())
    whole = digits - scale
    text = rng.choice(("9" * digits, "0" * digits, "0" * (digits - 1) + "1", "1" + "0" * (digits - 1),
                       "".join(rng.choice("0123456789") for _ in range(digits))))
    number = (text[:whole] or "0") + ("." + text[whole:] if scale else "")
    return rng.choice(("", "-")) + number


def float_literal(rng, column):
    edge = ("3.4028234e38", "-3.4028234e38", "1.17549435e-38", "1e-45") if column.type == "float" else (
        "1.7976931348623157e308", "2.2250738585072014e-308", "5e-324", "-1.7976931348623157e308")
    return rng.choice(edge + ("0", "-0.0", "0.1", "-1.5", "1e10", "123456.789", str(rng.uniform(-1e6, 1e6))))


def temporal_literal(rng, column):
    fraction = f".{rng.randint(0, 999999):06d}"
    if column.type == "year":
        return rng.choice(("0", "1901", "1970", "2155", "2000", "'0000'", "70", "69"))
    if column.type == "date":
        return rng.choice(("'0000-00-00'", "'2016-00-28'", "'2023-05-00'", "'9999-12-31'", "'1000-01-01'",
                           "'0001-01-01'", "'2024-02-29'", "'2023-02-31'", "'1970-01-01'"))
    if column.type == "time":
        clock = rng.choice(("00:00:00", "-00:00:01", "838:59:59", "-838:59:59", "-507:48:27", "15:04:05",
                            "-00:00:00", "-16:08:04", "23:59:59"))
        return f"'{clock}{rng.choice(('', fraction, '.000001', '.999999', '.1'))}'"
    if column.type == "datetime":
        day = rng.choice(("0000-00-00 00:00:00", "2016-00-28 15:30:42", "1000-01-01 00:00:00", "9999-12-31 23:59:59",
                          "1970-01-01 00:00:00", "2010-00-00 00:00:00", "0001-01-01 00:00:00", "2024-02-29 12:00:01"))
        return f"'{day}{rng.choice(('', fraction))}'"
    moment = rng.choice(("0000-00-00 00:00:00", "1970-01-01 00:00:01", "2038-01-19 03:14:07", "2026-03-29 02:30:00",
                         "2001-09-09 01:46:40"))
    return f"'{moment}{rng.choice(('', fraction))}'"


def text_literal(rng, column):
    text = rng.choice(WORDS) if rng.random() < 0.8 else "".join(rng.choice("abcäöü日😀 ,'") for _ in range(9))
    if column.type == "longtext" and "json_valid" in column.extra:
        return json_literal(rng)
    return hexed(text)


def json_literal(rng):
    return hexed(rng.choice(('{"a": 1}', '[1, 2.50, "x", null]', '"text"', "17", '{"ключ": "значение 😀"}', "[]",
                             '{"a":{"b":[true,false]}}')))


def binary_literal(rng, _):
    return rng.choice(("x'00'", "x''", "x'ff00ff00'", "x'eb" + "00" * 15 + "'", "x'616263202020'", "REPEAT('b', 200)",
                       "x'" + bytes(rng.randrange(256) for _ in range(12)).hex() + "'"))


def geometry_literal(rng, column):
    texts = {"point": "POINT(1 2)", "linestring": "LINESTRING(0 0,1 1,2 2)", "polygon": "POLYGON((0 0,0 3,3 3,0 0))",
             "multipoint": "MULTIPOINT(1 1,2 2)", "multilinestring": "MULTILINESTRING((0 0,1 1),(2 2,3 3))",
             "multipolygon": "MULTIPOLYGON(((0 0,0 3,3 3,0 0)))",
             "geometrycollection": "GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(0 0,1 1))"}
    kind = rng.choice(sorted(texts)) if column.type == "geometry" else column.type
    return f"ST_GeomFromText('{texts[kind]}', {rng.choice((0, 4326, 1))})"


def other_literal(rng, column):
    if column.type == "uuid":
        return f"'{uuid.UUID(int=rng.choice((0, 1, 2 ** 128 - 1, rng.getrandbits(128), rng.getrandbits(64) << 64)))}'"
    if column.type == "inet4":
        return rng.choice(("'0.0.0.0'", "'255.255.255.255'", "'10.0.0.0'", "'192.168.1.1'"))
    if column.type == "inet6":
        return rng.choice(("'::'", "'::1'", "'2001:db8::ff00:42:8329'", "'::ffff:192.0.2.128'", "'fe80::'"))
    if column.type == "bit":
        bits = int(re.search(r"\((\d+)\)", column.full).group(1))
        return str(rng.choice((0, 1, 2 ** bits - 1, 2 ** (bits - 1), rng.getrandbits(bits))))
    count = len(FIND_MEMBERS.findall(column.full))
    if column.type == "enum":
        return rng.choice((str(rng.randint(1, count)), str(count), "1", "'bogus'", "0"))
    return str(rng.choice((0, 1, 2 ** count - 1, 2 ** (count - 1), rng.getrandbits(count))))


def literal(rng, column):
    """A random value of the column, as SQL."""
    if column.nullable and rng.random() < 0.12:
        return "NULL"
    if column.type in INTEGERS:
        return integer_literal(rng, column)
    if column.type == "decimal":
        return decimal_literal(rng, column)
    if column.type in ("float", "double"):
        return float_literal(rng, column)
    if column.type in ("date", "time", "datetime", "timestamp", "year"):
        return temporal_literal(rng, column)
    if column.type in TEXTS:
        return text_literal(rng, column)
    if column.type in BINARIES:
        return binary_literal(rng, column)
    if column.type in GEOMETRIES:
        return geometry_literal(rng, column)
    return other_literal(rng, column)


# --- one form to compare ------------------------------------------------------------------------------------------------

def is_utf8(column):
    """Its bytes are asked for: an ALTER from a binary type may have left some that are no text."""
    return column.type in TEXTS and column.charset in ("utf8mb3", "utf8mb4", "ascii")


def select_expression(column):
    name = "`" + column.name.replace("`", "``") + "`"
    if column.type in ("float", "double"):  # FLOAT prints six digits, DOUBLE(9,2) two
        return f"CAST({name} AS DOUBLE)"
    if column.type in BINARIES or column.type in GEOMETRIES or is_utf8(column):
        return f"HEX({name})"
    return f"{name}+0" if column.type == "bit" else name


def network_bytes(text, column):
    if column.type == "uuid":
        return "0x" + uuid.UUID(text).hex
    return "0x" + ipaddress.ip_address(text).packed.hex()


def number_text(text):
    number = decimal.Decimal(text)
    return f"{number:f}"


def from_server(column, raw):
    """`raw`: the bytes that select_expression() gave."""
    if raw is None:
        return None
    if column.type in BINARIES or column.type in GEOMETRIES:
        return "0x" + raw.decode().lower()
    if is_utf8(column):
        try:
            return bytes.fromhex(raw.decode()).decode()
        except UnicodeDecodeError:
            return {"not_utf8": "0x" + raw.decode().lower()}
    return same_form(column, raw.decode(errors="backslashreplace"))


class NotText:
    """Bytes that an ALTER from a binary type left in a column of another charset: the server shows '?' for some of them,
    so only what is ASCII compares."""

    def __init__(self, raw):
        self.ascii = self.only_ascii(raw.decode("latin1"))
        self.raw = raw

    @staticmethod
    def only_ascii(text):
        return "".join(letter for letter in text if letter.isascii() and letter != "?")

    def __eq__(self, other):
        return self.raw == other.raw if isinstance(other, NotText) else (
            isinstance(other, str) and self.only_ascii(other) == self.ascii)

    def __repr__(self):
        return f"NotText({self.raw})"


def from_log(column, value):
    """`value`: the JSON value of a change."""
    if isinstance(value, dict) and list(value) == ["not_utf8"] and not is_utf8(column):
        return NotText(bytes.fromhex(value["not_utf8"][2:]))
    if value is None or isinstance(value, dict):
        return value
    if column.type in BINARIES or column.type in GEOMETRIES:
        return value
    return same_form(column, str(value))


def same_form(column, text):
    try:
        if column.type in INTEGERS or column.type in ("bit", "year"):
            return int(text)
        if column.type == "float":
            return struct.pack("f", float(text))
        if column.type == "double":
            return struct.pack("d", float(text))
        if column.type == "decimal":
            return number_text(text)
        if column.type in ("uuid", "inet4", "inet6"):
            return network_bytes(text, column)
    except (ValueError, ArithmeticError, struct.error) as error:
        return ("unreadable", text, str(error))
    return text
