#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the valve with one fault planted, for the test of the test: each must be found by the random schedules.

    mutate.py                      the names of the faults
    mutate.py NAME SOURCE OUTPUT   the source with that fault

A fault is one replacement of a text that must occur exactly once, so that a changed valve is noticed here."""

import pathlib
import sys

FAULTS = {
    "maximum": (
        "raise(aligned_.top_time(), out);",
        """{
    Micros most = kNoTime;
    for (const ValveChannel& channel : channels_) most = channel.aligned ? std::max(most, channel.watermark) : most;
    raise(most, out);
  }""",
    ),
    "idle_split_still_counts": (
        "    aligned_.erase(channel.id);",
        "    if (status != ChannelStatus::idle) aligned_.erase(channel.id);",
    ),
    "finished_split_still_counts": (
        "    aligned_.erase(channel.id);",
        "    if (status != ChannelStatus::finished) aligned_.erase(channel.id);",
    ),
    "finished_split_lifts": (
        "if (channel.status == ChannelStatus::idle) raise(",
        "if (channel.status != ChannelStatus::absent) raise(",
    ),
    "resumed_split_takes_the_watermark_of_others": (
        "  set_status(channel, ChannelStatus::active);",
        "  set_status(channel, ChannelStatus::active);\n  channel.watermark = std::max(channel.watermark, watermark_);",
    ),
    "resumed_split_does_not_hold": (
        "if (options_.on_resume == ResumeRule::hold || channel.watermark >= watermark_) join(channel);",
        "if (channel.watermark >= watermark_) join(channel);",
    ),
    "resumed_split_leaves_the_output_idle": (
        """    out.status = StreamStatus::active;
  }
  raise_to_minimum(out);""",
        """    idle_ = true;
  }
  raise_to_minimum(out);""",
    ),
    "watermark_goes_back": ("if (watermark <= watermark_) return;", "if (watermark == watermark_) return;"),
    "flush_forgotten": ("if (options_.all_idle == AllIdlePolicy::flush) {", "if (active_count_ > 0) {"),
    "caught_up_only_when_past": (
        "if (channel.aligned || watermark >= watermark_) join(channel);",
        "if (channel.aligned || watermark > watermark_) join(channel);",
    ),
    "end_not_passed_on": ("  }\n  raise(kEndOfTime, out);\n}", "  }\n}"),
}


def main() -> int:
    if len(sys.argv) == 1:
        print(";".join(FAULTS))
        return 0
    name, source, output = sys.argv[1:]
    old, new = FAULTS[name]
    text = pathlib.Path(source).read_text()
    if text.count(old) != 1:
        print(f"{source}: the text of fault {name} occurs {text.count(old)} times, not once: {old}", file=sys.stderr)
        return 1
    pathlib.Path(output).parent.mkdir(exist_ok=True)
    pathlib.Path(output).write_text(text.replace(old, new))
    return 0


if __name__ == "__main__":
    sys.exit(main())
