#!/usr/bin/env python3
"""Runs a program in a pseudo-terminal, plays the bytes it writes into a terminal emulator, and draws what stands there as SVG.

usage: screenshot.py COLUMNSxROWS SECONDS OUT.svg PROGRAM [ARGUMENT ...]

The picture is the one that stands there after so many seconds; the program is then ended as Ctrl-C does. Needs pyte (PyPI).
"""

import fcntl
import html
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

import pyte

CELL, LINE, MARGIN = 8.4, 18, 12
PAPER, INK, DIM = "#101418", "#d8dee4", "#8a949e"
NAMES = {
    "black": "#101418", "red": "#ff6b68", "green": "#5fd38a", "brown": "#f2c55c", "blue": "#6cb0f5", "magenta": "#d58cf0",
    "cyan": "#56c8d8", "white": "#d8dee4", "brightwhite": "#ffffff",
}


def colour(name, default):
    return default if name == "default" else NAMES.get(name, f"#{name}")


def record(size, seconds, command):
    """What the program wrote in that time, as an emulated screen."""
    columns, rows = size
    child, near = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", LANG="C.UTF-8")
        os.execv(command[0], command)
    fcntl.ioctl(near, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    screen = pyte.Screen(columns, rows)
    stream = pyte.ByteStream(screen)
    end = time.monotonic() + seconds
    try:
        while (left := end - time.monotonic()) > 0:
            if select.select([near], [], [], left)[0]:
                stream.feed(os.read(near, 65536))
    except OSError:
        sys.exit(f"{command[0]} ended before its {seconds} s were over")
    picture = [[screen.buffer[row][column] for column in range(columns)] for row in range(rows)]
    os.kill(child, signal.SIGINT)
    # Its last words are not part of the picture, and it must not wait for them to be read.
    while True:
        try:
            if not os.read(near, 65536):
                break
        except OSError:
            break
    os.waitpid(child, 0)
    return picture


def runs(row):
    """Cells of one look that stand together: column, text, ink, paper, bold."""
    begun = None
    for column, cell in enumerate(row):
        ink, paper = colour(cell.fg, INK), colour(cell.bg, PAPER)
        if cell.reverse:
            ink, paper = paper, ink
        look = (ink, paper, cell.bold)
        if begun and begun[2:] == look:
            begun = (begun[0], begun[1] + cell.data, *look)
        else:
            if begun:
                yield begun
            begun = (column, cell.data, *look)
    yield begun


def draw(picture):
    width = len(picture[0]) * CELL + 2 * MARGIN
    height = len(picture) * LINE + 2 * MARGIN
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
           'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">')
    yield f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>'
    for line, row in enumerate(picture):
        for column, text, ink, paper, bold in runs(row):
            x, y, length = MARGIN + column * CELL, MARGIN + line * LINE, len(text) * CELL
            if paper != PAPER:
                yield f'<rect x="{x:.1f}" y="{y}" width="{length:.1f}" height="{LINE}" fill="{paper}"/>'
            words = text.rstrip()
            if words:
                lead = len(words) - len(words.lstrip())
                words = words.lstrip()
                weight = ' font-weight="bold"' if bold else ""
                yield (f'<text x="{x + lead * CELL:.1f}" y="{y + 14}" textLength="{len(words) * CELL:.1f}" fill="{ink}"{weight}>'
                       f"{html.escape(words)}</text>")
    yield "</svg>"


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    size = tuple(int(number) for number in sys.argv[1].split("x"))
    picture = record(size, float(sys.argv[2]), sys.argv[4:])
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        file.write("\n".join(draw(picture)) + "\n")


if __name__ == "__main__":
    main()
