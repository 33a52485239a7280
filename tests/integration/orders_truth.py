#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# The main job over one orders corpus, against the truth that was computed apart from any binlog reader: append
# mode with bounds of two hours and of 30 s, changelog mode with two hours; every column of every window; the
# same bytes with 1, 2 and 4 workers.
#   orders_truth.py TIDEMARK CORPUS_FOLDER

import sys

from job_folder import JobFolder, read_results, read_truth

MODES = (("append", "2h", "inserts-1m-region.csv"), ("append", "30s", "inserts-1m-region.csv"),
         ("changelog", "2h", "changelog-1m-region.csv"))


def main():
    tidemark, corpus = sys.argv[1:3]
    for mode, bound, truth_file in MODES:
        truth = read_truth(f"{corpus}/{truth_file}")
        files = []
        for workers in (1, 2, 4):
            job = JobFolder(tidemark, corpus, mode=mode, bound=bound, workers=workers)
            done = job.run()
            if done.returncode != 0:
                sys.exit(f"{mode} {bound} {workers} workers: exit code {done.returncode}: {done.stderr}")
            results = read_results(job.results)
            wrong = [key for key in truth.keys() | results.keys() if truth.get(key) != results.get(key)]
            for key in sorted(wrong, key=str)[:5]:
                print(f"{mode} {bound} {workers} workers: {key}: {results.get(key)} instead of {truth.get(key)}")
            if wrong or not truth:
                sys.exit(f"{mode} {bound} {workers} workers: {len(wrong)} of {len(truth)} groups are wrong")
            files.append(job.results.read_bytes())
        if len(set(files)) != 1:
            sys.exit(f"{mode} {bound}: the bytes differ between 1, 2 and 4 workers")
        print(f"{mode}, {bound}: {len(truth)} groups right, same bytes with 1, 2 and 4 workers")


if __name__ == "__main__":
    main()
