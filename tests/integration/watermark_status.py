#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# The status of a job from outside: metrics and /api/v1/status of a running job with a silent shard, `tidemark
# watermark` on it while it runs and after it was stopped or killed, ports that are taken, and who may ask.
#   watermark_status.py TIDEMARK CORPORA_FOLDER

import http.client
import json
import pathlib
import random
import re
import shutil
import signal
import socket
import sys
import threading
import time

from checks import Checks
from follow import GrowingShard
from job_folder import JobFolder

SILENT = "live/shard-02"
BURSTS = 6
BURST_GAP_S = 2.0


def status_job(checks, shards, listen=None):
    """A followed job over copies of the shards; returns the one that grows slowly and then falls silent, too."""
    job = JobFolder(checks.tidemark, shards, bound="30s", interval="200ms")
    job.edit((f"{shards}/shard-*", "live/shard-*"), ('mode = "append"', 'mode = "append"\nfollow = true'),
             ('max_out_of_orderness = "30s"', 'max_out_of_orderness = "30s"\nidle_timeout = "never"'))
    if listen is not None:
        with open(job.path / "job.toml", "a") as file:
            file.write(f'[http]\nlisten = "{listen}"\n')
    for source in sorted(shards.glob("shard-*")):
        target = job.path / "live" / source.name
        if SILENT.endswith(source.name):
            silent = GrowingShard(source, target, random.Random(1))
            silent.start()
        else:
            shutil.copytree(source, target)
    return job, silent


def get(address, path, host=None, method="GET"):
    connection = http.client.HTTPConnection(address, timeout=10)
    connection.putrequest(method, path, skip_host=True)
    connection.putheader("Host", host or address)
    connection.endheaders()
    answer = connection.getresponse()
    return answer.status, answer.getheader("Content-Type"), answer.read().decode()


def listening(job, process, seconds=30):
    """The address from http.json, once it is there."""
    path = job.path / "state" / "http.json"
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        if path.exists():
            return json.loads(path.read_text())["address"]
        time.sleep(0.02)
    return None


