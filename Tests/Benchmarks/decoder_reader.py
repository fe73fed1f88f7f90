#!/usr/bin/env python3
"""A plain reader of the VL53L8CH firmware's text: split, int, numpy. It checks as little as a reader can.

usage: decoder_reader.py FILE...     the files that `bench decoder FOLDER` wrote (decoder-ZONESxBINS.txt)
"""

import re
import statistics
import sys
import time

import numpy


def read(text, zones):
    frames = []
    rows = []
    for line in text.split(b"\n"):
        if line == b"D":
            rows = []
        elif line:
            rows.append([int(token) for token in line.split()])
            if len(rows) == zones:
                table = numpy.array(rows)
                frames.append((table[:, 1], table[:, 2], table[:, 3:]))
    return frames


def megabytes_per_second(text, zones, rounds=5):
    """Median of the rounds; the processor time of this thread, as the bench measures it."""
    speeds = []
    for _ in range(rounds):
        start = time.thread_time()
        frames = read(text, zones)
        speeds.append(len(text) / 1e6 / (time.thread_time() - start))
        assert len(frames) == text.count(b"D")
    return statistics.median(speeds)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        zones = int(re.search(r"(\d+)x\d+\.txt$", path).group(1))
        with open(path, "rb") as file:
            text = file.read()
        speed = megabytes_per_second(text, zones)
        with open(path.removesuffix(".txt") + ".speed") as file:
            ours = float(file.read())
        print(f"python {path}: {speed:.1f} MB/s, ours is {ours / speed:.0f} times that (target 60)")
