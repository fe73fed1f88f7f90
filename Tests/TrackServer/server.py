"""A RuView server to test against: many listeners in one process, each playing one scenario of a table.

    python3 server.py [--certificates FOLDER] [--scenario NAME [--certificate NAME] [--port N]]

Standard input takes one JSON object a line, standard output gives one a line; README.md lists both. The process ends
when its standard input does, so it cannot outlive the test that started it.
"""

import argparse
import asyncio
import json
import os
import pathlib
import socket
import ssl
import sys
import tempfile
import threading

import library
import pki
import programs
import wire


class Listener:
    """A port that plays one scenario to whoever connects, and says what it saw."""

    count = 0

    def __init__(self, house, scenario, certificate="good", host="127.0.0.1", port=0, tls=True, **arguments):
        Listener.count += 1
        self.number = Listener.count
        self.house = house
        self.scenario = scenario
        self.arguments = arguments
        self.token = house.token
        self.connections = 0
        self.closed = threading.Event()
        self.certificate = certificate
        self.context = self.make_context(certificate) if tls else None
        self.socket = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind((host, port))
        self.port = self.socket.getsockname()[1]
        self.server = None

    def make_context(self, certificate):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.house.certificates / f"{certificate}.pem")
        context.sni_callback = lambda _, name, __: self.say("hello", serverName=name)
        return context

    def say(self, what, **more):
        self.house.say({"listener": self.number, "what": what, **more})

    def accepted(self):
        self.connections += 1
        return self.connections

    async def start(self):
        table = next((table for table in (library, wire, programs) if self.scenario in table.SCENARIOS), None)
        if table is None:
            raise KeyError(f"no scenario is called {self.scenario}")
        # One `go` of the test releases one step that waits for it.
        self.gate = getattr(table, "Gate", asyncio.Semaphore)(0)
        # A program listens by itself; until it does, and while it is stopped, this keeps the port from others.
        if table is not programs:
            self.socket.listen(128)
        self.server = await table.serve(self)
        self.say("listening", port=self.port, scenario=self.scenario)

    async def close(self):
        self.server.close()
        self.say("closed")


class House:
    """All listeners, and the two streams that steer them."""

    def __init__(self, certificates, token):
        self.certificates = certificates
        self.token = token
        self.listeners = {}
        self.mouth = threading.Lock()

    def say(self, line):
        with self.mouth:
            sys.stdout.write(json.dumps(line) + "\n")
            sys.stdout.flush()

    async def open(self, order):
        listener = Listener(self, **order)
        self.listeners[listener.number] = listener
        await listener.start()

    async def obey(self, order):
        match order.pop("do"):
            case "open":
                await self.open(order)
            case "go":
                self.listeners[order["listener"]].gate.release()
            case "tell":
                await self.listeners[order["listener"]].server.tell(order["word"])
            case "close":
                if listener := self.listeners.pop(order["listener"], None):
                    await listener.close()
            case other:
                raise KeyError(f"no order is called {other}")

    async def run(self):
        orders = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
        while line := await orders.readline():
            try:
                await self.obey(json.loads(line))
            except (KeyError, ValueError, TypeError, OSError) as error:
                self.say({"what": "refused", "order": line.decode(errors="replace").strip(), "why": repr(error)})


async def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--certificates", type=pathlib.Path, help="made when it is not there, and kept; else a folder that is removed at the end")
    arguments.add_argument("--scenario", help="open this at once")
    arguments.add_argument("--certificate", default="good")
    arguments.add_argument("--port", type=int, default=0)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="track-server-") as temporary:
        certificates = options.certificates or pathlib.Path(temporary)
        if not (certificates / "ca.pem").exists():
            pki.write(certificates)
        token = os.environ.get("TRACK_SERVER_TOKEN", "no-secret:the-token-of-the-track-server-tests")
        house = House(certificates, token)
        house.say({"what": "ready", "certificates": str(certificates)})
        if options.scenario:
            await house.open({"scenario": options.scenario, "certificate": options.certificate, "port": options.port})
        await house.run()


if __name__ == "__main__":
    asyncio.run(main())
    # Threads of scenarios may still be writing; nothing of theirs is worth a wait.
    os._exit(0)