def settled_status(address, seconds=30):
    """The status when nothing is left to read."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        status = json.loads(get(address, "/api/v1/status")[2])
        if all(split["reason"] != "has data to read" for split in status["splits"]) and status["epochs"]["last"] > 0:
            return status
        time.sleep(0.1)
    return status


def samples(text, name):
    """(labels, value) of a metric."""
    out = []
    for line in text.splitlines():
        match = re.match(rf"{name}\{{(.*)\}} (\S+)$", line)
        if match:
            out.append((dict(re.findall(r'(\w+)="([^"]*)"', match[1])), float(match[2])))
    return out


def state_seconds(text):
    sums = {}
    for labels, value in samples(text, "tidemark_shard_state_seconds_total"):
        sums[labels["shard"]] = sums.get(labels["shard"], 0) + value
    return sums


def check_metrics(checks, address):
    before, began = get(address, "/metrics")[2], time.monotonic()
    time.sleep(1.5)
    status, kind, after = get(address, "/metrics")
    passed = time.monotonic() - began
    checks.that(status == 200 and kind.startswith("text/plain; version=0.0.4"), "metrics are text", kind)
    first, second = state_seconds(before), state_seconds(after)
    checks.equal(len(second), 4, "every shard has times")
    for shard, seconds in second.items():
        grown = seconds - first[shard]
        checks.that(abs(grown - passed) < 0.6, f"{shard}: states add up to wall time", f"{grown} of {passed} s")
    holders = [labels["shard"] for labels, value in samples(after, "tidemark_watermark_holding") if value == 1]
    checks.equal(len(holders), 1, "one shard holds")
    checks.that(samples(after, "tidemark_windows_open")[0][1] >= 1, "windows are open")
    checks.equal(samples(after, "tidemark_source_connected")[0][1], 1.0, "connected")
    helps = re.findall(r"^# HELP (\S+)", after, re.M)
    checks.equal(len(helps), len(set(helps)), "each name has one HELP")


def check_server(checks, address):
    port = address.rsplit(":", 1)[1]
    checks.equal(get(address, "/healthz")[0], 200, "healthz")
    status, kind, body = get(address, "/nothing")
    checks.that(status == 404 and kind == "application/json" and "error" in json.loads(body), "404 is JSON", body)
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        status, kind, body = get(address, "/api/v1/status", method=method)
        checks.that(status == 405 and kind == "application/json" and "error" in json.loads(body),
                    f"{method} is refused", f"{status} {body}")
    status, _, body = get(address, "/api/v1/status", method="HEAD")
    checks.equal((status, body), (200, ""), "HEAD has no body")
    checks.equal(get(address, "/api/v1/status", host=f"localhost:{port}")[0], 200, "localhost is a name of it")
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example"):
        status, kind, body = get(address, "/api/v1/status", host=host)
        checks.that(status == 403 and "splits" not in body, f"Host {host} is refused", f"{status} {body}")


def explain(checks, job, *options):
    return checks.run("watermark", "explain", "job.toml", *options, cwd=job.path)


def check_explained(checks, job, what, note):
    done = explain(checks, job)
    checks.equal(done.returncode, 0, f"{what}: explain")
    checks.holds(done.stdout, [f"split {SILENT} of source orders sets the watermark, since ",
                               "it has no idle_timeout", "window", "of state", "the others are up to",
                               'sources.orders.watermark.idle_timeout = "', "measured on it: P99 gap",
                               "batch period "], f"{what}: names the shard")
    checks.that((note in done.stderr) if note else not done.stderr, f"{what}: says where it is from", done.stderr)
    parsed = json.loads(explain(checks, job, "--format", "json").stdout)["aggregates"][0]
    checks.equal((parsed["verdict"], parsed["holder"]["shard"]), ("held", SILENT), f"{what}: as JSON")
    checks.that(parsed["cost"]["windows_open"] > 0 and parsed["cost"]["ahead_seconds"] > 0 and
                parsed["cost"]["state_bytes"] > 0, f"{what}: cost", parsed["cost"])
    remedy = parsed["remedies"][0]
    checks.that(remedy["value"] in ("5s", "10s"), f"{what}: the figure fits bursts every {BURST_GAP_S} s", remedy)
    table = checks.run("watermark", "ls", "job.toml", cwd=job.path)
    checks.that(re.search(rf"^\* orders/{SILENT} +active ", table.stdout, re.M), f"{what}: ls", table.stdout)
    return parsed


def running_and_stopped(checks, shards):
    job, silent = status_job(checks, shards, "127.0.0.1:0")
    process = job.start()
    address = listening(job, process)
    if not checks.that(address, "it says where it listens", process.poll()):
        checks.that(False, "standard error", process.communicate()[1])
        return
    settled_status(address)
    for _ in range(BURSTS):
        silent.grow(60_000)
        time.sleep(BURST_GAP_S)
    status = settled_status(address)
    checks.equal((status["job"], status["running"], status["pid"]), ("orders", True, process.pid), "the job's names")
    checks.equal(sorted(split["shard"] for split in status["splits"]),
                 sorted(f"live/{path.name}" for path in shards.glob("shard-*")), "every shard is there")
    for split in status["splits"]:
        checks.that(abs(sum(split["state_seconds"].values()) - split["total_seconds"]) < 1e-6, "states add up", split)
    aggregate = status["aggregates"][0]
    checks.equal((aggregate["holder"] or {}).get("shard"), SILENT, "the silent shard is the holder")
    checks.that(aggregate["windows_open"] > 0 and aggregate["next_window_end"], "windows wait", aggregate)
    check_metrics(checks, address)
    check_server(checks, address)
    time.sleep(6)  # longer silent than its gaps explain
    check_explained(checks, job, "running", "")

    err = job.stop(process, signal.SIGTERM)
    checks.holds(err, [f"status: http://{address}/api/v1/status"], "standard error says where it listens")
    checks.that(not (job.path / "state" / "http.json").exists(), "http.json is gone after the end")
    stopped = check_explained(checks, job, "stopped", "the job does not run: this is its last epoch, ")
    checks.that(stopped["holder"]["holding_seconds"] > 1, "since when is kept", stopped["holder"])

    process = job.start()
    address = listening(job, process)
    again = settled_status(address)
    totals = {split["shard"]: split["total_seconds"] for split in again["splits"]}
    checks.that(all(totals[split["shard"]] > split["total_seconds"] for split in status["splits"]),
                "times go on after a restart", totals)
    checks.that(again["aggregates"][0]["holder"]["holding_seconds"] > stopped["holder"]["holding_seconds"] - 0.001,
                "so does the holder's", again["aggregates"][0]["holder"])
    process.send_signal(signal.SIGKILL)
    process.communicate()
    checks.that((job.path / "state" / "http.json").exists(), "a killed job leaves http.json")
    check_explained(checks, job, "killed", "ended without removing http.json")


class Trickler(threading.Thread):
    """A client that sends a byte of its request per second (none, when there is no text) and never finishes it."""

    def __init__(self, address, text):
        super().__init__(daemon=True)
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)))
        self.text = text
        self.hung_up = threading.Event()
        self.start()

    def run(self):
        self.socket.settimeout(1)
        try:
            for byte in self.text or b"\0" * 60:
                if self.text:
                    self.socket.send(bytes([byte]))
                try:
                    if not self.socket.recv(1):
                        break
                except TimeoutError:
                    pass
        except OSError:
            pass
        self.hung_up.set()


def slow_clients(checks, shards):
    """Clients that keep connections open hold up neither other clients for long nor the end of the job."""
    job, _ = status_job(checks, shards, "127.0.0.1:0")
    process = job.start()
    address = listening(job, process)
    settled_status(address)
    descriptors = pathlib.Path(f"/proc/{process.pid}/fd")
    before = len(list(descriptors.iterdir()))

    slow = [Trickler(address, b"GET /metrics HTTP/1.1\r\n" + b"X: y\r\n" * 3) for _ in range(4)]
    slow += [Trickler(address, b"") for _ in range(4)]
    began = time.monotonic()
    try:
        answered = get(address, "/healthz")[0]
    except OSError as error:
        answered = error
    checks.equal(answered, 200, f"others are answered, after {time.monotonic() - began:.1f} s")
    checks.that(all(client.hung_up.wait(12) for client in slow), "slow clients are hung up on",
                [client.hung_up.is_set() for client in slow])

    flood = [Trickler(address, b"") for _ in range(200)]
    time.sleep(0.5)
    grown = len(list(descriptors.iterdir())) - before
    checks.that(grown <= 24, "a flood of connections is bounded", f"{grown} more descriptors")
    checks.that(sum(client.hung_up.is_set() for client in flood) >= 176, "those beyond the bound are closed at once")
    for client in flood:
        client.hung_up.wait(12)

    slow = [Trickler(address, b"GET /metrics HTTP/1.1\r\n" + b"X: y\r\n" * 3) for _ in range(6)]
    time.sleep(1.5)
    began = time.monotonic()
    job.stop(process, signal.SIGTERM)
    passed = time.monotonic() - began
    checks.that(passed < 3 and process.returncode == 0, "a stop does not wait for slow clients",
                f"{passed:.1f} s, exit code {process.returncode}")


def ports(checks, shards):
    taken = socket.create_server(("127.0.0.1", 0))
    port = taken.getsockname()[1]
    job, _ = status_job(checks, shards, f"127.0.0.1:{port}")
    checks.ended(job.run(), 69, [f"cannot listen on 127.0.0.1:{port}", "Address already in use", '"off"'],
                 "a given port that is taken")
    taken.close()

    job, _ = status_job(checks, shards, "off")
    process = job.start()
    checks.that(job.wait_for_results(process, size=0), "it runs", process.poll())
    time.sleep(1)
    checks.that(not (job.path / "state" / "http.json").exists(), "off: nothing listens")
    end = time.monotonic() + 30
    while time.monotonic() < end and explain(checks, job).returncode != 0:
        time.sleep(0.2)  # no epoch yet
    done = explain(checks, job, "--format", "json")
    checks.holds(done.stderr, [f"the job runs (process {process.pid}) and has no status server: this is its last epoch, "],
                 "off: it is known to run")
    parsed = json.loads(done.stdout)
    checks.that(parsed["running"] and parsed["as_of_epoch"], "off: as JSON", parsed)
    err = job.stop(process, signal.SIGTERM)
    checks.that("status: http" not in err and process.returncode == 0, "off: nothing is said", err)
    done = explain(checks, job)
    checks.that(done.returncode == 0 and "the job does not run: this is its last epoch, " in done.stderr, "off: from its state",
                done.stderr)

    # The default port: whoever comes second takes another one.
    first, second = status_job(checks, shards)[0], status_job(checks, shards)[0]
    processes = [first.start(), second.start()]
    addresses = [listening(job, process) for job, process in zip((first, second), processes)]
    checks.that(all(addresses) and addresses[0] != addresses[1], "two jobs, two ports", addresses)
    for address, process in zip(addresses, processes):
        checks.equal(json.loads(get(address, "/api/v1/status")[2])["pid"], process.pid, "each answers for itself")
    for job, process in zip((first, second), processes):
        job.stop(process, signal.SIGTERM)


def main():
    checks = Checks(sys.argv[1])
    shards = pathlib.Path(sys.argv[2]).resolve() / "orders-mysql-9.7"
    running_and_stopped(checks, shards)
    slow_clients(checks, shards)
    ports(checks, shards)
    checks.close()


if __name__ == "__main__":
    main()
