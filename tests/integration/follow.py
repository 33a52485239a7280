#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# `follow = true` over directories that grow as a server's do: files come in pieces cut at random bytes, also inside
# events, and rotate. Results come as windows close; a stop and a kill on the way change nothing: in the end the
# result file is what a bounded run over the whole files gives, up to the last closed window.
#   follow.py TIDEMARK CORPORA_FOLDER [SEED]

import datetime
import json
import pathlib
import random
import re
import signal
import sys
import time

from checks import Checks
from job_folder import JobFolder

BOUND_S = 30
HEAD_BYTES = 4000  # holds the CREATE statements of every shard's first files


class GrowingShard:
    """A directory that gets the files of another one piece by piece."""

    def __init__(self, source, target, rng):
        self.files = sorted(source.iterdir())
        self.target = target
        self.rng = rng
        self.current = 0
        self.offset = 0
        target.mkdir(parents=True)

    def done(self):
        return self.current == len(self.files)

    def grow(self, most):
        """Appends at most so many bytes of the current file; goes to the next one at its end."""
        content = self.files[self.current].read_bytes()
        size = min(self.rng.randint(1, most), len(content) - self.offset)
        with open(self.target / self.files[self.current].name, "ab") as file:
            file.write(content[self.offset:self.offset + size])
        self.offset += size
        if self.offset == len(content):
            self.current += 1
            self.offset = 0

    def start(self):
        """The files up to the first one that has the table, and some bytes of it: what a job needs at its start."""
        while b"orders_0" not in self.files[self.current].read_bytes()[:HEAD_BYTES]:
            self.grow(1 << 30)
        while self.offset < HEAD_BYTES:
            self.grow(HEAD_BYTES)


def follow_job(checks, rng, shards):
    job = JobFolder(checks.tidemark, shards, bound=f"{BOUND_S}s", interval="20ms")
    job.edit((f"{shards}/shard-*", "live/shard-*"), ('mode = "append"', 'mode = "append"\nfollow = true'))
    growing = [GrowingShard(source, job.path / "live" / source.name, rng) for source in sorted(shards.glob("shard-*"))]
    for shard in growing:
        shard.start()
    return job, growing


def start(job):
    """The job as a process, once it runs: before that a kill proves nothing."""
    process = job.start()
    while process.poll() is None and not (job.path / "state" / "http.json").exists():
        time.sleep(0.01)
    return process


def feed(growing, rng, rounds, pause):
    for _ in range(rounds):
        open_ones = [shard for shard in growing if not shard.done()]
        if not open_ones:
            return
        rng.choice(open_ones).grow(rng.choice((7, 60, 900, 20000, 90000)))
        time.sleep(pause)


def settled(path, seconds=15, quiet=0.7):
    """The file's content when it has not grown for a while."""
    end = time.monotonic() + seconds
    size, since = -1, time.monotonic()
    while time.monotonic() < end and time.monotonic() - since < quiet:
        now = path.stat().st_size if path.exists() else 0
        if now != size:
            size, since = now, time.monotonic()
        time.sleep(0.02)
    return path.read_bytes()


def last_closed_window(checks, shards):
    """The end of the last window that may close while all input could still go on: the slowest shard's newest time,
    less the bound, cut to the minute."""
    newest = []
    for shard in sorted(shards.glob("shard-*")):
        done = checks.run("binlog", "cat", *sorted(shard.iterdir()), cwd="/")
        times = [image["created_at"] for line in done.stdout.splitlines() if ".orders_" in line
                 for change in [json.loads(line)] for image in (change["before"], change["after"]) if image]
        newest.append(max(datetime.datetime.fromisoformat(text) for text in times))
    closed = min(newest) - datetime.timedelta(seconds=BOUND_S)
    return closed.replace(second=0, microsecond=0).strftime("%Y-%m-%dT%H:%M:%SZ")


