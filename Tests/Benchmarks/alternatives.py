#!/usr/bin/env python3
"""What the usual tools do with the same bytes, in the same run.

usage: alternatives.py codec FOLDER     orjson (PyPI) on the lines that `bench codec FOLDER` wrote
       alternatives.py tracks FOLDER    orjson's loads alone on the messages that `bench tracks FOLDER` wrote
"""

import functools
import pathlib
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


def each(call, values):
    """Calls with one value after the other and keeps no result: what piles up would be paid for, too."""
    for value in values:
        call(value)


def codec(folder):
    import orjson

    for path in sorted(pathlib.Path(folder).glob("codec-*.jsonl")):
        lines = path.read_bytes().splitlines()
        frames = [orjson.loads(line) for line in lines]
        ours = orjson.loads(path.with_suffix(".speed.json").read_bytes())
        size = sum(map(len, lines))
        for name, values in (("dumps", frames), ("loads", lines)):
            speed = megabytes_per_second(size, functools.partial(each, getattr(orjson, name), values))
            print(f"orjson {orjson.__version__} {name} {path.stem}: {speed:.0f} MB/s, ours is {ours[name] / speed:.2f} times that")


def tracks(folder):
    import orjson

    for path in sorted(pathlib.Path(folder).glob("tracks-*.jsonl")):
        messages = path.read_bytes().splitlines()
        ours = orjson.loads(path.with_suffix(".speed.json").read_bytes())["loads"]
        speed = megabytes_per_second(sum(map(len, messages)), functools.partial(each, orjson.loads, messages))
        print(f"orjson {orjson.__version__} loads {path.stem}: {speed:.0f} MB/s, ours is {ours / speed:.2f} times that")


comparisons = {"codec": codec, "tracks": tracks}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in comparisons:
        sys.exit(__doc__)
    comparisons[sys.argv[1]](*sys.argv[2:])
