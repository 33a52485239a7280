#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# `tidemark plugin ls | info` and jobs that name plugin folders: which copy is used is said; a wrong file, an
# unreadable one, two of one name give one clear error each, and the other plugins go on. Case C04 of the field.
#   cli_plugins.py TIDEMARK PLUGIN_FOLDER

import ctypes.util
import pathlib
import shutil
import sys
import tempfile

from checks import Checks, findings

JOB = """[job]
name = "demo"
[plugins]
paths = ["{place}"]
[sources.orders]
type = "generator"
rows_per_split = 100
[sources.orders.watermark]
field = "created_at"
[aggregates.totals]
inputs = ["orders"]
window = {{ type = "tumbling", size = "1m" }}
[aggregates.totals.columns]
orders = "count()"
[sinks.out]
type = "stdout"
inputs = ["totals"]
"""


def rows_of(done):
    """name -> file, as plugin ls prints them."""
    return {line.split()[0]: line.split()[-1] for line in done.stdout.splitlines()[1:]}


def errors_of(done):
    return [line for line in done.stderr.splitlines() if line.startswith("tidemark: error: ")]


def installed(checks, folder, plugins):
    done = checks.run("plugin", "ls", cwd=folder)
    checks.equal((done.returncode, done.stderr), (0, ""), "plugin ls of what is installed")
    checks.that({"binlog_file", "generator"} <= rows_of(done).keys(), "it lists both plugins", done.stdout)
    checks.equal(rows_of(done)["generator"], str(plugins / "generator.so"), "with their files")
    for name, options in (("binlog_file", ["shards", "tables", "follow", "required", "default false"]),
                          ("generator", ["seed", "rows_per_split", "default 1"])):
        for argument in (name, plugins / f"{name}.so"):
            done = checks.run("plugin", "info", argument, cwd=folder)
            checks.equal(done.returncode, 0, f"plugin info {argument}")
            checks.holds(done.stdout, [f"name      {name}\n", "provides  source\n", "version   ", "abi       ", *options],
                         f"plugin info {argument}")
    done = checks.run("plugin", "info", "genertor", cwd=folder)
    checks.ended(done, 78, ["'genertor'", "plugins here: binlog_file generator", f"searched: {plugins}"],
                 "plugin info of an unknown name")


def bad_files(checks, folder, plugins):
    place = folder / "mixed"
    place.mkdir()
    shutil.copy(plugins / "generator.so", place / "mine.so")
    (place / "text.so").write_text("not a library\n")
    (place / "empty.so").write_bytes(b"")
    (place / "cut.so").write_bytes((plugins / "generator.so").read_bytes()[:3000])
    (place / "folder.so").mkdir()
    (place / "dangling.so").symlink_to("nowhere")
    (place / "README.txt").write_text("not looked at\n")
    expected = {"text.so": "not a shared library", "empty.so": "not a shared library", "cut.so": "cut off",
                "folder.so": "is a directory", "dangling.so": "no such file"}
    secret = place / "secret.so"
    shutil.copy(plugins / "generator.so", secret)
    secret.chmod(0)
    try:
        secret.open("rb").close()
        secret.unlink()  # root reads everything
    except PermissionError:
        expected["secret.so"] = "ermission denied"
    library = ctypes.util.find_library("z")
    real = next((path for path in pathlib.Path("/").glob(f"lib/*/{library}")), None) if library else None
    if real:
        shutil.copy(real, place / "zlib.so")
        expected["zlib.so"] = "not a tidemark plugin"

    done = checks.run("plugin", "ls", cwd=folder, environment={"TIDEMARK_PLUGIN_PATH": str(place)})
    checks.equal(done.returncode, 78, "case_C04: bad files: exit code")
    checks.equal(rows_of(done)["generator"], str(place / "mine.so"), "case_C04: the good plugin of that folder goes on")
    checks.that("binlog_file" in rows_of(done), "case_C04: so do the others")
    errors = errors_of(done)
    checks.equal(len(errors), len(expected), "case_C04: one error per bad file")
    for name, reason in expected.items():
        mine = [error for error in errors if str(place / name) in error]
        checks.that(len(mine) == 1 and reason in mine[0] and "given by TIDEMARK_PLUGIN_PATH" in mine[0],
                    f"case_C04: {name}: full path, reason, where it was named", errors)
    checks.holds(done.stderr, [f"note: {plugins / 'generator.so'} is not used: {place / 'mine.so'} comes first"],
                 "case_C04: the copy that is not used is named")
    checks.ended(checks.run("plugin", "info", place / "text.so", cwd=folder), 78, [str(place / "text.so")],
                 "case_C04: plugin info of a bad file")

    (folder / "job.toml").write_text(JOB.format(place="mixed"))
    done = checks.run("check", "job.toml", cwd=folder)
    checks.ended(done, 0, [str(place / name) for name in expected],
                 "case_C04: a job that uses a good plugin of the folder is good, and told of the others")
    done = checks.run("run", "job.toml", cwd=folder)
    checks.ended(done, 0, [f"in use: {place / 'mine.so'}", "100 rows read"], "case_C04: and says which copy is in use")
    shutil.rmtree(place)


