#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Does the cut of power lose what was not synced, and nothing else? Small programs change files below power_loss.cpp
# and kill themselves; then the disk must hold what POSIX promises, and with random numbers something that it allows.
#   power_selftest.py power_loss.so

import os
import pathlib
import random
import subprocess
import sys
import tempfile

from power_cut import cut_power

SETUP = """
import os
def put(name, text, sync=True, flags=os.O_CREAT):
    fd = os.open(name, os.O_WRONLY | flags, 0o644)
    os.write(fd, text)
    if sync: os.fsync(fd)
    return fd
def sync_folder(name="."):
    fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(fd)
    os.close(fd)
put("old", b"old text"); put("other", b"other"); os.mkdir("folder"); put("folder/in", b"in"); put("folder/out", b"out")
sync_folder(); sync_folder("folder")
"""
OLD = {"old": b"old text", "other": b"other", "folder/in": b"in", "folder/out": b"out"}

# name, what the program does, what differs from OLD after the power was cut (None: no such file).
CASES = [
    ("append is lost", 'os.write(os.open("old", os.O_WRONLY | os.O_APPEND), b"!")', {}),
    ("append is synced", 'os.fsync(put("old", b"!", flags=os.O_APPEND))', {"old": b"old text!"}),
    ("append after the sync is lost", 'fd = put("old", b"!", flags=os.O_APPEND); os.write(fd, b"?")',
     {"old": b"old text!"}),
    ("fdatasync is a sync", 'os.fdatasync(put("old", b"!", False, os.O_APPEND))', {"old": b"old text!"}),
    ("sync by another descriptor", 'put("old", b"!", False, os.O_APPEND); os.fsync(os.open("old", os.O_RDONLY))',
     {"old": b"old text!"}),
    ("overwriting is lost", 'put("old", b"new", False)', {}),
    ("overwriting twice is lost", 'fd = put("old", b"new"); os.pwrite(fd, b"123456789", 2); os.pwrite(fd, b"xy", 1)',
     {"old": b"new text"}),
    ("writev is lost", 'os.writev(os.open("old", os.O_WRONLY), [b"ab", b"cd"])', {}),
    ("cut is lost", 'os.ftruncate(os.open("old", os.O_WRONLY), 3)', {}),
    ("cut by open is lost", 'put("old", b"new", False, os.O_TRUNC)', {}),
    ("cut is synced", 'put("old", b"new", True, os.O_TRUNC)', {"old": b"new"}),
    ("growing is lost", 'os.ftruncate(os.open("old", os.O_WRONLY), 99)', {}),
    ("space is lost", 'os.posix_fallocate(os.open("old", os.O_WRONLY), 0, 99)', {}),
    ("file without its name", 'put("new", b"new")', {"new": None}),
    ("name without its file", 'put("new", b"new", False); sync_folder()', {"new": b""}),
    ("file and name", 'put("new", b"new"); sync_folder()', {"new": b"new"}),
    ("name of another folder", 'put("new", b"new"); sync_folder("folder")', {"new": None}),
    ("from another working folder", 'os.chdir("folder"); put("../new", b"new"); sync_folder()', {"new": None}),
    ("rename is lost", 'os.rename("old", "new")', {"new": None}),
    ("rename is synced", 'os.rename("old", "new"); sync_folder()', {"old": None, "new": b"old text"}),
    ("replacing is lost", 'os.rename("old", "other")', {}),
    ("replacing is synced", 'os.rename("old", "other"); sync_folder()', {"old": None, "other": b"old text"}),
    ("replacing by a new file is lost", 'put("tmp", b"new"); os.rename("tmp", "old")', {"tmp": None}),
    ("replacing by a file without its bytes", 'put("tmp", b"new", False); os.rename("tmp", "old"); sync_folder()',
     {"old": b""}),
    ("rename to a folder half synced", 'os.rename("old", "folder/old"); sync_folder("folder")', {}),
    ("rename to a folder is synced", 'os.rename("old", "folder/old"); sync_folder("folder"); sync_folder()',
     {"old": None, "folder/old": b"old text"}),
    ("rename of a folder is lost", 'os.rename("folder", "f2"); put("f2/in", b"IN", True); put("f2/new", b"", True)',
     {"folder/in": b"IN"}),
    ("removal is lost", 'os.unlink("old")', {}),
    ("removal after writing is lost", 'put("old", b"!", True, os.O_APPEND); put("old", b"?", False); os.remove("old")',
     {"old": b"old text!"}),
    ("removal is synced", 'os.unlink("old"); sync_folder()', {"old": None}),
    ("removal and a new one of the name", 'os.unlink("old"); put("old", b"new")', {}),
    ("link is lost", 'os.link("old", "new")', {}),
    ("link is synced", 'os.link("old", "new"); sync_folder()', {"new": b"old text"}),
    ("folder is lost", 'os.mkdir("f2"); put("f2/new", b"new"); sync_folder("f2")', {}),
    ("folder is synced", 'os.mkdir("f2"); put("f2/new", b"new"); sync_folder("f2"); sync_folder()',
     {"f2/new": b"new"}),
    ("folder's removal is lost", 'os.unlink("folder/in"); os.unlink("folder/out"); os.rmdir("folder")', {}),
    ("folder's removal is synced", 'os.unlink("folder/in"); os.unlink("folder/out"); os.rmdir("folder"); sync_folder()',
     {"folder/in": None, "folder/out": None}),
    ("removed folders and new files",
     'for i in range(50): os.mkdir("f"); put("f/n", b""); os.unlink("f/n"); os.rmdir("f"); put("n", b""); os.unlink("n")',
     {}),
    ("removed by the C library", """
import ctypes
libc = ctypes.CDLL(None)
for name in (b"folder/in", b"folder/out", b"folder"): assert libc.remove(name) == 0
""", {}),
    ("a folder that is not empty", """
try: os.rmdir("folder")
except OSError: put("old", b"!", True, os.O_APPEND)
""", {"old": b"old text!"}),
    ("deaf file", 'put("deaf", b"!", True); sync_folder()', {"deaf": b""}),
    ("a long way", """
fd = put("new", b"")
for i in range(2000): os.write(fd, b"%d\\n" % i)
os.fsync(fd)
sync_folder()
""", {"new": b"".join(b"%d\n" % i for i in range(2000))}),
]


