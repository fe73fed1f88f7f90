"""Scenarios that a correct server can play: the `websockets` package speaks, a table says what.

A scenario is a list of steps. A step is a coroutine function of one `Conversation`. Between messages that a test wants
to see one by one stands `go`: the step that waits until the test says so.
"""

import asyncio
import http
import time

from websockets.asyncio.server import serve as serve_websocket
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

import headers
import messages

Gate = asyncio.Semaphore
SUBPROTOCOL = Subprotocol("ruview.nlos.track.v1")


class Conversation:
    """One connection, as a scenario's steps see it."""

    def __init__(self, listener, connection, number):
        self.listener = listener
        self.connection = connection
        self.number = number
        self.arguments = listener.arguments

    def say(self, what, **more):
        self.listener.say(what, connection=self.number, **more)

    async def send(self, message):
        await self.connection.send(message)


# Steps.


async def go(conversation):
    await conversation.listener.gate.acquire()


def authenticated(**changes):
    async def step(conversation):
        await conversation.send(messages.authenticated(**changes))

    return step


def frame(sequence, **changes):
    async def step(conversation):
        await conversation.send(messages.frame(sequence, **changes))

    return step


def send(make):
    """What `make` returns when it is time: text, bytes, or a list of text (one message in fragments)."""

    async def step(conversation):
        await conversation.send(make())

    return step


def stream(hz, tracks=1, **changes):
    """Frames at a fixed rate, for as long as the client stays or as the argument `frames` says."""

    async def step(conversation):
        begin = time.monotonic()
        for sequence in range(int(conversation.arguments.get("frames", 1 << 53))):
            await conversation.send(messages.frame(sequence, tracks=tracks, age_ms=0, **changes))
            await asyncio.sleep(max(0, begin + (sequence + 1) / hz - time.monotonic()))
        conversation.say("sent")

    return step


async def hold(conversation):
    """Says nothing more, until the client leaves."""
    async for message in conversation.connection:
        conversation.say("message", length=len(message))


def close(code=1000, reason=""):
    async def step(conversation):
        await conversation.connection.close(code, reason)

    return step


async def drop(conversation):
    """The end of the TCP connection, without a word of WebSocket or TLS."""
    conversation.connection.transport.abort()


def between(*bad):
    """A good frame, something that may not be shown, and a good frame again."""
    return [authenticated(), go, frame(1), go, *bad, go, frame(2), go, close()]


def one_changed(**changes):
    return between(frame(9, **changes))


ZERO = "0" * 64
REPLAYED = {"source": "replay", "provenance.transientKind": "replay", "provenance.transport": "replay"}
SYNTHETIC = {**REPLAYED, "source": "synthetic", "evidenceLevel": "l0_synthetic", "calibrationHash": ZERO}

