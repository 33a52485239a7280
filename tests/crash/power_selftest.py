#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# The test of the power cut itself: a process writes with and without syncs and is killed; after the cut each file and
# name is what its last syncs made durable.
#   power_selftest.py power_loss.so

import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile

from power_cut import cut_power

WRITER = """
import os, sys, signal
os.chdir(sys.argv[1])
def sync_folder(path="."):
    fd = os.open(path, os.O_RDONLY); os.fsync(fd); os.close(fd)
def put(name, text, sync=True, flags=os.O_CREAT | os.O_WRONLY):
    fd = os.open(name, flags, 0o600); os.write(fd, text); sync and os.fsync(fd); os.close(fd)
def over(name, at, text, sync=False):
    fd = os.open(name, os.O_WRONLY); os.pwrite(fd, text, at); sync and os.fsync(fd); os.close(fd)
put("grown", b"one"); put("over", b"abcdef"); put("cut", b"0123456789"); put("old", b"old"); put("new", b"new")
put("gone", b"gone"); put("emptied", b"full"); os.mkdir("kept"); sync_folder()
put("grown", b"two", sync=False, flags=os.O_WRONLY | os.O_APPEND)
over("over", 1, b"XX", sync=True); over("over", 3, b"YY"); over("over", 2, b"ZZ")
fd = os.open("cut", os.O_RDWR); os.ftruncate(fd, 4); os.close(fd)
os.rename("new", "old"); os.unlink("gone"); put("emptied", b"e", sync=False, flags=os.O_WRONLY | os.O_TRUNC)
put("unnamed", b"synced, but its name is not"); os.mkdir("lost"); put("lost/inner", b"x"); sync_folder("lost")
put("kept/durable", b"d"); sync_folder("kept")
os.kill(os.getpid(), signal.SIGKILL)
"""
WANTED = {"grown": b"one", "over": b"aXXdef", "cut": b"0123456789", "old": b"old", "new": b"new", "gone": b"gone",
          "emptied": b"full", "kept/durable": b"d"}
WRITTEN = {"grown": b"onetwo", "over": b"aXZZYf", "cut": b"0123", "old": b"new", "emptied": b"e",
           "unnamed": b"synced, but its name is not", "lost/inner": b"x", "kept/durable": b"d"}


def written(library, beside):
    root = beside / "root"
    root.mkdir()
    (beside / "graves").mkdir()
    process = subprocess.run([sys.executable, "-c", WRITER, root], env={
        **os.environ, "LD_PRELOAD": library, "TIDEMARK_POWER_ROOT": str(root),
        "TIDEMARK_POWER_JOURNAL": str(beside / "journal"), "TIDEMARK_POWER_GRAVES": str(beside / "graves")}, check=False)
    assert process.returncode == -signal.SIGKILL, process
    return root


def content(root):
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def main():
    library = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        beside = pathlib.Path(folder)
        root = written(library, beside)
        assert content(root) == WRITTEN, content(root)
        cut_power(root, beside / "journal", beside / "graves")
        assert content(root) == WANTED, content(root)
    seen = set()
    for seed in range(30):
        with tempfile.TemporaryDirectory() as folder:
            beside = pathlib.Path(folder)
            root = written(library, beside)
            cut_power(root, beside / "journal", beside / "graves", random.Random(seed))
            left = content(root)
            assert left["kept/durable"] == b"d" and left["over"].startswith(b"aX"), left
            assert left["grown"].startswith(b"one") and "onetwo".startswith(left["grown"].decode()), left
            assert left["old"] in (b"old", b"new"), left
            seen.add(tuple(sorted(left.items())))
    assert len(seen) > 10, "the tails are not random"
    print(f"30 cuts left {len(seen)} different folders, each of what could be")


if __name__ == "__main__":
    main()
