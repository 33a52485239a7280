# SPDX-License-Identifier: Apache-2.0
#
# Aggregates of aggregates for a third of the random jobs: one more over the results of the first, or of the first and
# one that differs from it in its window, through a transform or not; sometimes a third one over those. Half of these
# jobs have rows that come too late for their windows and within allowed_lateness, so that results are corrected on
# their way. Drawn apart from the rest of the job, which stays what it is.

import copy
import random

from random_jobs import Aggregate, Job, Transform, call_text, new_emit, new_window
from schema import BOOLEAN, INTEGER, TEXT, result_schema

ANY = ("count", "count_distinct", "first", "last", "min", "max")
FUNCTIONS = {"integer": (*ANY, "sum", "sum", "avg", "quantile", "var_samp", "stddev_pop", "top_k"),
             "decimal": (*ANY, "sum", "sum", "avg", "quantile", "var_pop", "stddev_samp"),
             "double": (*ANY, "sum", "sum", "avg", "quantile"), "square": (*ANY, "sum", "avg"),
             "text": (*ANY, "string_agg", "top_k"), "boolean": ("count", "bool_and", "bool_or"), "time": ANY}
CONDITIONS = {"integer": ("{} > 1", "{} IS NULL", "{} % 2 = 0", "COALESCE({}, 3) < 4"),
              "text": ("{} LIKE 'a%'", "{} IS NOT NULL", "{} <> ''"), "time": ("{} IS NOT NULL",)}


def random_job(seed):
    job = Job(seed)
    pick = random.Random(f"chained {seed}")
    if pick.random() < 1 / 3:
        add_readers(job, pick)
    return job


def add_readers(job, pick):
    first = job.aggregates[0]
    if pick.random() < 0.5:
        job.bound = pick.choice(("0s", "0s", "10s", "1h"))
        job.lateness = 4_000 * 86_400
        job.rows_per_fetch = pick.choice((1, 2, 2, 10))
    read = [first]
    if pick.random() < 0.2:
        twin = copy.copy(first)
        twin.name, twin.window, twin.emit = "twin", new_window(pick), new_emit(pick)
        job.aggregates.append(twin)
        read.append(twin)
    reader = new_reader(pick, "second", read, job)
    if pick.random() < 0.3:
        new_reader(pick, "third", [reader], job)


def new_reader(pick, name, read, job):
    reader = Aggregate()
    reader.name = name
    reader.inputs = [one.name for one in read]
    schema = result_schema(read[0])
    if pick.random() < 0.4:
        transform = new_transform(pick, name, reader.inputs, schema)
        job.transforms.append(transform)
        reader.inputs = [transform.name]
        schema = {**schema, **{column: kind for column, (_, kind) in transform.set.items()}}
    reader.schema = schema
    reader.where = pick.choice((None, None, condition(pick, schema)))
    names = [one for one, kind in schema.items() if kind.name in ("integer", "text", "boolean", "shard")]
    keys = [key[1] for one in read for key in one.keys]
    names = sorted(set(names) & set(keys)) * 4 + names
    chosen = dict.fromkeys(pick.choice(names) for _ in range(pick.choice((0, 1, 1, 2))))
    reader.keys = [(one, one, one) for one in chosen]
    if pick.random() < 0.1:
        reader.keys.append(("window_start AS opened", "opened", "window_start"))
    is_global = any(one.window["kind"] == "global" for one in read)
    reader.window = {"kind": "global", "zone": "UTC"} if is_global else new_window(pick)
    taken = {key[1] for key in reader.keys}
    reader.columns = {f"{name[0]}{i}": new_column(pick, schema) for i in range(pick.randint(1, 4))}
    reader.columns["rows_there"] = ("count_all", None, None, None)
    reader.columns = {one: column for one, column in reader.columns.items() if one not in taken}
    reader.having = pick.choice((None, None, None, "count() > 1", "count() < 3"))
    reader.emit = new_emit(pick)
    job.aggregates.append(reader)
    return reader


def new_column(pick, schema):
    argument = pick.choice([one for one, kind in schema.items() if kind.name in FUNCTIONS])
    function = pick.choice(FUNCTIONS[schema[argument].name])
    parameter = {"quantile": pick.choice((0.0, 0.5, 1.0)), "top_k": pick.randint(1, 3),
                 "string_agg": pick.choice((0, 2))}.get(function)
    return function, argument, parameter, pick.choice((None, None, None, condition(pick, schema)))


def condition(pick, schema):
    column = pick.choice([one for one, kind in schema.items() if kind.name in CONDITIONS])
    return pick.choice(CONDITIONS[schema[column].name]).format(column)


def new_transform(pick, name, inputs, schema):
    """With a condition, a new column, or both."""
    transform = Transform(f"{name}_rows", inputs, None, {})
    if pick.random() < 0.6:
        transform.where = condition(pick, schema)
    integers = [one for one, kind in schema.items() if kind == INTEGER]
    texts = [one for one, kind in schema.items() if kind == TEXT]
    if integers and pick.random() < 0.7:
        expression = pick.choice(("{} * 2 + 1", "COALESCE({}, 7)", "CASE WHEN {} > 2 THEN 1 END"))
        transform.set[pick.choice(("extra", integers[0]))] = (expression.format(pick.choice(integers)), INTEGER)
    if texts and pick.random() < 0.5:
        transform.set[pick.choice(("word", texts[0]))] = (f"COALESCE({pick.choice(texts)}, 'none')", TEXT)
    if integers and pick.random() < 0.3:
        transform.set["many"] = (f"{pick.choice(integers)} > 1", BOOLEAN)
    return transform
