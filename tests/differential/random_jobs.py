# SPDX-License-Identifier: Apache-2.0
#
# Random jobs over the columns of changelog.py: every kind of window, keys, conditions, aggregates, `having`, early and
# late results. A job is a plain value that the oracle reads too; to_toml() writes it as a job file.

import random

from schema import SOURCE

MICROS = 1_000_000
NUMBERS = ("g", "a", "w", "f")
ZONES = ("UTC", "UTC", "Asia/Kolkata", "America/New_York", "Australia/Lord_Howe", "Europe/Berlin")
# As SQL, the same for the program and for SQLite (amounts in units are a, in both).
CONDITIONS = ("g > 0", "k = 'a' OR s IS NULL", "NOT (g IN (1, 2))", "g BETWEEN -1 AND 1", "k LIKE 'a%'", "g + 1 = id % 3",
              "CASE WHEN g IS NULL THEN 1 ELSE g END < 2", "COALESCE(g, 0) * 2 <> -4", "k IS NOT NULL AND k <> ''")
KEYS = (("k", "k", "k"), ("g", "g", "g"), ("g % 2 AS parity", "parity", "g % 2"), ("$shard", "shard", "shard"),
        ("COALESCE(k, 'none') AS kn", "kn", "COALESCE(k, 'none')"), ("b", "b", "b"), ("s", "s", "s"))
HAVINGS = ("count() > 1", "count() < 4 AND count(g) > 0", "max(g) >= 0", "sum(g) IS NOT NULL")


class Aggregate:
    """With the columns of its rows (schema), and what of the file it says: where, keys, window, columns, having, emit."""

    name = "result"
    inputs = ["rows"]
    schema = SOURCE

    def lines(self, lateness):
        keys = ", ".join(f'"{key[0]}"' for key in self.keys)
        inputs = ", ".join(f'"{one}"' for one in self.inputs)
        out = [f"[aggregates.{self.name}]", f"inputs = [{inputs}]", f"key_by = [{keys}]",
               f"window = {{ {window_text(self.window)} }}", f"emit = {self.emit}"]
        if self.where:
            out.append(f'where = "{self.where}"')
        if self.having:
            out.append(f'having = "{self.having}"')
        if lateness and self.window["kind"] != "global":
            out.append(f'allowed_lateness = "{lateness}s"')
        out.append(f"[aggregates.{self.name}.columns]")
        return out + [f'{name} = "{call_text(column)}"' for name, column in self.columns.items()]


class Transform:
    def __init__(self, name, inputs, where, new_columns):
        self.name, self.inputs, self.where, self.set = name, inputs, where, new_columns  # set: name -> (text, kind)

    def lines(self):
        inputs = ", ".join(f'"{one}"' for one in self.inputs)
        out = [f"[transforms.{self.name}]", 'type = "map"', f"inputs = [{inputs}]"]
        if self.where:
            out.append(f'where = "{self.where}"')
        if self.set:
            out.append("set = { " + ", ".join(f'{name} = "{text}"' for name, (text, _) in self.set.items()) + " }")
        return out


class Job:
    def __init__(self, seed):
        pick = random.Random(seed)
        self.mode = pick.choice(("append", "changelog", "changelog"))
        self.keeps_rows = self.mode == "changelog" and seed % 2 == 0  # as Changelog
        self.workers = pick.choice((1, 2, 3))
        first = Aggregate()
        first.where = pick.choice((None, None, pick.choice(CONDITIONS)))
        first.keys = pick.sample(KEYS, pick.choice((0, 1, 1, 2)))
        first.window = new_window(pick)
        first.columns = {f"c{i}": new_column(pick, self.mode) for i in range(pick.randint(1, 6))}
        first.columns["rows_there"] = ("count_all", None, None, None)
        first.having = pick.choice((None, None, None, pick.choice(HAVINGS)))
        first.emit = new_emit(pick)
        self.aggregates = [first]
        self.transforms = []
        self.bound = "1000d"
        self.rows_per_fetch = 0
        self.lateness = pick.choice((0, 0, 3600))
        self.checkpoint = pick.choice(("5ms", "10s"))

    def to_toml(self, folder, plugins):
        lines = ["[job]", 'name = "random"', f"parallelism = {self.workers}", "[plugins]", f'paths = ["{plugins}"]',
                 "[sources.rows]", 'type = "changelog_tsv"', f'folder = "{folder}"', f'mode = "{self.mode}"',
                 f"rows_per_fetch = {self.rows_per_fetch}",
                 *(['on_truncate = "apply"', 'on_partial_image = "complete"'] if self.keeps_rows else []),
                 "[sources.rows.watermark]", 'field = "t"',
                 f'max_out_of_orderness = "{self.bound}"']
        for transform in self.transforms:
            lines += transform.lines()
        for aggregate in self.aggregates:
            lines += aggregate.lines(self.lateness)
            lines += [f"[sinks.{aggregate.name}_out]", 'type = "file"', f'inputs = ["{aggregate.name}"]',
                      f'path = "{aggregate.name}.ndjson"']
        lines += ["[state]", 'path = "state"', "[checkpoint]", f'interval = "{self.checkpoint}"', "[http]",
                  'listen = "off"', "[log]", 'level = "error"']
        return "\n".join(lines) + "\n"