SCENARIOS = {
    "three-frames": [authenticated(), go, frame(1), go, frame(2), go, frame(9), go, close()],
    "good-30": [authenticated(), stream(30), hold],
    "good-300": [authenticated(), stream(300, tracks=16), hold],
    "burst": [authenticated(), stream(1_000_000), hold],
    "replay-stream": [authenticated(), stream(30, **REPLAYED), hold],
    "synthetic-stream": [authenticated(), stream(30, **SYNTHETIC), hold],
    "synthetic-and-replay": [
        authenticated(), go, frame(1), go, frame(2, **REPLAYED), go, frame(3, **SYNTHETIC), go, close(),
    ],
    "nothing-yet": [authenticated(), hold],
    "empty": [authenticated(), go, frame(1, tracks=0), go, close()],
    "only-unknown": [authenticated(), go, frame(1, tracks=[messages.track(state="unknown")]), go, close()],
    # A message that may not be shown, and the way back.
    "not-json": between(send(lambda: "no JSON at all")),
    "authenticated-twice": between(authenticated()),
    "duplicate-key": between(send(lambda: messages.frame(9).replace('"sequence":9', '"sequence":9,"\\u0073equence":9'))),
    "wrong-schema": one_changed(schema="ruview.nlos.track.v2"),
    "three-corroborated": one_changed(evidenceLevel="l3_corroborated"),
    "depth-only": one_changed(**{"provenance.transientKind": "depth_only"}),
    "zero-hash": one_changed(calibrationHash=ZERO),
    "lifts-synthetic": one_changed(source="synthetic"),
    "long-lived": one_changed(age_ms=0, lifetime_ms=5_001),
    "stale": one_changed(age_ms=3_000, lifetime_ms=1_000),
    "future": one_changed(age_ms=-60_000),
    "other-session": one_changed(sessionId="lab-run-002"),
    "sequence-repeated": between(frame(1)),
    "sequence-back": between(frame(0)),
    "binary": between(send(lambda: messages.frame(9).encode())),
    "too-many-tracks": one_changed(tracks=17),
    "too-large": between(send(lambda: messages.frame(9).ljust(262_145))),
    "as-large-as-allowed": [authenticated(), go, send(lambda: messages.frame(1).ljust(262_144)), go, close()],
    # Fragments.
    "one-byte-fragments": [
        authenticated(), go,
        send(lambda: [character for character in messages.frame(1)]), go, close(),
    ],
    # Time.
    "short-lived-frame": [authenticated(), go, frame(1, age_ms=0, lifetime_ms=400), hold],
    "short-session": [authenticated(lifetime_ms=600), go, frame(1, age_ms=0, lifetime_ms=5_000), hold],
    "expired-session": [authenticated(lifetime_ms=-1), hold],
    "long-session": [authenticated(lifetime_ms=3_700_000), hold],
    "silent": [hold],
    "frame-first": [frame(1), hold],
    "binary-first": [send(lambda: messages.authenticated().encode()), hold],
    "not-json-first": [send(lambda: "{}"), hold],
    # Endings.
    "closes-at-once": [close()],
    "close-going-away": [authenticated(), go, frame(1), go, close(1001, "restart")],
    "close-with-reason": [authenticated(), go, frame(1), go, close(4000, "\x1b]0;title\x07 as it is")],
    "dropped": [authenticated(), go, frame(1), go, drop],
}

# Answers that are no upgrade: status, further headers, body.
ANSWERS = {
    "unauthorized": (401, {"Cache-Control": "no-store, max-age=0"}, '{"error":"unauthorized"}'),
    "forbidden": (403, {}, '{"error":"forbidden"}'),
    "ordinary-page": (200, {"Content-Type": "text/html"}, "<html><body>\x1b[31mWelcome\x1b[0m</body></html>"),
    "upgrade-required": (426, {}, "wrong protocol"),
    "bad-gateway": (502, {}, "<html>502 Bad Gateway</html>"),
    **{
        f"redirect-{status}": (status, {"Location": "{location}"}, "")
        for status in (301, 302, 303, 307, 308)
    },
}
SCENARIOS.update({name: [] for name in ANSWERS})


async def serve(listener):
    """A server on the listener's socket; every connection plays the listener's scenario from its beginning."""
    steps = SCENARIOS[listener.scenario]
    answer = ANSWERS.get(listener.scenario)
    conversations = {}

    def request(connection, request):
        number = listener.accepted()
        conversations[connection] = number
        listener.say(
            "request", connection=number, **headers.notice(request.path, request.headers.raw_items(), listener.token)
        )
        if answer:
            status, more, body = answer
            response = connection.respond(http.HTTPStatus(status), body)
            for key, value in more.items():
                if key in response.headers:
                    del response.headers[key]
                response.headers[key] = value.format(location=listener.arguments.get("location", ""))
            return response
        return None

    async def handle(connection):
        conversation = Conversation(listener, connection, conversations.pop(connection))
        try:
            for step in steps:
                await step(conversation)
            await connection.wait_closed()
        except ConnectionClosed:
            pass
        close = connection.protocol.close_rcvd
        conversation.say("left", closeCode=close.code if close else None)

    return await serve_websocket(
        handle,
        sock=listener.socket,
        ssl=listener.context,
        process_request=request,
        subprotocols=[SUBPROTOCOL],
        compression=None,
        ping_interval=None,
        close_timeout=2,
        max_size=8_192,
    )
