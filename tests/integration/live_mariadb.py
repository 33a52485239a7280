# SPDX-License-Identifier: Apache-2.0
#
# A private MariaDB server for tests: Debian's mariadbd on a unix socket in a temporary folder, as whoever runs the
# tests (root too), without network, privileges or syncs to disk; ready in about half a second. Its folder and process
# are gone when the `with` block ends, also after a failure. Nothing of a server that already runs is touched.
#
#   with LiveMariadb("--binlog-row-metadata=FULL") as server:
#       server.run("CREATE DATABASE d; CREATE TABLE d.t (a INT)")
#       rows = server.rows("SELECT * FROM d.t")
#       server.stop(); files = server.binlogs()

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

START_BOUND_S = 60
STOP_BOUND_S = 60
ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "0": "\0"}


class LiveMariadb:
    def __init__(self, *options, folder=None):
        """`options` go to mariadbd behind (so over) the defaults; `folder`: where to make the temporary one."""
        self.options = options
        self.parent = folder
        self.folder = None
        self.process = None

    def __enter__(self):
        # A short path: the socket's name has a limit of 107 bytes.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tm-mdb-", dir=self.parent))
        self.data = self.folder / "data"
        self.data.mkdir()
        self.socket = self.folder / "s"
        self.log = self.folder / "server.log"
        try:
            self.start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *_):
        if self.process is not None:
            self.kill()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        """Starts the server over its data folder, which the first start makes, and waits until it answers."""
        command = [
            program("mariadbd"), "--no-defaults", f"--datadir={self.data}", f"--socket={self.socket}",
            f"--pid-file={self.folder / 'pid'}", f"--tmpdir={self.folder}",
            *(["--user=root"] if os.getuid() == 0 else []),  # asked for, or it refuses to run as root
            # Without system tables there are no grants to load; the server warns of it and works.
            "--skip-grant-tables", "--skip-networking", "--debug-no-sync", "--innodb-flush-log-at-trx-commit=0",
            "--innodb-log-file-size=32M", "--innodb-buffer-pool-size=64M", "--innodb-stats-persistent=OFF",
            "--performance-schema=OFF", "--server-id=1", f"--log-bin={self.data / 'binlog'}", "--binlog-format=ROW",
            *self.options]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end = time.monotonic() + START_BOUND_S
        while True:
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("mariadbd did not start:\n" + self.log.read_text(errors="replace")[-3000:])
            if self.socket.exists() and self._client("SELECT 1").returncode == 0:
                return
            time.sleep(0.02)

    def stop(self):
        """Clean shutdown: the last binlog ends with STOP."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(STOP_BOUND_S)
        self.process = None

    def kill(self):
        """As a crash: no STOP event, the last binlog stays marked as in use."""
        self.process.kill()
        self.process.wait(STOP_BOUND_S)
        self.process = None

    def run(self, sql, *arguments):
        """Runs statements (str or bytes) in one new session and gives what the client prints, raw bytes; raises on an
        error. `arguments` go to the client (--force goes on after errors, a word is the default database)."""
        done = self._client(sql, *arguments)
        if done.returncode != 0:
            raise RuntimeError(f"{done.stderr.decode(errors='replace')}\nin: {str(sql)[:2000]}")
        return done.stdout

    def rows(self, sql, *arguments):
        """Rows of a SELECT: lists of str (UTF-8), None for NULL. A text that spells NULL cannot be told from it: select
        HEX() of columns that may hold it."""
        out = self.run(sql, *arguments).decode()
        return [[cell(text) for text in line.split("\t")] for line in out.split("\n")[:-1]]

    def binlogs(self):
        """Paths of the binlog files, oldest first. Flush or stop first: the newest may lack its last bytes."""
        return sorted(path for path in self.data.glob("binlog.*") if path.suffix[1:].isdigit())

    def _client(self, sql, *arguments):
        command = [program("mariadb"), "--no-defaults", f"--socket={self.socket}", "--batch", "--skip-column-names",
                   "--default-character-set=utf8mb4", *arguments]
        return subprocess.run(command, input=sql.encode() if isinstance(sql, str) else sql, capture_output=True)


def cell(text):
    """The client's --batch escapes undone."""
    if text == "NULL":
        return None
    if "\\" not in text:
        return text
    out = []
    letters = iter(text)
    for letter in letters:
        if letter == "\\":
            follower = next(letters, "")
            out.append(ESCAPES.get(follower, "\\" + follower))
        else:
            out.append(letter)
    return "".join(out)


def program(name):
    """Its path; the server's lies outside of most users' PATH."""
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin:/sbin")
    if path is None:
        raise RuntimeError(f"{name} is not installed (Debian packages mariadb-server and mariadb-client)")
    return path