def new_window(pick):
    kind = pick.choice(("tumbling", "sliding", "sliding", "cumulative", "session", "global"))
    unit = pick.choice((1, 10, 60, 1800, 3600, 86_400))
    zone = pick.choice(ZONES) if unit >= 1800 else "UTC"
    if kind == "tumbling":
        size = unit * pick.choice((1, 2, 3))
        return {"kind": kind, "size": size, "offset": new_offset(pick, size, unit), "zone": zone}
    if kind == "sliding":
        slide = unit
        odd = zone == "UTC" and unit < 86_400 and pick.random() < 0.4  # no multiple of the slide
        size = pick.choice((3, 7)) * slide // 2 + 1 if odd else slide * pick.choice((1, 2, 5))
        return {"kind": kind, "size": size, "slide": slide, "offset": new_offset(pick, slide, unit), "zone": zone}
    if kind == "cumulative":
        steps = pick.choice((1, 2, 4, 6))
        return {"kind": kind, "size": unit * steps, "slide": unit, "offset": 0, "zone": zone}
    if kind == "session":
        return {"kind": kind, "gap": pick.choice((1, 5, 30, 600)), "max": pick.choice((0, 0, 60, 3600)), "zone": "UTC"}
    return {"kind": kind, "zone": "UTC"}


def new_offset(pick, size, unit):
    return pick.choice((0, 0, 0, unit // 2, -(unit // 2))) if size > 1 else 0


def new_column(pick, mode):
    function = pick.choice(("count_all", "count", "sum", "sum", "min", "max", "avg", "count_distinct", "first", "last",
                            "quantile", "top_k", "var_pop", "var_samp", "stddev_pop", "stddev_samp", "bool_and",
                            "bool_or", "string_agg", "approx_count_distinct"))
    if function == "approx_count_distinct" and mode == "changelog":
        function = "count_distinct"
    numbers = {"sum", "avg", "quantile", "var_pop", "var_samp", "stddev_pop", "stddev_samp"}
    if function == "count_all":
        column = None
    elif function in numbers:
        column = pick.choice(NUMBERS)
    elif function in ("bool_and", "bool_or"):
        column = "b"
    elif function == "string_agg":
        column = pick.choice(("s", "k"))
    else:
        column = pick.choice(("g", "a", "w", "f", "k", "s"))
    parameter = {"quantile": pick.choice((0.0, 0.5, 0.95, 1.0)), "top_k": pick.randint(1, 3),
                 "string_agg": pick.choice((0, 2))}.get(function)
    condition = pick.choice((None, None, None, "g > 0", "s IS NULL", "k <> 'a'"))
    return function, column, parameter, condition


def new_emit(pick):
    if pick.random() < 0.6:
        return '"on_close"'
    return pick.choice(('"on_update"', "{ count = 3 }", '{ every = "1m", time = "event" }',
                        '{ early = "on_update", late = { count = 2 } }'))


def window_text(window):
    kind = window["kind"]
    zone = "" if window["zone"] == "UTC" else f', time_zone = "{window["zone"]}"'
    offset = f', offset = "{window["offset"]}s"' if window.get("offset") else ""
    if kind == "tumbling":
        return f'type = "tumbling", size = "{window["size"]}s"{offset}{zone}'
    if kind == "sliding":
        return f'type = "sliding", size = "{window["size"]}s", slide = "{window["slide"]}s"{offset}{zone}'
    if kind == "cumulative":
        return f'type = "cumulative", max_size = "{window["size"]}s", step = "{window["slide"]}s"{zone}'
    if kind == "session":
        most = f', max_size = "{window["max"]}s"' if window["max"] else ""
        return f'type = "session", gap = "{window["gap"]}s"{most}'
    return 'type = "global"'


def call_text(column):
    function, argument, parameter, condition = column
    text = "count()" if function == "count_all" else f"{function}({argument})"
    if function == "quantile":
        text = f"quantile({argument}, {parameter})"
    if function == "top_k":
        text = f"top_k({argument}, {parameter})"
    if function == "string_agg":
        text = f"string_agg({argument}, '|', {parameter})" if parameter else f"string_agg({argument}, '|')"
    return f"{text} filter (where {condition})" if condition else text
