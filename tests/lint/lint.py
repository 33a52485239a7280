#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Lints as tests: the include rule between folders, banned calls (clock, threads, files, randomness, exceptions on
# purpose of the core), and the form of every source file. One check per run: lint.py CHECK [ROOT]. With
# `selftest` each check must find its planted fault, so that a check which can't fail is noticed.

import pathlib
import re
import sys
import tempfile

SOURCE = {".hpp", ".cpp", ".h"}
FOLDERS = ("core", "sdk", "plugins", "config", "tests", "examples")

# folder -> folders that it may include, besides itself (design, section 6)
BASE = {"core/base"}
LAYER1 = BASE | {"core/batch", "core/event_time", "core/expression"}
WINDOW = LAYER1 | {"core/window"}
PLAN = WINDOW | {"config/job", "core/state", "core/late", "core/plugin_host", "core/ingest", "core/sink",
                 "core/exchange"}
MAY_INCLUDE = {
    "core/base": set(),
    "core/batch": BASE,
    "core/event_time": BASE,
    "core/expression": BASE | {"core/batch"},
    "config/job": BASE,
    "core/window": LAYER1,
    "core/state": WINDOW,
    "core/late": WINDOW,
    "core/ingest": LAYER1,
    "core/plugin_host": LAYER1 | {"core/ingest"},
    "core/sink": LAYER1,
    "core/exchange": WINDOW,
    "core/plan": PLAN,
    "core/runtime": PLAN | {"core/plan"},
    "core/observe": PLAN | {"core/plan", "core/runtime"},
    "core/inspect": PLAN | {"core/plan", "core/observe"},
    "core/jobtest": PLAN | {"core/plan", "core/runtime", "core/observe"},
    "core/cli": PLAN | {"core/plan", "core/runtime", "core/observe", "core/inspect", "core/jobtest",
                        "binlog"},
    "plugins/binlog": set(),
    "plugins/binlog_file": {"binlog"},
    "plugins/generator": set(),
}
# third-party header prefix -> folders that may include it
ONLY_IN = {
    "rocksdb/": {"core/state"},
    "boost/dll": {"core/plugin_host"},
    "toml++/": {"config/job"},
    "CLI/": {"core/cli"},
    "cctz/": {"core/base"},
    "httplib.h": {"core/observe"},
    "prometheus/": {"core/observe"},
    "tidemark/": {"core/plugin_host", "plugins/binlog", "plugins/binlog_file", "plugins/generator", "core/cli"},
}
# third-party header prefix -> beginnings of the files that may include it, within a folder
ONLY_IN_FILES = {"cppconn/": "core/sink/mysql_", "mysql_": "core/sink/mysql_"}
# pattern -> (what to do instead, path prefixes where it is allowed); searched below core/ and config/
BANNED = {
    r"_clock::now\s*\(|\btime\s*\(\s*(nullptr|NULL|0)\s*\)|gettimeofday|clock_gettime":
        ("take a Clock", ("core/base/clock.cpp",)),
    r"std::j?thread\b|pthread_create|std::async": ("threads live in core/runtime", ("core/runtime/",)),
    r"std::this_thread::sleep": ("wait on a Waker", ("core/runtime/",)),
    r"std::(i|o)?fstream\b|\bfopen\s*\(|(?<![\w>])::open\s*\(": ("use core/base/files.hpp", ("core/base/files.cpp", "core/base/folders.cpp", "config/")),
    r"\b(std::)?rand\s*\(|random_device|std::mt19937": ("pass a seeded generator in", ()),
    r"\bnew\s+[A-Z_a-z:]+[({<]": ("no naked new", ("core/base/log.cpp",)),
    r"\bthrow\b": ("return a Status", ()),
}


