# SPDX-License-Identifier: Apache-2.0
#
# The torture test's script of one seed: random tables, rows, transactions, DDL in many spellings and session settings,
# run on a server. What a statement does to rows without row events (DDL) is asked of the server before and after and
# kept as a step; a row in the table `mark` says where in the log the step belongs.
#
# A statement that the server refuses is a statement like another: what it did is asked as well.

import re
import time

from mariadb_session import SqlError
from torture_values import BINARIES, Column, GEOMETRIES, column_type, from_server, literal, select_expression

PLAIN_NAMES = ("a", "b", "c", "val", "Total", "x1", "name", "data", "e", "long_column_name", "_u")
ODD_NAMES = ("sel`ect", "from", "we ird", "größe", "1st", "a.b", "comment", "key", "first", "after", "日本", "période",
             "semi;x", "q'uote", 'dq"x', "add", "column", "primary", "period", "check", "system", "partition")
TABLES = ("t", "orders", "T2", "with space", "back`tick", "select", "tabelle_ä", "x.y", "1t")
COLUMNS_SQL = ("SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, CHARACTER_SET_NAME, CONCAT_WS(' ', EXTRA, IS_GENERATED, GENERATION_EXPRESSION, "
               "IF(COLUMN_TYPE = 'longtext', (SELECT GROUP_CONCAT(CHECK_CLAUSE) FROM information_schema.CHECK_CONSTRAINTS k "
               "WHERE k.CONSTRAINT_SCHEMA = c.TABLE_SCHEMA AND k.TABLE_NAME = c.TABLE_NAME AND "
               "k.CONSTRAINT_NAME = c.COLUMN_NAME), '')), IS_NULLABLE, COLUMN_KEY "
               "FROM information_schema.COLUMNS c WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ")
VERSION_COLUMNS = [Column(name, "timestamp", "timestamp(6)", None, "generated", False, "") for name in
                   ("row_start", "row_end")]
CLIENT_CHARSETS = (("utf8mb4", None), ("utf8mb4", None), ("latin1", "cp1252"), ("gbk", "gbk"), ("sjis", "shift_jis"),
                   ("cp1251", "cp1251"))
NOISE = (" ", "  ", "\n", "\t", " /* noise */ ", " # noise ' ` \"\n", " -- noise, (\n", "/**/", " /*!99999 nope, */ ",
         " /*M!990000 nope( */ ", " /*!999999 nope*/ ")


class Snapshot:
    """A table as the server has it: columns in their order, rows as tuples in the form that compares."""

    def __init__(self, columns, rows):
        self.columns = columns
        self.rows = rows


