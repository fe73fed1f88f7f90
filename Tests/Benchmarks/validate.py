#!/usr/bin/env python3
"""What a depth validation takes while it runs: processor time at 60 Hz with and without its screen, and frames under a stuck terminal.

usage: validate.py NLOS_BRIDGE WORK_FOLDER      the release program; Python's own standard library only
"""

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
import time

SECONDS = 14


def report(what, value, target):
    print(f"{what}: {value} (target {target})", flush=True)


def recording(program, folder):
    """Frames at the sensor's highest rate, for a replay at recorded pace."""
    file = os.path.join(folder, "sixty.pcap")
    subprocess.run(
        [program, "capture", "--sensor", "sim:matte-wall", "--zones", "4x4", "--bins", "8", "--start-bin", "0", "--subsample", "16",
         "--rate", "60", "--session", "bench", "--sensor-id", "bench", "--fixed-sensor", "--seconds", str(SECONDS + 4), "--record", file],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return file


class Screen:
    """A terminal of 80 by 24 that somebody looks at, or that nobody reads."""

    def __init__(self, is_read):
        self.near, self.far = pty.openpty()
        fcntl.ioctl(self.far, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        if is_read:
            threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            while os.read(self.near, 65536):
                pass
        except OSError:
            pass


def processor_share(program, file, messages):
    """Processor time of a run over its length, per cent of one core; start-up is left out."""
    child = subprocess.Popen(
        [program, "validate", "--sensor", f"replay:{file}", "--yes", "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=messages, env={**os.environ, "TERM": "xterm-256color"})

    def spent():
        with open(f"/proc/{child.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    time.sleep(2)
    before, began = spent(), time.monotonic()
    time.sleep(SECONDS - 2)
    if child.poll() is not None:
        sys.exit("the run ended before it was measured: this machine is too busy to record 60 frames a second without a gap")
    share = (spent() - before) / (time.monotonic() - began) * 100
    child.terminate()
    child.wait()
    return share


def rates(program, messages):
    """Frames a second of both phases of a short live run."""
    done = subprocess.run(
        [program, "validate", "--sensor", "sim:matte-wall", "--shortened", "--yes", "--json"], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=messages, env={**os.environ, "TERM": "xterm-256color"}, check=False)
    return ", ".join(f"{phase['averageFPS']:.2f}" for phase in json.loads(done.stdout)["phases"])


def main(program, folder):
    file = recording(program, folder)
    report("validate at 60 Hz without a screen, share of one core",
           f"{processor_share(program, file, subprocess.DEVNULL):.2f} %", "2 %")
    report("validate at 60 Hz with its screen, share of one core",
           f"{processor_share(program, file, Screen(is_read=True).far):.2f} %", "5 %")
    report("frames a second at 30 Hz on a terminal that is read", rates(program, Screen(is_read=True).far), "30")
    report("frames a second at 30 Hz on a terminal that nobody reads", rates(program, Screen(is_read=False).far), "the same")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
