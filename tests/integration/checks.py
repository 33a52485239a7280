# SPDX-License-Identifier: Apache-2.0
#
# What scripts of several checks share: runs of the program, checks that go on after a failure and are counted,
# and the findings of `tidemark check` taken apart (place, code, text, the words over the carets, help).

import collections
import os
import pathlib
import re
import subprocess
import sys

Finding = collections.namedtuple("Finding", "line column severity code text marked help notes")
HEAD = re.compile(r"^(?P<file>[^\s:][^:]*):(?:(?P<line>\d+):(?P<column>\d+):)? (?P<severity>error|warning)"
                  r"\[(?P<code>[FW]\d+)\]: (?P<text>.*)$")


class Checks:
    def __init__(self, tidemark):
        self.tidemark = str(pathlib.Path(tidemark).resolve())
        self.done = 0
        self.failed = 0

    def run(self, *arguments, cwd, environment=None, timeout=120):
        return subprocess.run([self.tidemark, *map(str, arguments)], cwd=cwd, capture_output=True, text=True,
                              timeout=timeout, env={**os.environ, **(environment or {})})

    def that(self, good, what, seen=""):
        self.done += 1
        if not good:
            self.failed += 1
            print(f"FAILED: {what}\n    {str(seen)[:3000]}", flush=True)
        return good

    def equal(self, seen, wanted, what):
        return self.that(seen == wanted, what, f"{seen!r} instead of {wanted!r}")

    def holds(self, text, parts, what):
        """Every part stands in the text."""
        missing = [part for part in parts if part not in text]
        return self.that(not missing, what, f"no {missing} in: {text}")

    def ended(self, process, code, parts, what):
        """The exit code, and what standard error holds."""
        self.that(process.returncode == code, f"{what}: exit code {code}", f"{process.returncode}: {process.stderr}")
        self.holds(process.stderr, parts, what)

    def close(self):
        print(f"{self.done} checks, {self.failed} failed")
        sys.exit(1 if self.failed else 0)


def findings(text):
    """The findings of the text format, in the order of the output."""
    out = []
    lines = text.splitlines()
    for at, line in enumerate(lines):
        head = HEAD.match(line)
        if not head:
            continue
        marked = help_text = ""
        notes = []
        for more in lines[at + 1:]:
            if HEAD.match(more) or not more:
                break
            excerpt = re.match(r"^ *(\d*) \| ?(.*)$", more)
            if excerpt and excerpt.group(1):
                source = excerpt.group(2)
            elif excerpt:
                carets = re.search(r"\^+", excerpt.group(2))
                marked = source[carets.start():carets.end()]
                help_text = excerpt.group(2)[carets.end():].strip()
            elif more.startswith("   help: "):
                help_text = more[9:]
            elif more.startswith("   note: "):
                notes.append(more[9:])
        out.append(Finding(int(head["line"] or 0), int(head["column"] or 0), head["severity"], head["code"],
                           head["text"], marked, help_text, notes))
    return out