def two_of_one_name(checks, folder, plugins):
    place = folder / "twice"
    place.mkdir()
    for name in ("first.so", "second.so"):
        shutil.copy(plugins / "generator.so", place / name)
    shutil.copy(plugins / "binlog_file.so", place)
    done = checks.run("plugin", "--path", "twice", "ls", cwd=folder)
    checks.equal(done.returncode, 78, "two of one name: exit code")
    checks.that(len(errors_of(done)) == 1 and "generator" not in rows_of(done), "two of one name: one error", done.stderr)
    checks.holds(done.stderr, [str(place / "first.so"), str(place / "second.so"), "remove or rename all but one"],
                 "two of one name: both are named")
    checks.equal(rows_of(done)["binlog_file"], str(place / "binlog_file.so"), "two of one name: the other goes on")
    (folder / "job.toml").write_text(JOB.format(place="twice"))
    for command in ("check", "run"):
        done = checks.run(command, "job.toml", cwd=folder)
        out = done.stdout if command == "check" else done.stderr
        found = findings(out)
        checks.that(done.returncode == 78 and len(found) == 1 and found[0].marked == "generator"
                    and str(place / "second.so") in found[0].text and "job.toml:4:11" in found[0].text,
                    f"two of one name: {command} says so at the type", out)


def places(checks, folder, plugins):
    one = folder / "one.so"
    shutil.copy(plugins / "generator.so", one)
    both = f"{folder / 'absent'}:{one}"
    done = checks.run("plugin", "ls", cwd=folder, environment={"TIDEMARK_PLUGIN_PATH": both})
    checks.ended(done, 78, [str(folder / "absent"), "given by TIDEMARK_PLUGIN_PATH"], "a place that is not there")
    checks.equal(rows_of(done)["generator"], str(one), "a place may be a file")
    (folder / "job.toml").write_text(JOB.format(place="one.so"))
    inner = folder / "elsewhere"
    inner.mkdir()
    done = checks.run("run", "../job.toml", cwd=inner, environment={"TIDEMARK_PLUGIN_PATH": str(plugins)})
    checks.ended(done, 0, [], "a job from another folder")
    checks.holds(done.stderr, [f"in use: {one}"], "paths start at the job file, and come before the environment")
    (folder / "job.toml").write_text(JOB.format(place="no/such/folder"))
    done = checks.run("check", "job.toml", cwd=folder)
    checks.ended(done, 0, [str(folder / "no/such/folder"), "given by job.toml:4:11"],
                 "a place that is not there is told, and does not stop a job that needs nothing of it")


def main():
    checks = Checks(sys.argv[1])
    plugins = pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        installed(checks, folder, plugins)
        bad_files(checks, folder, plugins)
        two_of_one_name(checks, folder, plugins)
        shutil.rmtree(folder / "demo.state", ignore_errors=True)
        places(checks, folder, plugins)
    checks.close()


if __name__ == "__main__":
    main()
