#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Text tests: each folder of tests/jobs/ is a job.toml and what must come of it, as text that people review:
# check.txt is what `tidemark check` prints (exit code 78 with an error in it, else 0); results.<format>, where it is
# there, is what `tidemark run` leaves in out.<format>, with 1 and with 3 workers. Which of the rows that several workers
# send to a further stage come before its watermark is a matter of time, so of results.standing.<format> with 3 workers
# only the last result of each window counts.
#   text_cases.py TIDEMARK JOBS_FOLDER [--update]

import difflib
import json
import pathlib
import re
import shutil
import sys
import tempfile

from checks import Checks


def differences(wanted, seen):
    return "".join(difflib.unified_diff(wanted.splitlines(True), seen.splitlines(True), "wanted", "seen"))


def compare(checks, file, seen, what, update):
    if update:
        file.write_text(seen)
    wanted = file.read_text() if file.exists() else ""
    checks.that(seen == wanted, what, differences(wanted, seen))


def check_case(checks, case, update):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(case / "job.toml", folder)
        done = checks.run("check", "job.toml", cwd=folder)
        compare(checks, case / "check.txt", done.stdout, f"{case.name}: what check prints", update)
        checks.equal(done.returncode, 78 if ": error[" in done.stdout else 0, f"{case.name}: exit code of check")


def standing(text):
    """The last results of the windows, without how many there were."""
    last = {}
    for line in text.splitlines():
        row = json.loads(line)
        last[row["window_start"], row["window_end"]] = {**row, "kind": None, "revision": None}
    return "".join(json.dumps(row) + "\n" for _, row in sorted(last.items()))


def run_case(checks, case, results, update):
    for workers in (1, 3):
        with tempfile.TemporaryDirectory() as folder:
            text = (case / "job.toml").read_text()
            text = re.sub(r"^\[job\]\n", f"[job]\nparallelism = {workers}\n", text, flags=re.MULTILINE)
            (pathlib.Path(folder) / "job.toml").write_text(text)
            done = checks.run("run", "--quiet", "job.toml", cwd=folder)
            checks.equal((done.returncode, done.stderr), (0, ""), f"{case.name}: run with {workers} workers")
            out = pathlib.Path(folder) / f"out{results.suffix}"
            seen = out.read_text() if out.exists() else ""
            what = f"{case.name}: results with {workers} workers"
            if workers > 1 and results.name.startswith("results.standing."):
                checks.equal(standing(seen), standing(results.read_text()), what)
            else:
                compare(checks, results, seen, what, update)


def main():
    checks = Checks(sys.argv[1])
    update = sys.argv[3:] == ["--update"]
    cases = sorted(path.parent for path in pathlib.Path(sys.argv[2]).resolve().glob("*/job.toml"))
    checks.that(cases, "there are cases", sys.argv[2])
    for case in cases:
        check_case(checks, case, update)
        for results in sorted(case.glob("results.*")):
            run_case(checks, case, results, update)
    checks.close()


if __name__ == "__main__":
    main()
