# SPDX-License-Identifier: Apache-2.0
#
# Random tables that change: rows of several shards are inserted, updated (keys, event times and values too, to and from
# NULL) and deleted; where the job keeps rows, images lack columns, and all rows of a shard may go at once. What the program reads are the changes; what the oracle reads is what is left.

import random

COLUMNS = ("id", "k", "g", "t", "a", "w", "f", "b", "s")
MICROS = 1_000_000


class Changelog:
    def __init__(self, seed, mode):
        self.random = random.Random(seed)
        self.mode = mode
        self.shards = [[] for _ in range(self.random.randint(1, 4))]  # lines of each
        self.rows = {}                                               # (shard, id) -> values, what is left
        self.span = self.random.choice((60, 600, 7_200, 3 * 86_400)) * MICROS
        self.base = self.random.choice((0, -40 * 86_400 * MICROS, 1_774_742_400 * MICROS, 1_761_350_400 * MICROS))
        self.grid = self.random.choice((1, 1000, MICROS, 5 * MICROS))
        self.keys = [self.random.choice("abcxyz") * self.random.randint(0, 3) for _ in range(self.random.randint(1, 6))]
        self.partial = random.Random(seed + 1) if mode == "changelog" and seed % 2 == 0 else None
        for _ in range(self.random.randint(0, 120)):
            if self.keeps_rows() and self.partial.random() < 0.04:
                self.truncate(self.partial.randrange(len(self.shards)))
            self.step()

    def keeps_rows(self):
        return self.partial is not None

    def truncate(self, shard):
        self.rows = {place: row for place, row in self.rows.items() if place[0] != shard}
        self.shards[shard].append("t")

    def step(self):
        shard = self.random.randrange(len(self.shards))
        ours = [key for key in self.rows if key[0] == shard]
        action = "i" if self.mode == "append" or not ours else self.random.choice("iiiuuudd")
        if action == "i":
            number = self.random.getrandbits(40)
            if (shard, number) in self.rows:
                return
            self.rows[shard, number] = row = self.new_row(number)
            self.write(shard, "i", row)
            return
        place = self.random.choice(ours)
        before = self.rows.pop(place)
        if action == "d":
            self.write(shard, "d", before, self.absent(COLUMNS[1:]))
            return
        after = dict(before)
        fresh = self.new_row(place[1])
        for name in self.random.sample(COLUMNS[1:], self.random.randint(1, 4)):
            after[name] = fresh[name]
        self.rows[place] = after
        self.write(shard, "b", before, self.absent(COLUMNS[1:]))
        self.write(shard, "a", after, self.absent([name for name in COLUMNS if after[name] == before[name]]))

    def absent(self, names):
        """Some of the columns, that an image does not hold."""
        if not self.keeps_rows() or self.partial.random() < 0.3:
            return ()
        return [name for name in names if self.partial.random() < 0.7]

    def new_row(self, number):
        pick = self.random
        maybe = lambda value, share=0.2: None if pick.random() < share else value
        t = self.base + pick.randrange(self.span) // self.grid * self.grid
        decimal = pick.choice((0, 1, -1, pick.randint(-10**6, 10**6), pick.randint(-10**12 + 1, 10**12 - 1)))
        wide = pick.choice((0, pick.randint(-10**9, 10**9), pick.randint(-10**59, 10**59)))
        double = pick.choice((0.0, 0.1, -0.1, 1e16, -1e16, 1e-150, pick.uniform(-1e6, 1e6), pick.gauss(0, 1), 1e150))
        return {"id": number, "k": maybe(pick.choice(self.keys)), "g": maybe(pick.randint(-2, 3)), "t": t,
                "a": maybe(decimal), "w": maybe(wide), "f": maybe(double), "b": maybe(pick.random() < 0.6),
                "s": maybe(pick.choice(("", "p", "q", "a b", 'x"y', "ä", "zz")))}

    def write(self, shard, operation, row, absent=()):
        cells = [operation]
        for name in COLUMNS:
            value = row[name]
            if name in absent:
                cells.append("\\?")
            elif value is None:
                cells.append("\\N")
            elif name == "a":
                cells.append(scaled(value, 2))
            elif name == "w":
                cells.append(scaled(value, 3))
            elif name == "b":
                cells.append(str(int(value)))
            elif name == "f":
                cells.append(repr(value))
            else:
                cells.append(str(value))
        self.shards[shard].append("\t".join(cells))

    def write_files(self, folder):
        for number, lines in enumerate(self.shards):
            (folder / f"shard-{number}.tsv").write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def scaled(value, scale):
    sign = "-" if value < 0 else ""
    digits = str(abs(value)).rjust(scale + 1, "0")
    return f"{sign}{digits[:-scale]}.{digits[-scale:]}"
