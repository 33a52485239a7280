# SPDX-License-Identifier: Apache-2.0
#
# The naive answer: every window is computed from the rows that are left, without watermarks, partial results or state.
# Conditions, keys, counts, integer sums, extremes and distinct values are SQLite's; the rest is fractions and lists.
# Windows of zones come from the standard library's own zone data.

import bisect
import datetime
import decimal
import fractions
import functools
import json
import math
import re
import sqlite3
import zoneinfo

from schema import IN_SQLITE, SOURCE, result_schema

MICROS = 1_000_000
END_OF_TIME = 2**62
decimal.getcontext().prec = 200


def all_results(job, log):
    """By aggregate: (start, end, keys...) -> values by column."""
    rows = {"rows": [{**row, "shard": f"shard-{shard}", "$t": row["t"]} for (shard, _), row in log.rows.items()]}
    schemas = {"rows": SOURCE}
    out = {}
    for aggregate in job.aggregates:
        for transform in job.transforms:
            if transform.name in aggregate.inputs:
                schemas[transform.name], rows[transform.name] = transformed(
                    transform, schemas[transform.inputs[0]], [row for one in transform.inputs for row in rows[one]])
        oracle = Oracle(aggregate, schemas[aggregate.inputs[0]], [row for one in aggregate.inputs for row in rows[one]])
        results = out[aggregate.name] = oracle.results()
        schemas[aggregate.name] = result_schema(aggregate)
        rows[aggregate.name] = [as_row(aggregate, place, values, schemas[aggregate.name])
                                for place, values in results.items()]
    return out


def transformed(transform, schema, rows):
    database = database_of(schema, rows)
    texts = "".join(f", {text}" for text, _ in transform.set.values())
    where = f" WHERE {transform.where}" if transform.where else ""
    out = [{**rows[number], **dict(zip(transform.set, values))}
           for number, *values in database.execute(f'SELECT "$n"{texts} FROM rows{where}')]
    return {**schema, **{name: kind for name, (_, kind) in transform.set.items()}}, out


def as_row(aggregate, place, values, schema):
    """A result as a row of readers: at the last instant of its window."""
    start, end, *keys = place
    row = {"window_start": start, "window_end": end, **dict(zip((key[1] for key in aggregate.keys), keys))}
    for name, value in values.items():
        is_units = isinstance(value, decimal.Decimal) and schema[name].name == "decimal"
        row[name] = int(value.scaleb(schema[name].scale)) if is_units else value
    return {**row, "$t": END_OF_TIME if end is None else end - 1}


def database_of(schema, rows):
    """Decimals and doubles are not there: SQLite's have fewer digits."""
    names = [name for name, kind in schema.items() if kind.name in IN_SQLITE]
    database = sqlite3.connect(":memory:")
    database.execute("PRAGMA case_sensitive_like = ON")
    database.execute('CREATE TABLE rows ("$n" INTEGER PRIMARY KEY, "$t" INTEGER'
                     + "".join(f", {name} {'TEXT' if schema[name].name == 'text' else 'ANY'}" for name in names) + ")")
    database.executemany(f"INSERT INTO rows VALUES ({', '.join('?' * (len(names) + 2))})",
                         ((number, row["$t"], *(row[name] for name in names)) for number, row in enumerate(rows)))
    return database


