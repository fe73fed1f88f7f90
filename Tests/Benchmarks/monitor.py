#!/usr/bin/env python3
"""What the monitor takes of a fast stream: frames lost, processor time, memory, and the time from a message's sending to its event line.

usage: monitor.py NLOS_BRIDGE      the release program, with the Python of Tests/TrackServer
"""

import asyncio
import json
import multiprocessing
import os
import pathlib
import ssl
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "TrackServer"))

import messages
import pki
from websockets.asyncio.server import serve
from websockets.typing import Subprotocol

TOKEN = "no-secret:the-token-of-the-benchmark-of-the-monitor"
RATE = 300
SECONDS = 60
# The first frames warm caches, and the memory settles.
WARM = 5


def server(certificates, port, sent, tracks):
    """Sends the frames at their rate and notes when it handed each one to the kernel's side of TLS."""

    async def play(connection):
        await connection.send(messages.authenticated())
        begin = time.monotonic()
        for sequence in range(len(sent)):
            text = messages.frame(sequence, tracks=tracks, age_ms=0)
            sent[sequence] = time.monotonic()
            await connection.send(text)
            await asyncio.sleep(max(0, begin + (sequence + 1) / RATE - time.monotonic()))
        await connection.close()

    async def run():
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates / "good.pem")
        async with serve(play, "127.0.0.1", 0, ssl=context, subprotocols=[Subprotocol("ruview.nlos.track.v1")], compression=None) as listening:
            port.value = listening.sockets[0].getsockname()[1]
            await asyncio.get_running_loop().create_future()

    asyncio.run(run())


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def megabytes(pid, which):
    status = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in status if line.startswith(which))


def watch(program, folder, tracks):
    """One run: the lines of the monitor and when each was there, and what the process took between the warm-up and the end."""
    certificates = folder / "certificates"
    if not certificates.exists():
        pki.write(certificates)
    sent = multiprocessing.Array("d", RATE * SECONDS, lock=False)
    port = multiprocessing.Value("i", 0, lock=False)
    child = multiprocessing.Process(target=server, args=(certificates, port, sent, tracks), daemon=True)
    child.start()
    deadline = time.monotonic() + 20
    while not port.value:
        if time.monotonic() > deadline:
            raise SystemExit("the server of the benchmark did not start")
        time.sleep(0.05)
    url = f"wss://127.0.0.1:{port.value}/api/v1/nlos/ws"
    environment = {**os.environ, "XDG_DATA_HOME": str(folder / "data")}
    subprocess.run([program, "pair", url], input=TOKEN.encode(), env=environment, check=True, stdout=subprocess.DEVNULL)
    monitor = subprocess.Popen(
        [program, "monitor", "--json", "--ca-file", str(certificates / "ca.pem"), url], env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    lines = []
    rest = b""
    marks = []
    while chunk := os.read(monitor.stdout.fileno(), 1 << 20):
        now = time.monotonic()
        *whole, rest = (rest + chunk).split(b"\n")
        lines += [(now, line) for line in whole]
        if not marks and len(lines) > WARM * RATE or len(marks) == 1 and len(lines) > RATE * (SECONDS - 2):
            marks.append((now, processor_seconds(monitor.pid), megabytes(monitor.pid, "VmRSS"), megabytes(monitor.pid, "VmHWM")))
    status = monitor.wait()
    child.kill()
    child.join()
    if status != 0 or len(marks) != 2:
        raise SystemExit(f"the monitor ended early, with status {status}, after {len(lines)} lines")
    return lines, sent, marks


def report(what, value, target):
    print(f"{what}: {value} (target {target})", flush=True)


def main(program):
    with tempfile.TemporaryDirectory(prefix="monitor-bench-") as folder:
        for tracks in (1, 16):
            lines, sent, (first, last) = watch(program, pathlib.Path(folder), tracks)
            events = [(at, json.loads(line)) for at, line in lines]
            frames = [(at, event["sequence"]) for at, event in events if event["event"] == "frame"]
            dropped = sum(event.get("framesDropped", 0) for _, event in events)
            waits = sorted((at - sent[sequence]) * 1e3 for at, sequence in frames[WARM * RATE :])
            share = (last[1] - first[1]) / (last[0] - first[0]) * 100
            what = f"monitor, {RATE} frames a second of {tracks} track{'s' if tracks > 1 else ''} for {SECONDS} s"
            report(f"{what}, missing", f"{len(sent) - len(frames)} of {len(sent)}, {dropped} dropped here", "0")
            report(f"{what}, processor", f"{share:.1f} % of a core", "5 %")
            report(f"{what}, resident", f"{first[2]:.1f} MB after {WARM} s, {last[2]:.1f} MB at the end, peak {last[3]:.1f} MB", "25 MB, flat")
            report(
                f"{what}, server's send to whole line",
                f"p50 {statistics.median(waits):.3f} ms, p99 {waits[len(waits) * 99 // 100]:.3f} ms, worst {waits[-1]:.3f} ms", "p99 2 ms")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