def quoted_text(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


class Script:
    def __init__(self, rng, session, connect, database, features):
        self.rng = rng
        self.session = session
        self.connect = connect
        self.database = database
        self.features = features
        self.steps = []          # what each row of `mark` stands for: (kind, {table: Snapshot or None})
        self.log = []            # the statements, for the report of a failure
        self.tables = {}         # name -> columns
        self.versioned = set()
        self.no_rollback = set()
        self.prepared = {}       # xid -> table
        self.ansi = False
        self.codec = None        # of the session's client charset; None: UTF-8
        self.full_images = True
        self.whole_images = rng.random() < 0.7   # FULL in all of the script

    # --- statements ---------------------------------------------------------------------------------------------------

    def send(self, sql, session=None):
        """In the session's client charset, or in utf8mb4 if that does not have the characters."""
        if session is not None or self.codec is None:
            return (session or self.session).query(sql)
        try:
            return self.session.query(sql.encode(self.codec))
        except UnicodeEncodeError:
            self.codec = None
            self.session.query("SET character_set_client = utf8mb4")
            return self.session.query(sql)

    def run(self, sql, session=None):
        """False = the server refused it."""
        self.log.append(sql)
        try:
            self.send(sql, session)
            return True
        except SqlError as error:
            self.log.append(f"-- {error}")
            return False

    def must(self, sql):
        self.log.append(sql)
        return self.send(sql)

    def chance(self, part):
        return self.rng.random() < part

    def q(self, name):
        if self.ansi and self.chance(0.3):
            return '"' + name.replace('"', '""') + '"'
        if name in PLAIN_NAMES + ("t", "orders", "T2", "mark", "id") and self.chance(0.5):
            return name
        return "`" + name.replace("`", "``") + "`"

    def table_ref(self, name):
        if self.chance(0.25):
            return f"{self.q(self.database)}{self.rng.choice(('.', '.', ' . ' if self.chance(0.2) else '.'))}{self.q(name)}"
        return self.q(name)

    def noisy(self, *words):
        """The words with spaces or comments between them."""
        out = words[0]
        for word in words[1:]:
            out += (self.rng.choice(NOISE) if self.chance(0.15) else " ") + word
        if self.chance(0.05):
            out = self.rng.choice(("/* lead */ ", "-- lead\n", "/*! */ ")) + out
        return out

    def cased(self, text):
        return text.lower() if self.chance(0.3) else text

    # --- what the server has ---------------------------------------------------------------------------------------------

    def columns_of(self, table):
        rows = self.send(COLUMNS_SQL + quoted_text(table) + " ORDER BY ORDINAL_POSITION")
        found = []
        for name, kind, full, charset, extra, nullable, key in rows:
            found.append(Column(name.decode(), kind.decode(), full.decode(), charset and charset.decode(),
                                (extra or b"").decode(), nullable == b"YES", key.decode()))
        kind = self.send("SELECT TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND "
                                  "TABLE_NAME = " + quoted_text(table))
        (self.versioned.add if kind == [(b"SYSTEM VERSIONED",)] else self.versioned.discard)(table)
        if found and table in self.versioned and not any("ROW START" in c.extra for c in found):
            found += VERSION_COLUMNS
        return found

    def snapshot(self, table):
        columns = self.columns_of(table)
        if not columns:
            return None
        name = "`" + table.replace("`", "``") + "`"
        every = " FOR SYSTEM_TIME ALL" if table in self.versioned else ""
        rows = self.send(f"SELECT {', '.join(map(select_expression, columns))} FROM {name}{every}")
        return Snapshot(columns, [tuple(from_server(c, cell) for c, cell in zip(columns, row)) for row in rows])

    def step(self, kind, names):
        state = {name: self.snapshot(name) for name in names}
        self.send(f"INSERT INTO `{self.database}`.mark VALUES ({len(self.steps)})")
        self.steps.append((kind, state))
        return state

    def around(self, names, *statements, rows_logged=False):
        """DDL on `names`: what they hold before and after."""
        self.step("check", [name for name in names if name in self.tables])
        done = True
        for sql in statements:
            done = self.run(sql) and done
        after = self.step("rows" if rows_logged else "base", names)
        for name, state in after.items():
            if state is None:
                self.tables.pop(name, None)
            else:
                self.tables[name] = state.columns
        return done

    # --- tables -----------------------------------------------------------------------------------------------------------

    def start(self):
        self.must(self.noisy("CREATE", "DATABASE", f"`{self.database}`",
                             self.rng.choice(("", "CHARACTER SET utf8mb4", "DEFAULT CHARSET=latin1",
                                              "COLLATE utf8mb3_general_ci"))))
        self.must(f"USE `{self.database}`")
        self.must("CREATE TABLE mark (n INT NOT NULL PRIMARY KEY)")
        self.settings()

    def column_sql(self, name, kind=None):
        kind = kind or column_type(self.rng, self.features)
        tail = ""
        if " NULL" not in kind:
            geometry = kind.lower() in GEOMETRIES
            tail = self.rng.choice(("", "", " NULL", " NOT NULL" if not geometry else "", " DEFAULT NULL"))
        if self.chance(0.15):
            tail += self.rng.choice((" COMMENT 'a, b) it''s'", " COMMENT 'x'", " CHECK (1 = 1)", " INVISIBLE"
                                     if "NOT NULL" not in tail else ""))
        return f"{self.q(name)} {self.cased(kind) if chr(39) not in kind else kind}{tail}"

    def new_names(self, count, taken=()):
        taken = {name.lower() for name in taken}
        free = [n for n in PLAIN_NAMES + PLAIN_NAMES + ODD_NAMES if n.lower() not in taken]
        self.rng.shuffle(free)
        return list({n.lower(): n for n in free}.values())[:count]

    def table_options(self):
        options = []
        if self.chance(0.4):
            charset = self.rng.choice(("latin1", "utf8mb4", "utf8mb3", "utf8", "ascii"))
            options.append(self.rng.choice((f"DEFAULT CHARSET={charset}", f"CHARACTER SET {charset}",
                                            f"COLLATE={charset}_bin", f"DEFAULT CHARACTER SET = {charset}",
                                            f"CHARSET {charset}, COLLATE {charset}_bin")))
        if self.chance(0.3):
            options.append(self.rng.choice(("COMMENT='x, y'", "ROW_FORMAT=DYNAMIC", "AUTO_INCREMENT = 7",
                                            "STATS_PERSISTENT=0", "ENGINE=InnoDB", "PAGE_CHECKSUM=1")))
        return " ".join(options)

    def create(self, name=None):
        name = name or self.rng.choice([t for t in TABLES if t not in self.tables] or TABLES)
        keyed = self.chance(0.75)
        names = self.new_names(self.rng.randint(1, 8))
        items = [self.column_sql(n) for n in names]
        if self.chance(0.1):  # SERIAL DEFAULT VALUE, SERIAL
            items.append(f"{self.q('ser')} " + self.rng.choice(("SERIAL", "INT SERIAL DEFAULT VALUE")))
        if "generated" in self.features and self.full_images and self.whole_images and keyed and self.chance(0.3):
            items.append(self.rng.choice((
                "`gen` INT AS (id + 1) VIRTUAL", "`gen` BIGINT GENERATED ALWAYS AS (id * 2) STORED",
                "`gen` VARCHAR(30) AS (CONCAT('n', id)) PERSISTENT COMMENT 'g'")))
        if keyed:
            key = self.rng.choice(("INT", "BIGINT UNSIGNED", "SMALLINT"))
            clause = self.rng.random() < 0.5
            items.insert(self.rng.randint(0, len(items)), f"id {key} NOT NULL{'' if clause else ' PRIMARY KEY'}")
            if clause:
                items.append(self.rng.choice(("PRIMARY KEY (id)", "CONSTRAINT pk PRIMARY KEY USING BTREE (id ASC)",
                                              "primary key (`id`)")))
        if self.chance(0.2):
            items.append(self.rng.choice(("CHECK (1 > 0)", "CONSTRAINT ch CHECK (2 IN (1, 2))")))
        options = self.table_options()
        if "nontransactional" in self.features and self.chance(0.12):
            options += " ENGINE=" + self.rng.choice(("MyISAM", "Aria"))
            self.no_rollback.add(name)
        else:
            self.no_rollback.discard(name)
        if keyed and self.chance(0.08):
            options += self.rng.choice((" PARTITION BY HASH (id) PARTITIONS 3",
                                        " PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), "
                                        "PARTITION p1 VALUES LESS THAN MAXVALUE)"))
        if "versioned" in self.features and self.full_images and self.whole_images and "PARTITION" not in options \
                and self.chance(0.1):
            options = " WITH SYSTEM VERSIONING " + options
        verb = self.rng.choice((("CREATE", "TABLE"), ("CREATE", "TABLE"), ("CREATE", "OR REPLACE", "TABLE"),
                                ("CREATE", "TABLE", "IF NOT EXISTS")))
        items = [self.rng.choice(("", "", "\n  ")) + item for item in items]
        sql = self.noisy(*(self.cased(word) for word in verb), self.table_ref(name), f"({', '.join(items)})", options)
        self.around([name], sql)

    def create_copy(self):
        source = self.rng.choice(list(self.tables))
        name = self.rng.choice([t for t in TABLES if t not in self.tables] or ["copy"])
        if self.chance(0.5):
            sql = self.rng.choice(("CREATE TABLE {0} LIKE {1}", "create table {0} (like {1})",
                                   "CREATE TABLE IF NOT EXISTS {0} LIKE {1}")).format(self.table_ref(name),
                                                                                      self.table_ref(source))
            self.copy_engine(source, name)
            return self.around([name], sql)
        if source in self.versioned or self.versioned & {name}:
            return None
        extra = self.rng.choice(("", " (extra INT, KEY (extra))", " (`id` BIGINT)", " ENGINE=InnoDB CHARSET=utf8mb4"))
        self.no_rollback.discard(name)
        sql = f"CREATE TABLE {self.table_ref(name)}{extra} {self.rng.choice(('', 'AS '))}SELECT * FROM {self.q(source)}"
        return self.around([name], sql, rows_logged=name not in self.tables)

    def copy_engine(self, source, name):
        (self.no_rollback.add if source in self.no_rollback else self.no_rollback.discard)(name)

    # --- ALTER ---------------------------------------------------------------------------------------------------------------

    def place(self, columns):
        behind = f" AFTER {self.q(self.rng.choice(columns).name)}" if columns else ""
        return self.rng.choice(("", "", " FIRST", behind))

    def alter_item(self, table, columns):
        plain = [c for c in columns if c.name not in ("id", "gen", "ser", "row_start", "row_end")]
        # One action per column: what servers make of two is their own.
        plain = [c for c in plain if c.name.lower() not in self.altered]
        some = self.rng.choice(plain) if plain else None
        fresh = self.new_names(2, [c.name for c in columns])
        kind = self.rng.randrange(16)
        col = self.rng.choice(("COLUMN ", ""))
        if kind >= 5 and some is not None:
            self.altered.add(some.name.lower())
        if kind < 4 or some is None:
            return f"ADD {col}{self.rng.choice(('', '', 'IF NOT EXISTS '))}{self.column_sql(fresh[0])}{self.place(columns)}"
        if kind == 4:
            return f"ADD {col}({self.column_sql(fresh[0])}, {self.column_sql(fresh[1])})"
        if kind in (5, 6) and len(plain) > 1:
            return f"DROP {col}{self.rng.choice(('', '', 'IF EXISTS '))}{self.q(some.name)}"
        if kind in (7, 8):
            return f"MODIFY {col}{self.column_sql(some.name)}{self.place([c for c in columns if c != some])}"
        if kind == 9:
            return f"CHANGE {col}{self.q(some.name)} {self.column_sql(fresh[0])}{self.place([c for c in columns if c != some])}"
        if kind == 10:
            return f"RENAME COLUMN {self.q(some.name)} TO {self.q(fresh[0])}"
        if kind == 11 and any(c.type in ("enum", "set") and
                              (not c.full.isascii() or c.charset.startswith(("ucs", "utf16", "utf32"))) for c in columns):
            return "FORCE"  # CONVERT TO would leave their strings unclear: MariaDB 10.11 does not convert them
        if kind == 11:
            charset = self.rng.choice(("latin1", "utf8mb4", "utf8mb3"))
            return self.rng.choice((f"CONVERT TO CHARACTER SET {charset}", f"DEFAULT CHARACTER SET {charset}",
                                    f"CONVERT TO CHARSET {charset} COLLATE {charset}_bin", f"CHARSET={charset}",
                                    f"COLLATE {charset}_bin"))
        if kind == 12:
            return self.rng.choice(("COMMENT='new, one'", "FORCE", "ENGINE=InnoDB" if table not in self.no_rollback
                                    else "FORCE", f"ORDER BY {self.q(some.name)}", "ALGORITHM=COPY", "LOCK=SHARED",
                                    "AUTO_INCREMENT = 100", "ROW_FORMAT=COMPACT"))
        if kind == 13:
            return self.rng.choice((f"ALTER {col}{self.q(some.name)} DROP DEFAULT", "ADD CHECK (3 > 2)",
                                    f"ADD INDEX ({self.q(some.name)}(3))", f"ADD UNIQUE KEY uq ({self.q(some.name)}(2))",
                                    "DROP INDEX IF EXISTS uq", "DROP PRIMARY KEY", "ADD CONSTRAINT PRIMARY KEY (id)"))
        return f"MODIFY {self.q(some.name)} {self.rng.choice(('BIGINT', 'VARCHAR(300)', 'TEXT', 'DOUBLE'))}"

    def alter(self):
        table = self.free_table()
        if table is None:
            return
        columns = [c for c in self.tables[table] if c.name not in ("row_start", "row_end")]
        count = 1 if self.chance(0.6) else self.rng.randint(2, 4)
        self.altered = set()
        items = [self.cased_head(self.alter_item(table, columns)) for _ in range(count)]
        target = [table]
        # A copying ALTER with RENAME keeps the old table too if its name is odd (seen on MariaDB 10.11.19).
        if table in ("t", "orders", "T2", "select") and self.chance(0.12):
            new = self.rng.choice([t for t in TABLES if t not in self.tables] or ["renamed"])
            items.append(self.rng.choice(("RENAME TO ", "RENAME AS ", "RENAME ")) + self.table_ref(new))
            target.append(new)
            self.move(table, new)
        head = self.rng.choice((("ALTER", "TABLE"),) * 6 + (("ALTER", "ONLINE", "TABLE"), ("ALTER", "IGNORE", "TABLE"),
                                                            ("ALTER", "TABLE", "IF EXISTS")))
        wait = self.rng.choice(("",) * 8 + (" WAIT 1", " NOWAIT"))
        done = self.around(target, self.noisy(*(self.cased(w) for w in head), self.table_ref(table) + wait,
                                              self.rng.choice((", ", ",", " ,\n ")).join(items)))
        if not done and len(target) > 1:
            self.move(target[1], table)

    def cased_head(self, item):
        word, space, rest = item.partition(" ")
        return self.cased(word) + space + rest

    def move(self, old, new):
        self.no_rollback.discard(new)
        if old in self.no_rollback:
            self.no_rollback.discard(old)
            self.no_rollback.add(new)

    def free_table(self):
        """One that no prepared transaction holds."""
        free = [t for t in self.tables if t not in self.prepared.values()]
        return self.rng.choice(free) if free else None

    # --- other DDL ---------------------------------------------------------------------------------------------------------

    def rename(self):
        free = [t for t in self.tables if t not in self.prepared.values()]
        if not free:
            return
        self.rng.shuffle(free)
        first = free[0]
        if len(free) > 1 and self.chance(0.5):
            second = free[1]
            a, b, hold = self.table_ref(first), self.table_ref(second), self.table_ref("swap hold")
            done = self.around([first, second], self.noisy(self.rng.choice(("RENAME TABLE", "RENAME TABLES")),
                                                           f"{a} TO {hold}, {b} TO {a},{hold}  to {b}"))
            if done and (first in self.no_rollback) != (second in self.no_rollback):
                self.no_rollback.symmetric_difference_update((first, second))
            return
        new = self.rng.choice([t for t in TABLES if t not in self.tables] or ["other"])
        if new in self.tables:
            return
        self.move(first, new)
        if not self.around([first, new], self.noisy("RENAME", "TABLE", self.table_ref(first), "TO", self.table_ref(new))):
            self.move(new, first)

    def drop(self):
        table = self.free_table()
        if table is None:
            return
        names = [table] + ([t for t in self.tables if t != table and t not in self.prepared.values()][:1]
                           if self.chance(0.2) else [])
        sql = self.noisy("DROP", self.rng.choice(("TABLE", "TABLE IF EXISTS", "TABLES")),
                         ", ".join(self.table_ref(n) for n in names) + self.rng.choice(("", " RESTRICT", " CASCADE")))
        self.around(names, sql)
        if self.chance(0.5):
            self.create(table)

    def truncate(self):
        table = self.free_table()
        if table is not None:
            self.around([table], self.noisy(*self.rng.choice((("TRUNCATE", "TABLE"), ("truncate",))),
                                            self.table_ref(table)))

    def online_change(self):
        """As gh-ost and pt-online-schema-change do it."""
        table = self.free_table()
        if table is None or table in self.versioned:
            return
        ghost, gone = f"_{table}_gho", f"_{table}_del"
        g = self.q(ghost)
        self.copy_engine(table, ghost)
        self.altered = set()
        self.around([ghost], f"CREATE TABLE {g} LIKE {self.q(table)}",
                    f"ALTER TABLE {g} {self.alter_item(ghost, self.tables[table])}")
        if ghost in self.tables:
            shared = [c.name for c in self.tables[ghost] if "VIRTUAL" not in c.extra and "STORED" not in c.extra and
                      "ALWAYS" not in c.extra and any(o.name == c.name for o in self.tables[table])]
            names = ", ".join(self.q(n) for n in shared)
            if shared and not (self.full_images is False):
                self.run(f"INSERT IGNORE INTO {g} ({names}) SELECT {names} FROM {self.q(table)}")
            self.around([table, ghost, gone], f"RENAME TABLE {self.q(table)} TO {self.q(gone)}, {g} TO {self.q(table)}")
            self.around([gone], f"DROP TABLE IF EXISTS {self.q(gone)}")
        for name in (ghost, gone):
            self.no_rollback.discard(name)

    def reorder_enum(self):
        found = [(t, c) for t, columns in self.tables.items() if t not in self.prepared.values() for c in columns
                 if c.type == "enum" and "\\" not in c.full]
        if not found:
            return
        table, column = self.rng.choice(found)
        words = re.findall(r"'(?:[^']|'')*'", column.full)
        self.rng.shuffle(words)
        charset = f" CHARACTER SET {column.charset}"
        null = "" if column.nullable else " NOT NULL"
        self.around([table], f"ALTER TABLE {self.q(table)} MODIFY {self.q(column.name)} ENUM({','.join(words)}){charset}{null}")

    def other_statement(self):
        table = self.free_table() or "mark"
        self.run(self.rng.choice((
            f"CREATE OR REPLACE VIEW v AS SELECT 1 AS one", f"DROP VIEW IF EXISTS v", f"ANALYZE TABLE {self.q(table)}",
            f"OPTIMIZE TABLE {self.q(table)}", f"ALTER DATABASE {self.q(self.database)} CHARACTER SET utf8mb4",
            "ALTER DATABASE DEFAULT CHARACTER SET latin1", f"CREATE INDEX ix ON {self.q(table)} (id)",
            f"DROP INDEX IF EXISTS ix ON {self.q(table)}", "CREATE TEMPORARY TABLE tmp (a INT)",
            "INSERT INTO tmp VALUES (1)", "DROP TEMPORARY TABLE IF EXISTS tmp", "FLUSH TABLES",
            "CREATE OR REPLACE PROCEDURE p() BEGIN DELETE FROM mark WHERE n < 0; UPDATE mark SET n = n; END", "CALL p()",
            f"CREATE OR REPLACE TRIGGER tr AFTER INSERT ON {self.q(table)} FOR EACH ROW SET @x = 1",
            "DROP TRIGGER IF EXISTS tr", "CREATE SEQUENCE IF NOT EXISTS seq", "DROP SEQUENCE IF EXISTS seq")))

    # --- rows ------------------------------------------------------------------------------------------------------------

    def writable(self, table):
        return [c for c in self.tables[table] if not any(word in c.extra for word in ("ALWAYS", "VIRTUAL", "STORED",
                                                                                      "PERSISTENT", "generated"))]

    def change(self, table, session=None):
        columns = self.writable(table)
        kind = self.rng.randrange(10)
        name = self.q(table)
        if not columns:
            return None
        if kind < 5:
            count = self.rng.choice((1, 1, 1, 2, 5))
            rows = ", ".join("(" + ", ".join(literal(self.rng, c) if c.name != "id" else str(self.rng.randint(1, 25))
                                             for c in columns) + ")" for _ in range(count))
            verb = self.rng.choice(("INSERT INTO", "INSERT INTO", "INSERT IGNORE INTO", "REPLACE INTO", "REPLACE"))
            tail = ""
            if verb == "INSERT INTO" and self.chance(0.3):
                some = self.rng.choice(columns)
                tail = f" ON DUPLICATE KEY UPDATE {self.q(some.name)} = {literal(self.rng, some)}"
            sql = f"{verb} {name} ({', '.join(self.q(c.name) for c in columns)}) VALUES {rows}{tail}"
        elif kind < 8:
            chosen = self.rng.sample(columns, min(len(columns), self.rng.randint(1, 3)))
            parts = ", ".join(f"{self.q(c.name)} = {literal(self.rng, c)}" for c in chosen if c.name != "id" or
                              self.chance(0.2)) or f"{self.q(columns[0].name)} = {literal(self.rng, columns[0])}"
            sql = f"UPDATE {self.rng.choice(('', 'IGNORE '))}{name} SET {parts}{self.some_rows(columns)}"
        else:
            sql = f"DELETE FROM {name}{self.some_rows(columns)}"
        return self.run(sql, session)

    def some_rows(self, columns):
        if any(c.name == "id" for c in columns) and self.chance(0.6):
            return f" WHERE id % {self.rng.randint(2, 5)} = {self.rng.randint(0, 1)}"
        return f" LIMIT {self.rng.randint(1, 3)}"

    def transaction(self):
        free = [t for t in self.tables if t not in self.prepared.values()]
        if not free:
            return
        tables = [t for t in free if t not in self.no_rollback]
        if not tables or self.chance(0.35):
            self.change(self.rng.choice(free))
            return
        self.run(self.rng.choice(("BEGIN", "START TRANSACTION")))
        for number in range(self.rng.randint(1, 5)):
            if self.chance(0.15):
                self.run(f"SAVEPOINT {self.q('sp')}")
                self.change(self.rng.choice(tables))
                if self.chance(0.5):
                    self.run(f"ROLLBACK TO SAVEPOINT {self.q('sp')}")
            self.change(self.rng.choice(tables))
        self.run("ROLLBACK" if self.chance(0.2) else "COMMIT")

    def two_phases(self):
        free = [t for t in self.tables if t not in self.prepared.values() and t not in self.no_rollback]
        if self.prepared and (self.chance(0.6) or not free):
            xid = self.rng.choice(list(self.prepared))
            self.decide(xid)
            return
        if not free:
            return
        table = self.rng.choice(free)
        xid = f"'x{len(self.log)}'" + self.rng.choice(("", ",'b'", ",'branch',7"))
        other = self.connect()
        other.query(f"USE `{self.database}`")
        other.query(f"SET SESSION sql_mode='', time_zone='+00:00', binlog_row_image="
                    f"{'FULL' if self.full_images else 'MINIMAL'}")
        self.run(f"XA START {xid}", other)
        for _ in range(self.rng.randint(0, 3)):
            self.change(table, other)
        self.run(f"XA END {xid}", other)
        if self.chance(0.2):
            self.run(f"XA COMMIT {xid} ONE PHASE", other)
        elif self.run(f"XA PREPARE {xid}", other):
            self.prepared[xid] = table
        self.leave(other)

    def decide(self, xid):
        """The verdict. One that changed nothing went away with its session."""
        self.run(f"XA {self.rng.choice(('COMMIT', 'COMMIT', 'ROLLBACK'))} {xid}")
        del self.prepared[xid]

    def leave(self, session):
        """Ends a session and waits until the server has: what it prepared is then free for a verdict."""
        number = int(session.query("SELECT CONNECTION_ID()")[0][0])
        session.close()
        end = time.monotonic() + 30
        while self.send(f"SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = {number}"):
            if time.monotonic() > end:
                raise RuntimeError("the server does not end a closed session")
            time.sleep(0.001)

    # --- settings ----------------------------------------------------------------------------------------------------------

    def settings(self):
        modes = ["", "", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES"]
        mode = self.rng.choice(modes)
        self.ansi = mode == "ANSI_QUOTES"
        self.must(f"SET SESSION sql_mode='{mode}', time_zone='+00:00', lock_wait_timeout=1, innodb_lock_wait_timeout=1, "
                  "sql_warnings=0, system_versioning_alter_history=KEEP")
        charset, self.codec = self.rng.choice(CLIENT_CHARSETS) if "client_charset" in self.features else CLIENT_CHARSETS[0]
        self.session.query(f"SET character_set_client = {charset}")
        self.log.append(f"SET character_set_client = {charset}")
        self.full_images = self.whole_images or self.chance(0.3)
        image = "FULL" if self.full_images else self.rng.choice(("MINIMAL", "NOBLOB"))
        self.must(f"SET SESSION binlog_row_image={image}")
        self.must(f"SET SESSION binlog_annotate_row_events={self.rng.choice(('ON', 'OFF'))}")
        metadata = self.rng.choice(("NO_LOG", "MINIMAL", "FULL"))
        self.must(f"SET GLOBAL binlog_row_metadata={metadata}")
        self.must(f"SET GLOBAL log_bin_compress={self.rng.choice(('ON', 'OFF', 'OFF'))}")
        self.must(f"SET GLOBAL log_bin_compress_min_len={self.rng.choice((10, 256))}")
        if self.chance(0.3):
            self.must(f"SET GLOBAL binlog_checksum={self.rng.choice(('CRC32', 'NONE'))}")
        if "alter_two_phase" in self.features:
            self.must(f"SET SESSION binlog_alter_two_phase={self.rng.choice(('ON', 'OFF'))}")

    def go(self, size):
        self.start()
        for _ in range(self.rng.randint(1, 3)):
            self.create()
        moves = [(self.transaction, 44), (self.alter, 16), (self.create, 4), (self.create_copy, 4), (self.rename, 4),
                 (self.drop, 3), (self.truncate, 2), (self.online_change, 2), (self.reorder_enum, 4),
                 (self.other_statement, 6), (self.settings, 3)]
        if "xa" in self.features:
            moves.append((self.two_phases, 6))
        for _ in range(size):
            if not self.tables:
                self.create()
                continue
            self.rng.choices([m for m, _ in moves], [w for _, w in moves])[0]()
            if self.chance(0.04):
                self.must("FLUSH BINARY LOGS")
        for xid in list(self.prepared):
            self.decide(xid)
        self.step("end", list(self.tables))
        self.must("FLUSH BINARY LOGS")
