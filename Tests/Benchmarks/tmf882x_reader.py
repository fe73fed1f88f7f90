#!/usr/bin/env python3
"""A plain reader of the TMF882x sketches' text, in the way of the public ones: split, int, numpy. It checks as little as a reader can.

PyPI has no reader of this text (`tmf882x-driver` talks to the chip over I2C itself).

usage: tmf882x_reader.py FILE...     the files that `bench tmf882x FOLDER` wrote (tmf882x-ZONESxBINS.txt)
"""

import statistics
import sys
import time

import numpy


def read(text):
    frames = []
    planes = numpy.zeros((3, 10, 128), dtype=numpy.int64)
    captures = []
    for line in text.split(b"\n"):
        fields = line.split(b",")
        if fields[0] == b"#Raw":
            index = int(fields[2])
            planes[index // 10, index % 10] = [int(token) for token in fields[3:]]
            if index == 29:
                captures.append(planes[0] + 256 * planes[1] + 65536 * planes[2])
        elif fields[0] == b"#Obj":
            values = [int(token) for token in fields[1:]]
            frames.append((values[5::2], values[6::2], captures))
            captures = []
    return frames


def megabytes_per_second(text, rounds=3):
    """Median of the rounds; the processor time of this thread, as the bench measures it."""
    speeds = []
    for _ in range(rounds):
        start = time.thread_time()
        results = read(text)
        speeds.append(len(text) / 1e6 / (time.thread_time() - start))
        assert len(results) == text.count(b"\n#Obj")
    return statistics.median(speeds)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            text = file.read()
        speed = megabytes_per_second(text)
        with open(path.removesuffix(".txt") + ".speed") as file:
            ours = float(file.read().split()[0])
        print(f"python {path}: {speed:.1f} MB/s, ours is {ours / speed:.0f} times that")
