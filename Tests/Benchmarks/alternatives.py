#!/usr/bin/env python3
"""What the usual tools do with the same bytes, in the same run.

usage: alternatives.py codec FILE...     orjson (PyPI) on the lines that `bench codec FOLDER` wrote
"""

import statistics
import sys
import time


def megabytes_per_second(size, body, rounds=9, seconds=0.06):
    """Median of the rounds; the processor time of this thread, as the bench measures it."""
    start = time.thread_time()
    body()
    repetitions = max(1, int(seconds / max(1e-9, time.thread_time() - start)))
    speeds = []
    for _ in range(rounds):
        start = time.thread_time()
        for _ in range(repetitions):
            body()
        speeds.append(size * repetitions / 1e6 / (time.thread_time() - start))
    return statistics.median(speeds)


def codec(paths):
    import orjson

    for path in paths:
        with open(path, "rb") as file:
            lines = file.read().splitlines()
        frames = [orjson.loads(line) for line in lines]
        size = sum(map(len, lines))

        def dumps():
            for frame in frames:
                orjson.dumps(frame)

        def loads():
            for line in lines:
                orjson.loads(line)

        print(f"orjson {orjson.__version__} dumps {path}: {megabytes_per_second(size, dumps):.0f} MB/s")
        print(f"orjson {orjson.__version__} loads {path}: {megabytes_per_second(size, loads):.0f} MB/s")


comparisons = {"codec": codec}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in comparisons:
        sys.exit(__doc__)
    comparisons[sys.argv[1]](sys.argv[2:])