def contents(root):
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def after_cut(library, program, rng=None):
    """The files after that program was killed and the power cut."""
    with tempfile.TemporaryDirectory() as temporary:
        root, journal, graves = (pathlib.Path(temporary) / name for name in ("disk", "journal", "graves"))
        root.mkdir()
        graves.mkdir()
        subprocess.run([sys.executable, "-c", SETUP + program + "\nos.kill(os.getpid(), 9)"], cwd=root, check=False,
                       env={**os.environ, "LD_PRELOAD": library, "TIDEMARK_POWER_ROOT": str(root),
                            "TIDEMARK_POWER_JOURNAL": str(journal), "TIDEMARK_POWER_GRAVES": str(graves),
                            "TIDEMARK_POWER_FORGET": "deaf"})
        cut_power(root, journal, graves, rng)
        return contents(root)


def check_cases(library):
    wrong = 0
    for name, program, change in CASES:
        wanted = {file: text for file, text in {**OLD, **change}.items() if text is not None}
        seen = after_cut(library, program)
        if seen != wanted:
            wrong += 1
            print(f"{name}: {seen}, wanted {wanted}")
    return wrong


def check_random(library):
    """Every outcome is allowed; lost, whole and torn ones all come up."""
    program = """
fd = put("old", b"", True)
for part in (b"AAAA", b"BBBB", b"CCCC"): os.pwrite(fd, part, {b"A": 8, b"B": 12, b"C": 16}[part[:1]])
for name in ("n1", "n2", "n3"): put(name, b"x")
"""
    outcomes = set()
    for seed in range(60):
        files = after_cut(library, program, random.Random(seed))
        names = [name for name in ("n1", "n2", "n3") if name in files]
        assert names == ["n1", "n2", "n3"][:len(names)], (seed, names)
        text = files["old"]
        assert text.startswith(b"old text") and b"old textAAAABBBBCCCC".startswith(text), (seed, text)
        outcomes.add((len(names), text))
    assert {names for names, _ in outcomes} == {0, 1, 2, 3}, outcomes
    texts = {text for _, text in outcomes}
    assert {b"old text", b"old textAAAABBBBCCCC"} < texts and any(len(text) % 4 for text in texts), texts


def main():
    library = str(pathlib.Path(sys.argv[1]).resolve())
    assert os.path.exists(library), library
    wrong = check_cases(library)
    check_random(library)
    if wrong:
        sys.exit(f"{wrong} cases are wrong")
    print(f"{len(CASES)} cases")


if __name__ == "__main__":
    main()