def corpus(checks, shards, rng, what):
    bounded = JobFolder(checks.tidemark, shards, bound=f"{BOUND_S}s")
    checks.equal(bounded.run().returncode, 0, f"{what}: the bounded run")
    expected = bounded.results.read_bytes()

    job, growing = follow_job(checks, rng, shards)
    process = job.start()
    feed(growing, rng, 150, 0.002)
    while not job.wait_for_results(process, seconds=0.3) and not all(shard.done() for shard in growing):
        feed(growing, rng, 20, 0.002)
    checks.that(job.results.stat().st_size > 0 and not all(shard.done() for shard in growing),
                f"{what}: results come while the files grow")
    err = job.stop(process, signal.SIGTERM)
    checks.that(process.returncode == 0 and "stopped: " in err, f"{what}: SIGTERM stops it", err)
    feed(growing, rng, 20, 0)
    process = start(job)
    feed(growing, rng, 60, 0.002)
    err = job.stop(process, signal.SIGKILL)
    checks.that("resumed from epoch" in err, f"{what}: resumed", err)
    process = job.start()
    while not all(shard.done() for shard in growing):
        feed(growing, rng, 50, 0.002)
    part = settled(job.results)
    checks.that(process.poll() is None, f"{what}: it waits for more at the end")
    checks.that(expected.startswith(part) and len(part) < len(expected),
                f"{what}: the results are the beginning of those of the bounded run",
                f"{len(part)} bytes: {part[-300:]}")
    ends = [json.loads(line)["window_end"] for line in part.splitlines()]
    checks.equal(ends[-1] if ends else None, last_closed_window(checks, shards), f"{what}: every closed window is there")
    err = job.stop(process, signal.SIGINT)
    checks.that(process.returncode == 0 and "stopped: " in err, f"{what}: SIGINT stops it", err)

    text = (job.path / "job.toml").read_text()
    (job.path / "job.toml").write_text(re.sub("follow = true\n", "", text))
    checks.ended(job.run(), 0, ["resumed from epoch", "finished: "], f"{what}: without follow it goes on to the end")
    checks.that(job.results.read_bytes() == expected, f"{what}: and gives the bytes of the bounded run")


def new_shard(checks, shards, rng):
    """A shard that appears while the job runs is read from its beginning; nothing of it is lost or late."""
    bounded = JobFolder(checks.tidemark, shards, bound="2h")
    checks.equal(bounded.run().returncode, 0, "new shard: the bounded run")
    job = JobFolder(checks.tidemark, shards, bound="2h", interval="20ms")
    job.edit((f"{shards}/shard-*", "live/shard-*"),
             ('mode = "append"', 'mode = "append"\nfollow = true\ndiscover_interval = "50ms"'),
             ('level = "warning"', 'level = "info"'))
    sources = sorted(shards.glob("shard-*"))
    growing = [GrowingShard(source, job.path / "live" / source.name, rng) for source in sources[:-1]]
    for shard in growing:
        shard.start()
    process = start(job)
    last = job.path / "live" / sources[-1].name
    last.mkdir()
    time.sleep(0.2)
    (last / "notes.txt").write_text("a folder without binlogs is no reason to stop")
    time.sleep(0.2)
    last.rename(job.path / "aside")
    growing.append(GrowingShard(sources[-1], last, rng))
    while not all(shard.done() for shard in growing):
        feed(growing, rng, 50, 0.002)
    checks.that(process.poll() is None, "new shard: the job goes on", process.stderr.read() if process.poll() else "")
    part = settled(job.results)
    err = job.stop(process, signal.SIGINT)
    checks.that(process.returncode == 0 and f"new split live/{last.name}" in err,
                "new shard: it is found", err)
    checks.that(not re.search(r"\d late", err), "new shard: no row of it is late", err)
    checks.that(bounded.results.read_bytes().startswith(part), "new shard: the results are those of the bounded run")
    text = (job.path / "job.toml").read_text()
    (job.path / "job.toml").write_text(re.sub('follow = true\ndiscover_interval = "50ms"\n', "", text))
    checks.ended(job.run(), 0, ["resumed from epoch", "finished: "], "new shard: without follow it goes on to the end")
    checks.that(job.results.read_bytes() == bounded.results.read_bytes(), "new shard: the bytes of the bounded run")


def main():
    checks = Checks(sys.argv[1])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else int(time.time())
    print(f"seed {seed}", flush=True)
    for name in ("orders-mysql-9.7", "orders-mariadb-10.11"):
        corpus(checks, pathlib.Path(sys.argv[2]).resolve() / name, random.Random(seed), name)
    new_shard(checks, pathlib.Path(sys.argv[2]).resolve() / "orders-mysql-9.7", random.Random(seed))
    checks.close()


if __name__ == "__main__":
    main()
