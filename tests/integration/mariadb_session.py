# SPDX-License-Identifier: Apache-2.0
#
# One session with a MariaDB server, through the C library that its command-line client uses too (libmariadb): for
# tests that need the result of each statement before they decide on the next one.
#
#   session = Session(server.socket)
#   rows = session.query("SELECT a FROM t")     # tuples of bytes, None for NULL; raises SqlError

import ctypes
import ctypes.util


class SqlError(Exception):
    def __init__(self, code, text, sql):
        super().__init__(f"{code}: {text}")
        self.code = code
        self.sql = sql


def library():
    """libmariadb with the types of the functions that are called here (https://mariadb.com/kb/en/mariadb-connector-c/)."""
    c = ctypes.CDLL("libmariadb.so.3")
    pointer, number, text = ctypes.c_void_p, ctypes.c_ulong, ctypes.c_char_p
    for name, result, arguments in (
            ("mysql_init", pointer, [pointer]), ("mysql_close", None, [pointer]),
            ("mysql_real_connect", pointer, [pointer, text, text, text, text, ctypes.c_uint, text, number]),
            ("mysql_real_query", ctypes.c_int, [pointer, text, number]),
            ("mysql_store_result", pointer, [pointer]), ("mysql_free_result", None, [pointer]),
            ("mysql_num_fields", ctypes.c_uint, [pointer]),
            ("mysql_fetch_row", ctypes.POINTER(pointer), [pointer]),
            ("mysql_fetch_lengths", ctypes.POINTER(number), [pointer]),
            ("mysql_errno", ctypes.c_uint, [pointer]), ("mysql_error", text, [pointer])):
        function = getattr(c, name)
        function.restype = result
        function.argtypes = arguments
    return c


class Session:
    c = None

    def __init__(self, socket, charset="utf8mb4"):
        if Session.c is None:
            Session.c = library()
        self.handle = self.c.mysql_init(None)
        if not self.c.mysql_real_connect(self.handle, None, b"root", b"", None, 0, str(socket).encode(), 0):
            self.fail("connect")
        self.query(f"SET NAMES {charset}")

    def close(self):
        self.c.mysql_close(self.handle)

    def fail(self, sql):
        raise SqlError(self.c.mysql_errno(self.handle), self.c.mysql_error(self.handle).decode(errors="replace"), sql)

    def query(self, sql):
        """Rows of one statement; [] of one that has none."""
        text = sql if isinstance(sql, bytes) else sql.encode()
        if self.c.mysql_real_query(self.handle, text, len(text)) != 0:
            self.fail(sql)
        result = self.c.mysql_store_result(self.handle)
        if not result:
            if self.c.mysql_errno(self.handle) != 0:
                self.fail(sql)
            return []
        rows = []
        fields = self.c.mysql_num_fields(result)
        while row := self.c.mysql_fetch_row(result):
            sizes = self.c.mysql_fetch_lengths(result)
            rows.append(tuple(ctypes.string_at(row[i], sizes[i]) if row[i] is not None else None
                              for i in range(fields)))
        self.c.mysql_free_result(result)
        return rows