class Oracle:
    """Of one aggregate over the rows it reads, decimals in units."""

    def __init__(self, job, schema, rows):
        self.job = job
        self.schema = schema
        self.rows = rows
        self.database = database_of(schema, rows)
        self.cells = {}
        self.zone = None if job.window["zone"] == "UTC" else zoneinfo.ZoneInfo(job.window["zone"])

    def results(self):
        """(start, end, keys...) -> values by column."""
        job = self.job
        keys = "".join(f", {key[2]}" for key in job.keys)
        where = f" WHERE {job.where}" if job.where else ""
        chosen = list(self.database.execute(f'SELECT "$n", "$t"{keys} FROM rows{where}'))
        groups = {}
        if job.window["kind"] == "session":
            for place, members in self.sessions(chosen):
                groups[place] = members
        else:
            for number, time, *key in chosen:
                for bounds in self.windows(time):
                    groups.setdefault((*bounds, *key), []).append(number)
        out = {}
        for place, members in groups.items():
            if not job.having or self.holds(job.having, members):
                out[place] = {name: self.value(column, members) for name, column in job.columns.items()}
        return out

    # Windows

    def sessions(self, chosen):
        window = self.job.window
        by_key = {}
        for number, time, *key in chosen:
            by_key.setdefault(tuple(key), []).append((time, number))
        for key, times in by_key.items():
            times.sort()
            begin = 0
            for i in range(1, len(times) + 1):
                ends = i == len(times) or times[i][0] - times[i - 1][0] > window["gap"] * MICROS or (
                    window["max"] and times[i][0] - times[begin][0] > window["max"] * MICROS)
                if ends:
                    yield (times[begin][0], times[i - 1][0] + window["gap"] * MICROS, *key), [n for _, n in times[begin:i]]
                    begin = i

    def windows(self, time):
        window = self.job.window
        if window["kind"] == "global":
            return [(None, None)]
        size, offset = window["size"] * MICROS, window["offset"] * MICROS
        if window["kind"] == "tumbling":
            return [self.cell(time, size, offset)]
        slide = window["slide"] * MICROS
        if window["kind"] == "cumulative":
            start, last = self.cell(time, size, offset)
            out, end = [], self.cell(time, slide, offset)[1]
            while end < last:
                out.append((start, end))
                end = self.cell(end, slide, offset)[1]
            return out + [(start, last)]
        if self.zone is None:
            start = (time - offset) // slide * slide + offset
            return [(s, s + size) for s in range(start, time - size, -slide)]
        out, cell = [], self.cell(time, slide, offset)
        for _ in range(size // slide):
            end = cell
            for _ in range(size // slide - 1):
                end = self.cell(end[1], slide, offset)
            out.append((cell[0], end[1]))
            cell = self.cell(cell[0] - 1, slide, offset)
        return out

    def cell(self, time, length, offset):
        """The stretch of the grid of this length that holds the time."""
        if self.zone is None:
            start = (time - offset) // length * length + offset
            return start, start + length
        known = self.cells.setdefault((length, offset), [])  # as they were found, ascending
        at = bisect.bisect_right(known, (time, math.inf))
        if at > 0 and known[at - 1][0] <= time < known[at - 1][1]:
            return known[at - 1]
        bounds = self.grid(time, length, offset)
        found = bisect.bisect_right(bounds, time)
        known.insert(at, (bounds[found - 1], bounds[found]))
        return known[at]

    def grid(self, time, length, offset):
        """All bounds of the grid around a time."""
        reach = length + 2 * 86_400 * MICROS
        if length % (86_400 * MICROS) == 0:
            local = lambda n: self.first_reaching(n * length + offset)
            first = (time - reach - offset) // length
            return sorted({local(n) for n in range(first, first + 2 * reach // length + 3)})
        # Every quarter of an hour: what clocks show there, and what they jump over. All offsets are multiples of it.
        step = math.gcd(length, abs(offset), 900 * MICROS) if offset else math.gcd(length, 900 * MICROS)
        at = (time - reach) // step * step
        shown_before = at - step + self.offset_at(at - step)
        out = []
        while at <= time + reach:
            shown = at + self.offset_at(at)
            # a multiple in (shown_before + step, shown] was jumped over; shown itself is one that is shown
            jumped = shown > shown_before + step and (shown - offset) // length * length + offset >= shown_before + step
            if (shown - offset) % length == 0 or jumped:
                out.append(at)
            shown_before, at = shown, at + step
        return out

    @functools.lru_cache(maxsize=None)
    def offset_at(self, micros):
        moment = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(microseconds=micros)
        return int(moment.astimezone(self.zone).utcoffset().total_seconds()) * MICROS

    def first_reaching(self, local):
        """The first instant at which clocks show this local time or a later one."""
        low = local - 20 * 3600 * MICROS
        step = 900 * MICROS
        at = low // step * step
        while at + self.offset_at(at) < local:
            at += step
        return at

    # Values

    def select(self, expression, members):
        marks = ",".join(map(str, members))
        return self.database.execute(f'SELECT {expression} FROM rows WHERE "$n" IN ({marks})').fetchone()[0]

    def holds(self, having, members):
        return bool(self.select(re.sub(r"count\(\)", "count(*)", having), members))

    def kept(self, column, members):
        """The values of the rows that count, NULLs left out."""
        function, argument, _, condition = column
        if condition:
            marks = ",".join(map(str, members))
            members = [n for (n,) in self.database.execute(
                f'SELECT "$n" FROM rows WHERE "$n" IN ({marks}) AND ({condition})')]
        if function == "count_all":
            return members
        return [(self.rows[n][argument], self.rows[n]["$t"]) for n in members if self.rows[n][argument] is not None]

    def value(self, column, members):
        function, argument, parameter, condition = column
        sql = {"count_all": "count(*)", "count": "count({})", "sum": "sum({})", "min": "min({})", "max": "max({})",
               "count_distinct": "count(DISTINCT {})"}.get(function)
        if sql and (argument is None or self.schema[argument].name in ("integer", "text")):
            call = sql.format(argument) + (f" FILTER (WHERE {condition})" if condition else "")
            return self.select(call, members)
        return getattr(self, function)(column, self.kept(column, members))

    def text(self, argument, value):
        if value is None or self.schema[argument].name != "decimal":
            return value
        return decimal.Decimal(value).scaleb(-self.schema[argument].scale)

    def is_double(self, argument):
        return self.schema[argument].name in ("double", "square")

    def count(self, column, values):
        return len(values)

    def count_distinct(self, column, values):
        return len({value for value, _ in values})

    def approx_count_distinct(self, column, values):
        return len({value for value, _ in values})  # compared with a tolerance

    def min(self, column, values):
        return self.text(column[1], min((value for value, _ in values), default=None))

    def max(self, column, values):
        return self.text(column[1], max((value for value, _ in values), default=None))

    def first(self, column, values):
        return self.text(column[1], min(values, key=lambda v: (v[1], order(v[0])))[0]) if values else None

    def last(self, column, values):
        return self.text(column[1], max(values, key=lambda v: (v[1], order(v[0])))[0]) if values else None

    def sum(self, column, values):
        if not values:
            return None
        if self.is_double(column[1]):
            return float(sum(fractions.Fraction(value) for value, _ in values))
        return self.text(column[1], sum(value for value, _ in values))

    def avg(self, column, values):
        if not values:
            return None
        total = sum(fractions.Fraction(value) for value, _ in values) / len(values)
        if self.is_double(column[1]):
            return float(total)
        scaled = abs(total) * 10_000
        rounded = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)  # half away from zero
        return decimal.Decimal(-rounded if total < 0 else rounded).scaleb(-4 - self.schema[column[1]].scale)

    def moment(self, column, values, freedom):
        if len(values) <= freedom:
            return None
        scale = 10 ** self.schema[column[1]].scale
        numbers = [fractions.Fraction(value) / scale for value, _ in values]
        mean = sum(numbers) / len(numbers)
        return sum((x - mean) ** 2 for x in numbers) / (len(numbers) - freedom)

    def var_pop(self, column, values):
        return real(self.moment(column, values, 0))

    def var_samp(self, column, values):
        return real(self.moment(column, values, 1))

    def stddev_pop(self, column, values):
        return root(self.moment(column, values, 0))

    def stddev_samp(self, column, values):
        return root(self.moment(column, values, 1))

    def quantile(self, column, values):
        if not values:
            return None
        scale = 10 ** self.schema[column[1]].scale
        numbers = sorted(fractions.Fraction(value) / scale for value, _ in values)
        return numbers[math.floor(column[2] * (len(numbers) - 1))]  # compared with a tolerance

    def bool_and(self, column, values):
        return all(value for value, _ in values) if values else None

    def bool_or(self, column, values):
        return any(value for value, _ in values) if values else None

    def string_agg(self, column, values):
        if not values:
            return None
        texts = sorted((value for value, _ in values), key=lambda text: text.encode())
        return "|".join(texts[: column[2]] if column[2] else texts)

    def top_k(self, column, values):
        if not values:
            return None
        counts = {}
        for value, _ in values:
            counts[value] = counts.get(value, 0) + 1
        best = sorted(counts, key=lambda value: (-counts[value], order(value)))[: column[2]]
        is_decimal = self.schema[column[1]].name == "decimal"
        return json.loads(json.dumps([str(self.text(column[1], value)) if is_decimal else value for value in best]))


def order(value):
    return value.encode() if isinstance(value, str) else value


def real(value):
    if value is None:
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def root(value):
    if value is None:
        return None
    # to 40 digits, then rounded once
    with decimal.localcontext() as context:
        context.prec = 60
        context.Emax, context.Emin = 10**6, -10**6
        return float((decimal.Decimal(value.numerator) / decimal.Decimal(value.denominator)).sqrt())
