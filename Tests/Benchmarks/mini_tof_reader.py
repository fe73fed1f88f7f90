#!/usr/bin/env python3
"""A plain reader of the mini_tof firmware's records: split at the marks, numpy.frombuffer. It checks as little as a reader can.

usage: mini_tof_reader.py FILE...     the files that `bench mini-tof FOLDER` wrote (mini-tof-ZONESxBINS.bin)
"""

import re
import statistics
import sys
import time

import numpy

MARK = b"\xff\xff\xff\xff"


def read(data, zones):
    frames = []
    rows = []
    for record in data.split(MARK):
        values = numpy.frombuffer(record, dtype="<f4")
        if len(values) == 0:
            continue
        rows.append(values)
        if int(values[0]) == zones - 1:
            table = numpy.array(rows)
            frames.append((table[:, 1], table[:, 2:]))
            rows = []
    return frames


def megabytes_per_second(data, zones, rounds=5):
    """Median of the rounds; the processor time of this thread, as the bench measures it."""
    speeds = []
    for _ in range(rounds):
        start = time.thread_time()
        frames = read(data, zones)
        speeds.append(len(data) / 1e6 / (time.thread_time() - start))
        assert len(frames) == data.count(MARK) // zones
    return statistics.median(speeds)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        zones = int(re.search(r"(\d+)x\d+\.bin$", path).group(1))
        with open(path, "rb") as file:
            data = file.read()
        speed = megabytes_per_second(data, zones)
        with open(path.removesuffix(".bin") + ".speed") as file:
            ours = float(file.read())
        print(f"python {path}: {speed:.1f} MB/s, ours is {ours / speed:.0f} times that")
