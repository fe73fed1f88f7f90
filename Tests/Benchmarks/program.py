#!/usr/bin/env python3
"""What the program as a whole takes: start-up, memory over a long capture, and the time from a frame's last byte to its line.

usage: program.py NLOS_BRIDGE      the release program; Python's own standard library only
"""

import os
import pty
import select
import statistics
import subprocess
import sys
import threading
import time
import tty

CAPTURE = ["--session", "bench", "--sensor-id", "bench", "--fixed-sensor"]

# What `small` makes of a frame.
SMALL = ["--zones", "4x4", "--bins", "8", "--start-bin", "0", "--subsample", "7", "--no-configure"]


def report(what, value, target):
    print(f"{what}: {value} (target {target})", flush=True)


def start_up(program, arguments, rounds=41):
    """Median wall time of the whole process in milliseconds."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append((time.perf_counter() - began) * 1e3)
    return statistics.median(times)


def emulated_frames(program, scene, seconds):
    """Whole frames as the emulated firmware prints them."""
    emulator = subprocess.Popen([program, "emulate", "--pty", "--scene", scene], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    port = os.open(emulator.stdout.readline().strip(), os.O_RDONLY | os.O_NOCTTY)
    tty.setraw(port)
    seen = b""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([port], [], [], 0.1)[0]:
            seen += os.read(port, 65536)
    emulator.terminate()
    emulator.wait()
    os.close(port)
    # What is before the first marker and after the last one is no frame.
    return [b"D\n" + frame for frame in seen.split(b"D\n")[1:-1]]


class Capture:
    """A capture that reads what is written to `line`."""

    def __init__(self, program, *arguments, output=subprocess.PIPE):
        self.line, port = pty.openpty()
        os.set_blocking(self.line, False)
        tty.setraw(port)
        self.process = subprocess.Popen(
            [program, "capture", "--port", os.ttyname(port), *CAPTURE, *arguments], stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.DEVNULL)
        # The port stays open here until the program has its own descriptor: the last close would hang the line up.
        deadline = time.monotonic() + 10
        while not any(target == os.ttyname(port) for target in self._files()):
            if time.monotonic() > deadline:
                raise SystemExit("the capture did not open its port")
            time.sleep(0.01)
        os.close(port)

    def _files(self):
        folder = f"/proc/{self.process.pid}/fd"
        for name in os.listdir(folder):
            try:
                yield os.readlink(f"{folder}/{name}")
            except OSError:
                pass

    def resident(self, which="VmRSS"):
        """Megabytes."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith(which))

    def write(self, data):
        while data:
            while not select.select([], [self.line], [], 1)[1]:
                if self.process.poll() is not None:
                    raise SystemExit(f"the capture ended with status {self.process.returncode}")
            data = data[os.write(self.line, data):]

    def end(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.line)


def memory(program, frames, count):
    """Resident megabytes after a hundredth, a half and all of `count` frames, and the peak."""
    piece = b"".join(frames)
    capture = Capture(program, *SMALL, output=subprocess.DEVNULL)
    at = []
    written = 0
    began = time.monotonic()
    for mark in (count // 100, count // 2, count):
        while written < mark:
            capture.write(piece)
            written += len(frames)
        at.append(capture.resident())
    elapsed = time.monotonic() - began
    peak = capture.resident("VmHWM")
    capture.end()
    return at, peak, written / elapsed


def latency(program, frames, count, rate):
    """Milliseconds from the write of a frame's last piece to its complete line, one a frame."""
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    capture = Capture(program)
    lines = capture.process.stdout.fileno()
    arrived = threading.Semaphore(0)
    at = []

    def read():
        rest = b""
        while chunk := os.read(lines, 1 << 20):
            now = time.perf_counter_ns()
            rest += chunk
            while b"\n" in rest:
                rest = rest[rest.index(b"\n") + 1:]
                at.append(now)
                arrived.release()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    sent = []
    try:
        for index in range(count):
            frame = frames[index % len(frames)]
            due = time.perf_counter() + 1 / rate
            # The first half as the line would bring it, in packets; then the rest, and the clock runs from its last byte.
            for start in range(0, len(frame) - 64, 512):
                capture.write(frame[start:min(start + 512, len(frame) - 64)])
                time.sleep(0.5 / rate * 512 / len(frame))
            capture.write(frame[-64:-1])
            sent.append(time.perf_counter_ns())
            capture.write(frame[-1:])
            time.sleep(max(0, due - time.perf_counter()))
        while arrived.acquire(timeout=1):
            pass
    finally:
        busy.kill()
        busy.wait()
        capture.end()
    # The first frame's line waits for the second one: two equal frames tell the shape. The last ones are whole, so count from the end.
    return [(line - last) / 1e6 for line, last in zip(reversed(at), reversed(sent[2:]))]


def small(frame):
    """The same frame as a 4x4 sensor with 8 bins would send it."""
    rows = frame.split(b"\n")[1:17]
    return b"D\n" + b"".join(b" ".join(row.split(b" ")[:11]) + b"\n" for row in rows)


def main(program):
    report("nlos-bridge --version, start to end", f"{start_up(program, ['--version']):.1f} ms", "15 ms")
    report("nlos-bridge probe, start to end", f"{start_up(program, ['probe']):.1f} ms", "50 ms, without sensors")

    frames = emulated_frames(program, "matte-wall", 4)
    waits = sorted(latency(program, frames, count=900, rate=30))
    p99 = waits[len(waits) * 99 // 100]
    report(
        f"last byte to complete line, {len(waits)} frames of {len(frames[0])} bytes at 30 Hz, a core busy",
        f"p50 {statistics.median(waits):.3f} ms, p99 {p99:.3f} ms, worst {waits[-1]:.3f} ms", "p99 1 ms")

    at, peak, rate = memory(program, [small(frame) for frame in frames], count=1_000_000)
    report(
        f"resident memory after 10,000, 500,000 and 1,000,000 frames ({rate:.0f} a second)",
        ", ".join(f"{megabytes:.1f}" for megabytes in at) + f" MB, peak {peak:.1f} MB", "25 MB, flat")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
