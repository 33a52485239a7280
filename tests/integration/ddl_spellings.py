#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# CREATE and ALTER TABLE in the spellings of the grammar, each run on a live MariaDB without any row metadata. After
# every statement rows with the edges of their types are written: `tidemark binlog cat` must name the columns in the
# server's order and print the values (so signedness, charset, ENUM strings and widths are right too).
#   ddl_spellings.py TIDEMARK [--keep FOLDER]
# A statement that this server's version does not have must fail with a syntax error, and is listed in NEWER.

import argparse
import os
import random
import sys

from live_mariadb import LiveMariadb
from mariadb_session import Session
from torture import Bench
from torture_model import Difference
from torture_script import Script

# Each group: statements on the table t (or on the tables that a comment names), and what they make of it.
GROUPS = """
CREATE TABLE t (a INT1, b INT2 UNSIGNED, c INT3, d INT4, e INT8 UNSIGNED, f MIDDLEINT, g INTEGER, h BOOL, i BOOLEAN)
ALTER TABLE t ADD j TINYINT(1) UNSIGNED ZEROFILL FIRST, ADD COLUMN k SMALLINT SIGNED AFTER b

CREATE TABLE t (a DEC, b DEC(7), c FIXED(7,3), d NUMERIC(65,30), e DECIMAL(3,3) UNSIGNED, f DECIMAL(0), g DECIMAL ( 4 , 2 ) ZEROFILL)

CREATE TABLE t (a FLOAT, b FLOAT(24), c FLOAT(25), d FLOAT(53), e FLOAT(9,4), f DOUBLE PRECISION, g REAL, h DOUBLE(20,5) UNSIGNED, i FLOAT4, j FLOAT8)
SET sql_mode='REAL_AS_FLOAT'
CREATE OR REPLACE TABLE t (a REAL, b REAL(9,2), c DOUBLE, d REAL NOT NULL)
SET sql_mode=''

CREATE TABLE t (a SERIAL, b INT)
CREATE OR REPLACE TABLE t (a INT UNSIGNED SERIAL DEFAULT VALUE, b INT)
CREATE OR REPLACE TABLE t (a BIGINT UNSIGNED NOT NULL AUTO_INCREMENT UNIQUE, b INT)

CREATE TABLE t (a CHAR, b CHAR(0), c CHARACTER(7), d CHAR VARYING(9), e CHARACTER VARYING(300), f VARCHARACTER(8), g NCHAR, h NCHAR(6), i NATIONAL CHAR(5), j NATIONAL CHARACTER(4), k NATIONAL VARCHAR(11), l NVARCHAR(12), m NCHAR VARCHAR(13), n NATIONAL CHAR VARYING(14), o NCHAR VARYING(15))
CREATE OR REPLACE TABLE t (a LONG, b LONG VARCHAR, c LONG VARBINARY, d LONG CHAR VARYING, e LONG CHARACTER VARYING, f LONG VARCHARACTER)
CREATE OR REPLACE TABLE t (a TEXT(10), b TEXT(100), c TEXT(300), d TEXT(70000), e TEXT(20000000), f BLOB(200), g BLOB(70000), h TEXT(64) CHARACTER SET latin1, i TINYTEXT, j MEDIUMTEXT, k LONGTEXT)
CREATE OR REPLACE TABLE t (a CHAR(3) ASCII, b CHAR(4) BYTE, c VARCHAR(5) BINARY, d CHAR(6) BINARY CHARACTER SET latin1, e CHAR(5) CHARACTER SET latin1 BINARY, f TEXT BINARY, g TEXT CHARACTER SET binary, h VARCHAR(9) CHARACTER SET binary, i CHAR(6) CHARACTER SET 'latin1' COLLATE "latin1_bin")
CREATE OR REPLACE TABLE t (a VARCHAR(30000) CHARACTER SET utf8mb4, b VARCHAR(65000) CHARACTER SET utf8mb3)
CREATE OR REPLACE TABLE t (a BINARY, b BINARY(0), c BINARY(255), d VARBINARY(0), e VARBINARY(300), f VARCHAR(0))

CREATE TABLE t (a BIT, b BIT(0), c BIT(64), d YEAR, e YEAR(2), f YEAR(4), g DATE, h TIME, i TIME(0), j TIME(6), k DATETIME(3), l TIMESTAMP, m TIMESTAMP(2) NULL, n DATETIME DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, o TIMESTAMP(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE NOW(6))
CREATE OR REPLACE TABLE t (a TIMESTAMP, b TIMESTAMP DEFAULT 0, c TIMESTAMP NOT NULL DEFAULT '2001-01-01', d DATE DEFAULT '2001-01-01', e TIME DEFAULT -1)

CREATE TABLE t (a ENUM('x','y''y',"z",'tail   '), b SET('a','b','c') NOT NULL, c ENUM('a') CHARACTER SET latin1 COLLATE latin1_bin, d SET ('p' , 'q'))
ALTER TABLE t MODIFY a ENUM('z','y''y','x','new') FIRST, CHANGE b b2 SET('c','b','a','d') AFTER d
ALTER TABLE t CHANGE COLUMN a a ENUM('new','z') NULL DEFAULT 'z' COMMENT 'a, b (c' AFTER c

CREATE TABLE t (a JSON, b UUID, c POINT, d GEOMETRY, e GEOMETRYCOLLECTION, f MULTIPOLYGON, g POINT REF_SYSTEM_ID=4326 NOT NULL, h LINESTRING, i POLYGON, j MULTIPOINT, k MULTILINESTRING)

CREATE TABLE t (id INT PRIMARY KEY, a INT DEFAULT (1 + 2), b INT DEFAULT -5, c VARCHAR(20) DEFAULT 'it''s, (x)' NOT NULL, d INT DEFAULT NULL COMMENT "co,m)", e BIT(3) DEFAULT b'101', f VARCHAR(9) DEFAULT _utf8mb4'x', g VARCHAR(9) DEFAULT N'x', h INT DEFAULT TRUE, i DATETIME DEFAULT NOW(), j DOUBLE DEFAULT 1e-3, k VARCHAR(30) DEFAULT CONCAT('a', 'b,c') CHECK (k <> 'z,)'), l INT INVISIBLE DEFAULT 4, m INT CHECK (m IS NULL OR m > -1000000000000))
ALTER TABLE t ALTER a SET DEFAULT 9, ALTER COLUMN b DROP DEFAULT, ALTER COLUMN d SET DEFAULT (3)
ALTER TABLE t DROP CONSTRAINT IF EXISTS nope, ADD CONSTRAINT ck CHECK (id IS NOT NULL), DROP COLUMN m
ALTER TABLE t DROP CONSTRAINT ck, ADD n INT

CREATE TABLE t (id INT PRIMARY KEY, a INT AS (id + 1) VIRTUAL, b INT GENERATED ALWAYS AS (id * 2) STORED, c VARCHAR(20) AS (CONCAT('x', id)) PERSISTENT COMMENT 'c', d INT AS (id) UNIQUE, e INT GENERATED ALWAYS AS (id + 3) VIRTUAL INVISIBLE)
ALTER TABLE t DROP COLUMN a, ADD f INT AS (id - 1) FIRST

CREATE TABLE t (id INT NOT NULL, a INT, b VARCHAR(20), KEY (a), INDEX i1 (b), UNIQUE u1 (a, b), UNIQUE KEY (b), PRIMARY KEY pk_name USING BTREE (id DESC), FULLTEXT KEY ft (b), CONSTRAINT c1 UNIQUE INDEX (id, a), CONSTRAINT CHECK (id > -9999999), CHECK (1), KEY k5 (a) COMMENT 'x' USING HASH IGNORED)
ALTER TABLE t ADD INDEX (a, b), DROP INDEX i1, RENAME INDEX u1 TO u2, ALTER INDEX k5 NOT IGNORED, ADD UNIQUE (id), DROP KEY ft
ALTER TABLE t DROP PRIMARY KEY, ADD c INT NOT NULL DEFAULT 0, ADD PRIMARY KEY (id, b)

CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT)
ALTER TABLE t ADD (d INT, e VARCHAR(10), KEY (d), CONSTRAINT CHECK (2 > 1)), ADD COLUMN IF NOT EXISTS (f INT, a INT)
ALTER TABLE t DROP a, DROP COLUMN b RESTRICT, DROP COLUMN IF EXISTS nope CASCADE, ADD a BIGINT FIRST
ALTER TABLE t RENAME COLUMN c TO d, RENAME COLUMN d TO c
ALTER TABLE t RENAME COLUMN c TO x, ADD c INT UNSIGNED AFTER x, MODIFY id BIGINT AFTER c
ALTER TABLE t MODIFY COLUMN x BIGINT UNSIGNED FIRST, MODIFY e VARCHAR(20) AFTER x, CHANGE d D SMALLINT AFTER e
ALTER TABLE t CHANGE COLUMN IF EXISTS nope nope2 INT, MODIFY IF EXISTS nope3 INT, CHANGE e e2 CHAR(5) CHARACTER SET latin1
ALTER TABLE t ADD y INT AFTER e2, ADD z INT AFTER y, DROP COLUMN c, CHANGE x x INT AFTER z
ALTER ONLINE TABLE t ADD o1 INT, ALGORITHM=INSTANT, LOCK=NONE
ALTER TABLE t ORDER BY id DESC, a
ALTER TABLE t ADD o2 INT, ORDER BY id DESC, a ASC, y
ALTER IGNORE TABLE t NOWAIT FORCE
ALTER TABLE IF EXISTS t WAIT 5 DISABLE KEYS, ENABLE KEYS, ADD o3 INT
ALTER TABLE t
ALTER TABLE t ENGINE=InnoDB ROW_FORMAT=DYNAMIC, COMMENT 'x, y' AUTO_INCREMENT=5 AVG_ROW_LENGTH 10 MAX_ROWS=7
ALTER TABLE t COMMENT='ADD b INT', ADD o4 INT, STATS_PERSISTENT=0, PAGE_CHECKSUM=1
/* a */ ALTER /* b */ TABLE /* c, */ t /*! ADD o5 INT */ /*!50100 , ADD o6 INT */ /*!999999 , ADD no INT */ /*M! , ADD o7 INT */ # end
ALTER TABLE t ADD o8 INT -- , ADD no INT\\n , ADD o9 INT COMMENT '-- , ADD no INT'
ALTER TABLE `t`ADD`o10`INT,ADD`o``11`INT
ALTER TABLE t/**/DROP/**/o1,DROP`o2`
SET sql_mode='ANSI_QUOTES'
ALTER TABLE "t" ADD "o 12" INT, ADD "q""x" ENUM('a') AFTER "o 12", DROP o3
SET sql_mode=''

CREATE TABLE t (a VARCHAR(10), b TEXT, c TINYTEXT, d ENUM('p','q'), e CHAR(5) CHARACTER SET latin1, f VARBINARY(10), g LONGTEXT) DEFAULT CHARSET latin1
ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4
ALTER TABLE t CONVERT TO CHARACTER SET latin1 COLLATE latin1_german1_ci, ADD h VARCHAR(5)
ALTER TABLE t DEFAULT CHARACTER SET utf8mb3, ADD i VARCHAR(7)
ALTER TABLE t CHARSET=ascii COLLATE=ascii_bin, ADD j VARCHAR(7), MODIFY a VARCHAR(10)
ALTER TABLE t DEFAULT COLLATE utf8mb4_bin, ADD k TEXT
ALTER TABLE t CONVERT TO CHARSET DEFAULT
ALTER TABLE t ADD l VARCHAR(9) CHARACTER SET latin1, CONVERT TO CHARACTER SET utf8mb3, ADD m JSON

ALTER DATABASE CHARACTER SET latin1
CREATE TABLE t (a VARCHAR(10), b TEXT)
ALTER DATABASE COLLATE = utf8mb4_bin
CREATE OR REPLACE TABLE t (a VARCHAR(10), b TEXT)
ALTER TABLE t ADD c VARCHAR(4)

CREATE TABLE t (id INT PRIMARY KEY, a INT) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10) COMMENT = 'x', PARTITION p1 VALUES LESS THAN (20), PARTITION pm VALUES LESS THAN MAXVALUE)
ALTER TABLE t REORGANIZE PARTITION pm INTO (PARTITION p2 VALUES LESS THAN (30), PARTITION pm VALUES LESS THAN MAXVALUE)
ALTER TABLE t TRUNCATE PARTITION p0, p1
ALTER TABLE t DROP PARTITION p1
ALTER TABLE t ADD b INT FIRST, ALGORITHM=COPY
ALTER TABLE t REBUILD PARTITION ALL
ALTER TABLE t ANALYZE PARTITION p0
ALTER TABLE t PARTITION BY HASH (id) PARTITIONS 4
ALTER TABLE t ADD PARTITION PARTITIONS 2
ALTER TABLE t COALESCE PARTITION 1
ALTER TABLE t ADD d INT DEFAULT 5 REMOVE PARTITIONING
ALTER TABLE t ADD e INT PARTITION BY KEY () PARTITIONS 2
ALTER TABLE t ADD c INT AFTER b PARTITION BY LIST (id) (PARTITION l0 VALUES IN (1, 2, 3), PARTITION d DEFAULT)

CREATE TABLE t (id INT PRIMARY KEY, a INT) WITH SYSTEM VERSIONING
ALTER TABLE t ADD b INT, ADD c INT FIRST
ALTER TABLE t DROP SYSTEM VERSIONING
ALTER TABLE t ADD SYSTEM VERSIONING, ADD d INT

CREATE TABLE t (a INT, s TIMESTAMP(6) GENERATED ALWAYS AS ROW START, b INT WITH SYSTEM VERSIONING, c INT WITHOUT SYSTEM VERSIONING, e TIMESTAMP(6) GENERATED ALWAYS AS ROW END INVISIBLE, PERIOD FOR SYSTEM_TIME(s, e), PRIMARY KEY (a)) WITH SYSTEM VERSIONING

CREATE TABLE t (id INT, f DATE, u DATE, PERIOD FOR valid (f, u), UNIQUE (id, valid WITHOUT OVERLAPS))
ALTER TABLE t ADD x INT

CREATE TABLE t (a VARCHAR(20) COMPRESSED, b TEXT COMPRESSED=zlib, c INT)

CREATE TABLE t (a INET6, b INET4, c INT)

CREATE TABLE t (`select` INT, `a b` INT, `c``d` INT, `größe` INT, 1a INT, a$b INT, _c INT, `period` INT, Ж INT)

CREATE TABLE `torture ddl`.`t` (a INT)
ALTER TABLE `torture ddl` . t ADD b INT
ALTER TABLE t RENAME AS u
ALTER TABLE u RENAME = `torture ddl`.t, ADD c INT
ALTER TABLE t RENAME TO t2
RENAME TABLE t2 TO t
RENAME TABLES t WAIT 3 TO t3, t3 NOWAIT TO t
RENAME TABLE IF EXISTS nope TO nope2, t TO t4, t4 TO t

CREATE TABLE t AS SELECT 1 AS a, 'x' AS b, NOW(6) AS c, 1.5 AS d
CREATE OR REPLACE TABLE t (z INT UNSIGNED, a BIGINT) SELECT 1 AS a, 2 AS y
CREATE OR REPLACE TABLE t (a INT) IGNORE AS (SELECT 1 AS a, 3 AS b)
CREATE OR REPLACE TABLE t WITH x AS (SELECT 5 AS q) SELECT * FROM x
CREATE OR REPLACE TABLE t AS VALUES (1, 'a'), (2, 'b')

CREATE TABLE IF NOT EXISTS t (a INT)
CREATE TABLE IF NOT EXISTS t (b INT, c INT)
ALTER TABLE t ADD IF NOT EXISTS a BIGINT, ADD COLUMN IF NOT EXISTS d INT, ADD IF NOT EXISTS d BIGINT
DROP TABLE IF EXISTS t
CREATE TABLE IF NOT EXISTS t (b INT, c INT)
CREATE OR REPLACE TABLE t (x VARCHAR(3))
SET STATEMENT max_statement_time=10 FOR ALTER TABLE t ADD y INT
TRUNCATE TABLE t
TRUNCATE t
TRUNCATE TABLE `torture ddl`.`t` WAIT 3
DROP TABLES IF EXISTS t, nope CASCADE

CREATE SEQUENCE t
ALTER SEQUENCE t RESTART 50
RENAME TABLE t TO seq2, seq2 TO t
DROP SEQUENCE t
CREATE TABLE t (a INT DEFAULT 5, b INT)
"""
NEWER = ()


