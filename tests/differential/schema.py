# SPDX-License-Identifier: Apache-2.0
#
# What the oracle must know of a column: its kind, and the digits behind the point of decimals, which stand as integers
# of their units. Of the rows of changelog.py, and of what an aggregate makes of such columns.

import collections

Kind = collections.namedtuple("Kind", "name scale", defaults=(0,))
INTEGER, DOUBLE, TEXT, BOOLEAN, TIME = map(Kind, ("integer", "double", "text", "boolean", "time"))
SHARD = Kind("shard")    # a path, which is not compared as it stands
SQUARE = Kind("square")  # a double that may be too large to be squared
OPAQUE = Kind("opaque")  # compared with a tolerance, or without an order: nothing reads it
IN_SQLITE = {"integer", "text", "boolean", "time", "shard"}  # others may have more than 64 bits, or digits SQLite rounds

SOURCE = {"id": INTEGER, "k": TEXT, "g": INTEGER, "t": TIME, "a": Kind("decimal", 2), "w": Kind("decimal", 3),
          "f": DOUBLE, "b": BOOLEAN, "s": TEXT, "shard": SHARD}


def result_kind(column, schema):
    function, argument = column[0], column[1]
    if function in ("count_all", "count", "count_distinct"):
        return INTEGER
    kind = schema.get(argument)
    if function in ("min", "max", "first", "last"):
        return kind
    if function in ("sum", "avg"):
        return kind if kind.name in ("double", "square") else Kind("decimal", kind.scale + (4 if function == "avg" else 0))
    return {"var_pop": SQUARE, "var_samp": SQUARE, "bool_and": BOOLEAN, "bool_or": BOOLEAN, "string_agg": TEXT}.get(
        function, OPAQUE)


def key_kind(key, schema):
    return schema.get(key[2], TEXT if key[1] == "kn" else INTEGER)


def result_schema(aggregate):
    """Of the rows that readers of an aggregate get."""
    schema = aggregate.schema
    return {"window_start": TIME, "window_end": TIME, **{key[1]: key_kind(key, schema) for key in aggregate.keys},
            **{name: result_kind(column, schema) for name, column in aggregate.columns.items()}}
