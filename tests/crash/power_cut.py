# SPDX-License-Identifier: Apache-2.0
#
# Takes back what a loss of power might take of a folder that a process under power_loss.so has changed: of every file a
# tail of the writes that no fsync covers, the first of them perhaps torn, and a tail of the changes of names that no
# fsync of their folder covers. With a generator of random numbers the tails are random, without one they are all of it.
# A file's writes are lost from the end: no file system in its usual mode shows a hole where bytes were appended, and
# RocksDB would not open a MANIFEST that has one.
# What is left is what a machine could find on its disk; the journal then begins anew.

import collections
import os
import pathlib
import shutil
import struct

HEAD = struct.Struct("<c7x6Q2I")
Record = collections.namedtuple("Record", "kind inode folder other gone offset size name data at")
NAMES = b"CURKMX"


def read_journal(path):
    raw = path.read_bytes()
    records, at = [], 0
    while at + HEAD.size <= len(raw):
        kind, inode, folder, other, gone, offset, size, name_size, data_size = HEAD.unpack_from(raw, at)
        at += HEAD.size
        if at + name_size + data_size > len(raw):
            break  # cut off by the kill: its call had not begun
        name = raw[at:at + name_size].decode()
        data = raw[at + name_size:at + name_size + data_size]
        at += name_size + data_size
        records.append(Record(kind, inode, folder, other, gone, offset, size, name, data, len(records)))
    return records


def not_durable(records):
    """Writes by inode, and changes of names, that no later sync covers; in their order."""
    synced = {record.inode: record.at for record in records if record.kind == b"S"}
    writes = collections.defaultdict(list)
    names = []
    for record in records:
        if record.kind in (b"W", b"T") and synced.get(record.inode, -1) < record.at:
            writes[record.inode].append(record)
        elif record.kind in NAMES:
            folders = {record.folder, record.other} - {0}
            if any(synced.get(folder, -1) < record.at for folder in folders):
                names.append(record)
    return writes, names


class Folder:
    def __init__(self, root, graves):
        self.root, self.graves = pathlib.Path(root), pathlib.Path(graves)
        self.paths = {os.stat(root).st_ino: self.root}
        for path in self.root.rglob("*"):
            self.paths[os.lstat(path).st_ino] = path
        for grave in self.graves.iterdir():
            self.paths.setdefault(int(grave.name), grave)

    def cut_file(self, inode, records, rng):
        """All its writes are undone, then those that reached the disk are made again; how many did not."""
        path = self.paths.get(inode)
        if path is None or not path.exists():
            return 0
        survivors = surviving(records, rng)
        with open(path, "r+b", buffering=0) as file:
            number = file.fileno()
            written = []
            for record in reversed(records):
                written.append(os.pread(number, record.other, record.offset))
                os.truncate(number, record.size)
                os.pwrite(number, record.data, record.offset)
            for record, data in zip(records, reversed(written)):
                length = survivors.get(record.at, 0)
                if record.kind == b"W":
                    os.pwrite(number, data[:length], record.offset)
                elif length:
                    os.truncate(number, record.offset)
        return len(records) - len(survivors)

    def undo_name(self, record):
        folder = self.paths.get(record.folder)
        if folder is None or not folder.exists():
            return
        path = folder / record.name
        if record.kind == b"C":
            path.unlink(missing_ok=True)
        elif record.kind == b"M":
            shutil.rmtree(path, ignore_errors=True)
        elif record.kind == b"K":
            self.dig_up(record.inode, path)
        elif record.kind == b"U":
            self.dig_up(record.inode, path)
        else:
            self.undo_rename(record, path)

    def undo_rename(self, record, path):
        before = self.paths[record.other] / record.data.decode()
        if record.kind == b"X":
            aside = path.with_name(path.name + ".exchanging")
            path.rename(aside)
            before.rename(path)
            aside.rename(before)
        else:
            path.rename(before)
            if record.gone:
                self.dig_up(record.gone, path)
        self.paths[record.inode] = before

    def dig_up(self, inode, path):
        grave = self.graves / str(inode)
        if not grave.exists() or path.exists():
            return
        if grave.is_dir():
            grave.rename(path)
        else:
            os.link(grave, path)
        self.paths[inode] = path


def surviving(records, rng):
    """Which writes of a file reached the disk: number of the record -> how many bytes of it."""
    if rng is None:
        return {}
    first = rng.randint(0, len(records))
    out = {record.at: record.other or 1 for record in records[:first]}
    torn = records[first] if first < len(records) else None
    if torn and torn.kind == b"W" and rng.random() < 0.5:
        out[torn.at] = rng.randint(0, torn.other)
    return out


def cut_power(root, journal, graves, rng=None):
    """Returns (writes, changes of names) that were taken back."""
    writes, names = not_durable(read_journal(journal)) if journal.exists() else ({}, [])
    folder = Folder(root, graves)
    writes_gone = names_gone = 0
    for inode, records in writes.items():
        writes_gone += folder.cut_file(inode, records, rng)
    first = rng.randint(0, len(names)) if rng else 0
    for record in reversed(names[first:]):
        folder.undo_name(record)
        names_gone += 1
    journal.unlink(missing_ok=True)
    shutil.rmtree(graves)
    os.mkdir(graves)
    return writes_gone, names_gone