class Spellings(Script):
    """Runs the groups one after the other; each ends with its table dropped."""

    def settings(self):
        super().settings()
        self.full_images = True
        self.must("SET SESSION binlog_row_image=FULL, sql_mode=''")
        self.must("SET GLOBAL binlog_row_metadata=NO_LOG")
        self.ansi = False

    def go(self, _):
        self.start()
        self.refused = []
        for group in GROUPS.strip().split("\n\n"):
            for sql in group.split("\n"):
                self.one(sql.replace("\\n", "\n"))
            self.around(["t"], "DROP TABLE IF EXISTS t")
        self.step("end", list(self.tables))
        self.must("FLUSH BINARY LOGS")

    def one(self, sql):
        names = ["t", "u", "t2"] if "RENAME" in sql else ["t"]
        makes_rows = "SELECT" in sql or "VALUES (1" in sql
        if makes_rows:
            self.around(names, "DROP TABLE IF EXISTS t")
        if not self.around(names, sql, rows_logged=makes_rows):
            self.refused.append((sql, self.log[-1]))
        for table in [name for name in names if name in self.tables]:
            for _ in range(4):
                self.change(table)

    def writable(self, table):
        return [c for c in super().writable(table) if "SEQUENCE" not in self.tables[table][0].extra and
                self.tables[table][0].name != "next_not_cached_value"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tidemark")
    parser.add_argument("--keep")
    parser.add_argument("--without", default="", help="comma separated words: groups that hold one are left out")
    arguments = parser.parse_args()
    global GROUPS
    for word in filter(None, arguments.without.split(",")):
        GROUPS = "\n\n".join(group for group in GROUPS.strip().split("\n\n") if word not in group)
    folder = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with LiveMariadb("--character-set-server=utf8mb4", "--collation-server=utf8mb4_general_ci", folder=folder) as server:
        bench = Bench(server, arguments)
        session = bench.session()
        session.query("RESET MASTER")
        script = Spellings(random.Random(1), session, bench.session, "torture ddl", {"generated"})
        script.whole_images = True
        script.go(0)
        failed = [text for text in script.refused if text[0] not in NEWER]
        for sql, error in failed:
            print(f"FAILED: the server refused: {sql}\n    {error}")
        try:
            bench.compare(script, server.binlogs()[:-1], "torture ddl", None)
        except Difference as difference:
            failed.append(difference)
            bench.keep("ddl", script, server.binlogs()[:-1])
            print(f"FAILED: {difference}")
        print(f"{len(script.steps)} steps, {bench.changes} changes, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
