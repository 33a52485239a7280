# SPDX-License-Identifier: Apache-2.0
#
# The job of the crash tests with a group for each order of a day, in less memory than they need: processes die while
# groups leave memory for the store, ahead of an epoch.

POINT = "before_groups_leave"

# Accumulators that own memory, so that few rows are too many; their results are short.
WIDE = "\n".join(f'wide_{i} = "count_distinct(concat(region, \'{"x" * 500}\', {i}, status))"' for i in range(8))


def make_tight(job, memory="16MiB"):
    job.edit(('key_by = ["region"]', 'key_by = ["id", "customer_id", "region"]'), ('size = "1m"', 'size = "1d"'),
             ("[state]", f'[state]\nmemory = "{memory}"'), ('average = "avg(amount)"', WIDE))