def sources(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SOURCE and path.is_file():
                yield path.relative_to(root)


def folder_of(path):
    return "/".join(path.parts[:2]) if path.parts[0] in ("core", "plugins", "config") else path.parts[0]


def without_comments(text):
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def check_layers(root):
    for path in sources(root):
        folder = folder_of(path)
        if folder in ("tests", "examples"):
            continue
        for number, line in enumerate((root / path).read_text().splitlines(), 1):
            quoted = re.match(r'\s*#include\s+"([^"]+)"', line)
            if quoted:
                parts = quoted.group(1).split("/")
                target = "/".join(parts[:2]) if parts[0] in ("core", "config", "plugins") else parts[0]
                if parts[0] == "tests":
                    yield f"{path}:{number}: nothing includes tests/"
                own = target == folder or (folder.startswith("plugins/") and target == folder.split("/")[1])
                if not own and len(parts) > 1 and target not in MAY_INCLUDE.get(folder, set()):
                    yield f"{path}:{number}: {folder} may not include {quoted.group(1)}"
            angled = re.match(r"\s*#include\s+<([^>]+)>", line)
            for prefix, allowed in ONLY_IN.items():
                if angled and angled.group(1).startswith(prefix) and folder not in allowed | {"sdk"}:
                    yield f"{path}:{number}: <{prefix}...> belongs in {', '.join(sorted(allowed))}"
            for prefix, start in ONLY_IN_FILES.items():
                if angled and angled.group(1).startswith(prefix) and not str(path).startswith(start):
                    yield f"{path}:{number}: <{prefix}...> belongs in {start}*"
            if folder == "sdk" and angled and re.match(r"(boost|fmt|spdlog|rocksdb)", angled.group(1)):
                yield f"{path}:{number}: the SDK includes the standard library alone"


def check_banned(root):
    for path in sources(root):
        if path.parts[0] not in ("core", "config"):
            continue
        text = without_comments((root / path).read_text())
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, (instead, allowed) in BANNED.items():
                if re.search(pattern, line) and not str(path).startswith(allowed or ("\0",)):
                    yield f"{path}:{number}: {line.strip()[:60]!r}: {instead}"


def check_form(root):
    for path in sources(root):
        lines = (root / path).read_text().splitlines()
        head = lines[:16]
        if not lines or "SPDX-License-Identifier: Apache-2.0" not in lines[0] + (lines[1] if len(lines) > 1 else ""):
            yield f"{path}:1: the first line is the SPDX line"
            continue
        top = 0
        for line in head[1:]:
            if line.startswith(("//", " *")) and len(line) > 3:
                top += 1
            elif not line.startswith(("//", " *")):
                break
        if top < 1:
            yield f"{path}:2: a file-top comment says duty, invariants and thread"
        if path.suffix == ".hpp" and "#pragma once" not in lines:
            yield f"{path}:1: headers have #pragma once"
        for number, line in enumerate(lines, 1):
            if len(line) > 120:
                yield f"{path}:{number}: longer than 120 columns"
            if re.search(r"\b(TODO|FIXME|XXX)\b", line):
                yield f"{path}:{number}: unfinished business"
        if re.search(r"(utils?|helpers?|common|manager)\b", path.stem):
            yield f"{path}:1: name the file after its duty"


CHECKS = {"layers": check_layers, "banned": check_banned, "form": check_form}
PLANTED = {
    "layers": {"core/batch/a.hpp": '#include "core/window/pane.hpp"\n', "core/sink/b.cpp": "#include <rocksdb/db.h>\n",
               "core/sink/c.cpp": "#include <cppconn/driver.h>\n",
               "plugins/binlog/c.cpp": '#include "core/base/time.hpp"\n'},
    "banned": {"core/window/a.cpp": "auto t = std::chrono::steady_clock::now();\n", "core/sink/b.cpp": "std::thread t;\n",
               "core/late/c.cpp": "int x = rand();\n"},
    "form": {"core/base/string_utils.hpp": "int x;\n", "core/base/b.cpp": "// SPDX-License-Identifier: Apache-2.0\nint x;\n"},
}


def selftest():
    for name, files in PLANTED.items():
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            found = "\n".join(CHECKS[name](root))
            for path in files:
                if path not in found:
                    yield f"check {name} did not find the fault planted in {path}"


def main():
    name = sys.argv[1]
    root = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ".")
    problems = list(selftest() if name == "selftest" else CHECKS[name](root))
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
