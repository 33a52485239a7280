# SPDX-License-Identifier: Apache-2.0
#
# The torture test's model: rows of tables as the lines of `tidemark binlog cat` leave them, compared with the server's
# at each step of the script. Images that lack columns are completed from the rows that the model holds.

import json

from torture_values import from_log


class Difference(Exception):
    pass


class Table:
    def __init__(self, columns, rows):
        self.columns = {column.name: column for column in columns}
        self.order = [column.name for column in columns]
        self.rows = rows  # dicts by column name

    def cells(self, image):
        """The image's values in the form that compares. Names must stand in the table's order."""
        at = 0
        for name in image:
            while at < len(self.order) and self.order[at] != name:
                at += 1
            if at == len(self.order):
                raise Difference(f"column names {list(image)}, the table has {self.order}")
            at += 1
        return {name: from_log(self.columns[name], value) for name, value in image.items()}

    def take(self, before):
        for at, row in enumerate(self.rows):
            if all(row[name] == value for name, value in before.items()):
                return self.rows.pop(at)
        near = next((row for row in self.rows if "id" in before and row.get("id") == before["id"]), None)
        raise Difference(f"no row is {before}" + (f"; the row of this id is {near}" if near else ""))


class Model:
    def __init__(self, database, steps):
        self.mark = f"{database}.mark"
        self.prefix = database + "."
        self.steps = steps
        self.next_step = 0
        self.tables = {}
        self.unnamed = {}  # rows of tables that a CREATE ... SELECT makes, until its step tells the columns

    def apply(self, line):
        change = json.loads(line)
        if change["table"] == self.mark:
            if change["op"] == "insert":
                self.reach(int(next(iter(change["after"].values()))))
            return
        if not change["table"].startswith(self.prefix):
            return
        name = change["table"][len(self.prefix):]
        table = self.tables.get(name)
        if table is None:
            if change["op"] == "insert":
                self.unnamed.setdefault(name, []).append(change["after"])
            elif name != "seq":
                raise Difference(f"{change['op']} in {name}, which does not exist")
            return
        before, after = change["before"], change["after"]
        try:
            row = table.take(table.cells(before)) if before is not None else None
            if after is not None:
                cells = table.cells(after)
                missing = [n for n in table.order if n not in cells] if row is None else []
                if missing:
                    raise Difference(f"an inserted row has no {missing}")
                table.rows.append({**(row or {}), **cells})
        except Difference as difference:
            raise Difference(f"{change['file']}:{change['position']}: {change['op']} in {name}: {difference}") from None

    def reach(self, number):
        if number != self.next_step:
            raise Difference(f"step {number} comes where step {self.next_step} belongs")
        self.next_step += 1
        kind, state = self.steps[number]
        for name, snapshot in state.items():
            if kind in ("check", "end"):
                self.compare(number, name, snapshot)
            elif snapshot is None:
                self.tables.pop(name, None)
            elif kind == "rows" and name not in self.tables:
                rows = self.unnamed.pop(name, [])
                table = Table(snapshot.columns, [])
                table.rows = [table.cells(row) for row in rows]
                self.tables[name] = table
                self.compare(number, name, snapshot)
            else:
                rows = [dict(zip([c.name for c in snapshot.columns], row)) for row in snapshot.rows]
                self.tables[name] = Table(snapshot.columns, rows)
        self.unnamed.clear()

    def compare(self, number, name, snapshot):
        table = self.tables.get(name)
        if table is None:
            raise Difference(f"step {number}: table {name} is not in the model")
        if snapshot is None:
            raise Difference(f"step {number}: table {name} is not on the server")
        seen = [tuple(row[n] for n in table.order) for row in table.rows]
        left = list(snapshot.rows)
        for row in seen:
            if row in left:
                left.remove(row)
            else:
                raise Difference(f"step {number}: {name} {table.order}: the log leaves {row}; the server has "
                                 f"{self.nearest(row, snapshot.rows)}")
        if left:
            raise Difference(f"step {number}: {name} {table.order}: the log has no {left[0]}")

    @staticmethod
    def nearest(row, rows):
        best = max(rows, key=lambda other: sum(a == b for a, b in zip(row, other)), default=None)
        if best is None:
            return "no row"
        return f"{best}; they differ in " + str([(a, b) for a, b in zip(row, best) if a != b])

    def close(self):
        if self.next_step != len(self.steps):
            raise Difference(f"{len(self.steps)} steps were made, the log shows {self.next_step}")
