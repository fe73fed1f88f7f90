#!/usr/bin/env python3
"""DEPZ's own software reads a board's bytes.

usage: decode.py cx|ch <BYTES    one JSON line a result frame, histograms as thousandths cut towards zero, exactly
       decode.py speed FILE...   how fast it reads the streams that `bench depz FOLDER` wrote (depz-cx.bin, depz-ch.bin)
"""

import fractions
import json
import pathlib
import statistics
import struct
import sys
import time

from depz_sensor_sdk.protocol.vl53l8 import FrameChunk, FrameReassembler, Vl53l8Rpt
from depz_sensor_sdk.transport import Packet, PacketParser
from depz_sensor_sdk.vl53l8 import CnhConfig, cnh
from depz_sensor_sdk.vl53l8.uld import VL53L8CX


def results(data, variant, size=1_983):
    """Every result frame, by the classes that the device class itself uses. Pieces are the largest reads that were recorded."""
    parser, reassembler, driver = PacketParser(), FrameReassembler(), VL53L8CX(None, variant=variant)
    for start in range(0, len(data), size):
        for event in parser.feed(data[start : start + size]):
            if not isinstance(event, Packet) or event.cmd != Vl53l8Rpt.VL53_FRAME:
                continue
            if (whole := reassembler.feed(FrameChunk.unpack(event.payload))) is not None:
                timestamp, raw = whole
                driver.data_read_size = len(raw)
                yield timestamp, driver.parse_frame(raw)


def histograms(raw):
    """The block's own counts say how it is to be read: the configuration is not at hand."""
    counts = struct.unpack_from("<I", raw, 16)[0]
    config = CnhConfig()
    config.nb_of_aggregates, config.feature_length = counts & 0xFFFF, counts >> 16
    return cnh.decode(config, raw)["aggregates"]


def thousandths(mantissa, exponent):
    return int(fractions.Fraction(mantissa) / fractions.Fraction(2) ** exponent * 1000)


def tell(variant):
    for timestamp, result in results(sys.stdin.buffer.read(), variant):
        bins = []
        if result["cnh_raw"] is not None:
            for row in histograms(result["cnh_raw"]):
                bins += map(thousandths, row["hist_raw"], row["hist_scaler"])
        keys = ("distance_mm", "target_status", "silicon_temp_degc")
        print(json.dumps({"timestamp": timestamp, "histogram": bins} | {key: result[key] for key in keys}))


def speed(path, rounds=5):
    """Median of the rounds; the processor time of this thread, as the bench measures it."""
    data = path.read_bytes()
    variant = path.stem.removeprefix("depz-")
    ours = float(path.with_suffix(".speed").read_text())
    speeds = []
    for _ in range(rounds):
        start = time.thread_time()
        for _, result in results(data, variant):
            if result["cnh_raw"] is not None:
                histograms(result["cnh_raw"])
        speeds.append(len(data) / 1e6 / (time.thread_time() - start))
    theirs = statistics.median(speeds)
    print(f"depz-sensor-sdk {path}: {theirs:.1f} MB/s, ours is {ours / theirs:.0f} times that")


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1] in ("cx", "ch"):
        tell(sys.argv[1])
    elif len(sys.argv) > 2 and sys.argv[1] == "speed":
        for name in sys.argv[2:]:
            speed(pathlib.Path(name))
    else:
        sys.exit(__doc__)
