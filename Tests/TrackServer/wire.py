"""Scenarios that no correct library would play: bytes on the wire, by hand, behind real TLS.

A scenario is a list of steps; a step is a function of one `Peer`, and may block: every connection has a thread.
"""

import base64
import hashlib
import socket
import ssl
import struct
import threading
import time

import headers
import messages

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
Gate = threading.Semaphore
TEXT, BINARY, CONTINUATION, CLOSE, PING, PONG = 1, 2, 0, 8, 9, 10


def accept_key(key):
    return base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()


def encode(payload=b"", opcode=TEXT, fin=True, reserved=0, mask=None, length=None):
    """One frame. `length` is written in place of the true one: a form (7, 16, 64) and a value."""
    payload = payload.encode() if isinstance(payload, str) else payload
    form, value = length or (7 if len(payload) < 126 else 16 if len(payload) < 65_536 else 64, len(payload))
    first = (0x80 if fin else 0) | reserved << 4 | opcode
    bit = 0x80 if mask is not None else 0
    head = {
        7: lambda: struct.pack("!BB", first, bit | value),
        16: lambda: struct.pack("!BBH", first, bit | 126, value),
        64: lambda: struct.pack("!BBQ", first, bit | 127, value),
    }[form]()
    if mask is not None:
        payload = mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
    return head + payload


class Peer:
    """One connection: what was asked, and the two directions of bytes. Lives on a thread of its own."""

    def __init__(self, listener, number, connection):
        self.listener = listener
        self.number = number
        # Of TCP; under TLS all the same after `encrypt`.
        self.socket = connection
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = connection

    def say(self, what, **more):
        self.listener.say(what, connection=self.number, **more)

    def encrypt(self):
        # A duplicate: the TCP socket stays at hand for endings without TLS.
        self.stream = self.listener.context.wrap_socket(self.socket.dup(), server_side=True, suppress_ragged_eofs=False)
        self.say("tls", version=self.stream.version())

    def write(self, data):
        self.stream.sendall(data)

    def read(self, count):
        data = b""
        while len(data) < count:
            piece = self.stream.recv(count - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def read_request(self):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.read(1)
        first, *lines = head.decode("latin-1")[:-4].split("\r\n")
        pairs = [(key.strip(), value.strip()) for key, _, value in (line.partition(":") for line in lines)]
        fields = dict((key.lower(), value) for key, value in pairs)
        self.key = fields.get("sec-websocket-key", "")
        # For servers that repeat what they should keep to themselves.
        self.token = fields.get("authorization", "").removeprefix("Bearer ").encode("latin-1")
        self.say("request", **headers.notice(first.split(" ")[1], pairs, self.listener.token))

    def read_frame(self):
        """Reads one frame and says so; returns its opcode and its payload."""
        first, second = self.read(2)
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack("!H", self.read(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", self.read(8))
        mask = self.read(4) if second & 0x80 else b"\0\0\0\0"
        payload = bytes(byte ^ mask[index % 4] for index, byte in enumerate(self.read(length)))
        opcode = first & 0x0F
        code = struct.unpack("!H", payload[:2])[0] if opcode == CLOSE and length >= 2 else None
        self.say(
            "frame", opcode=opcode, final=bool(first & 0x80), masked=bool(second & 0x80), length=length, closeCode=code
        )
        return opcode, payload


def answer_head(peer, status="101 Switching Protocols", drop=(), extra="", **changes):
    """The head of a right answer, and what is to be different in it. A header whose value is a list is sent as often."""
    fields = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Accept": accept_key(peer.key),
        "Sec-WebSocket-Protocol": "ruview.nlos.track.v1",
    }
    for key, value in changes.items():
        fields[key.replace("_", "-")] = value(peer) if callable(value) else value
    lines = [f"HTTP/1.1 {status}"]
    for key, value in fields.items():
        if key not in drop:
            lines += [f"{key}: {each}" for each in (value if isinstance(value, list) else [value])]
    return ("\r\n".join(lines) + "\r\n" + extra + "\r\n").encode("latin-1")


# Steps.


def answer(**changes):
    def step(peer):
        peer.read_request()
        peer.write(answer_head(peer, **changes))

    return step


def answer_and(*frames, **changes):
    """The answer and the first frames in one write, so that they share a TLS record."""

    def step(peer):
        peer.read_request()
        peer.write(answer_head(peer, **changes) + b"".join(make() for make in frames))

    return step


def send(*frames):
    """Frames, or functions that make one when it is time, in one write."""

    def step(peer):
        peer.write(b"".join(one() if callable(one) else one for one in frames))

    return step


def authenticated(**changes):
    return lambda: encode(messages.authenticated(**changes))


def frame(sequence, **changes):
    return lambda: encode(messages.frame(sequence, **changes))


def go(peer):
    """Waits until the test says so."""
    peer.listener.gate.acquire()


def listen(peer):
    """Says what the client sends, until it closes or leaves."""
    while peer.read_frame()[0] != CLOSE:
        pass


def hold_open(peer):
    """Likewise, and leaves the end of the connection to the client."""
    while True:
        peer.read_frame()


def hold(peer):
    """Neither reads nor writes; the connection stays open."""
    peer.listener.closed.wait()


def fin(peer):
    """The end of the TCP stream without TLS's close_notify."""
    peer.socket.shutdown(socket.SHUT_WR)


def reset(peer):
    """The end by RST. No step follows."""
    peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raise ConnectionAbortedError("by the scenario")


def end(peer):
    """TLS's close_notify, where there is TLS, and the end of the TCP stream."""
    if peer.stream is not peer.socket:
        peer.stream.settimeout(0)
        try:
            peer.stream.unwrap()
        except ssl.SSLWantReadError:
            pass
        peer.stream.settimeout(None)
    peer.socket.shutdown(socket.SHUT_WR)


def repeat(data, times, piece=512):
    """The same bytes many times over, as fast as the client takes them."""

    def step(peer):
        for begin in range(0, times, piece):
            peer.write(data * min(piece, times - begin))

    return step


def one_byte_at_a_time(make, delay=0.0):
    """Every byte in a TLS record of its own."""

    def step(peer):
        for byte in make(peer):
            peer.write(bytes([byte]))
            time.sleep(delay)

    return step


def read_request(peer):
    peer.read_request()


def raw(make):
    def step(peer):
        peer.write(make(peer))

    return step


def refuse_with(make):
    """A refusal with a body of 300 bytes, or fewer: what `make` makes of the token."""

    def step(peer):
        body = make(peer.token)
        peer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    return step


def garbage(peer):
    """Bytes that are no TLS, in the middle of a TLS connection."""
    peer.socket.sendall(b"\x7f" * 64)


def more_behind_the_end(peer):
    """A first message that is none, and in the same record the beginning of a long one. A client that lets go of what it has not
    read takes the payload of what follows for headers: one of them promises 16 MiB."""
    record, long, lag = 16_000, 100_000, 16_000 - 4_096
    first = encode("{}") + encode(b"", length=(64, long))
    here = record - len(first)
    peer.write(first + b"a" * here)
    peer.write(b"a" * (long - here - 1) + b"\xc2")
    false_head = encode(b"", length=(64, 1 << 24))
    peer.write(encode((b"a" * (lag - 4) + false_head).ljust(0x7F7F - 1, b"a") + b"\xc2"))
    for _ in range(40):
        peer.write(encode(b"a" * (0x7F7F - 1) + b"\xc2"))


def ping_inside(make):
    """A message in two fragments, and a ping between them."""

    def step(peer):
        text = make().encode()
        peer.write(encode(text[:100], fin=False) + encode("x", PING) + encode(text[100:], CONTINUATION))

    return step


def answer_pings(count):
    def step(peer):
        for _ in range(count):
            peer.write(encode(peer.read_frame()[1], PONG))

    return step


def after_frame(*steps):
    """The usual beginning: one frame is on display when the rest happens."""
    return [answer(), send(authenticated()), go, send(frame(1)), go, *steps, listen]


def violates(*frames):
    return after_frame(send(*frames))


LONG_WORD = "κόσμε\N{GRINNING FACE}"

SCENARIOS = {
    "plain": [answer(), send(authenticated()), go, send(frame(1)), go, send(encode(b"\x03\xe8", CLOSE)), listen],
    "upgraded-and-silent": [answer(), listen],
    # The answer.
    "accept-wrong": [answer(Sec_WebSocket_Accept="AAAAAAAAAAAAAAAAAAAAAAAAAAA="), listen],
    "accept-missing": [answer(drop=["Sec-WebSocket-Accept"]), listen],
    "accept-twice": [answer(Sec_WebSocket_Accept=lambda peer: [accept_key(peer.key)] * 2), listen],
    "upgrade-missing": [answer(drop=["Upgrade"]), listen],
    "connection-missing": [answer(drop=["Connection"]), listen],
    "upgrade-other": [answer(Upgrade="h2c"), listen],
    "subprotocol-other": [answer(Sec_WebSocket_Protocol="chat"), listen],
    "subprotocol-missing": [answer(drop=["Sec-WebSocket-Protocol"]), listen],
    "subprotocol-two": [answer(Sec_WebSocket_Protocol="ruview.nlos.track.v1, chat"), listen],
    "extension": [answer(extra="Sec-WebSocket-Extensions: permessage-deflate\r\n"), listen],
    "headers-in-lower-case": [
        answer_and(authenticated(), Upgrade="WebSocket", Connection="keep-alive, upgrade"), go, send(frame(1)), listen,
    ],
    "http-1.0": [read_request, raw(lambda peer: answer_head(peer).replace(b"HTTP/1.1", b"HTTP/1.0")), listen],
    "not-http": [read_request, raw(lambda _: b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), listen],
    "headers-17-kib": [answer(extra="".join(f"X-Filler-{n}: {'a' * 1_000}\r\n" for n in range(17))), listen],
    "headers-15-kib": [
        answer(extra="".join(f"X-Filler-{n}: {'a' * 1_000}\r\n" for n in range(15))), send(authenticated()), listen,
    ],
    "header-1-mb": [answer(extra=f"X-Filler: {'a' * 1_000_000}\r\n"), listen],
    "headers-endless": [read_request, raw(lambda _: b"HTTP/1.1 101 Switching Protocols\r\n"), repeat(b"X: y\r\n", 1 << 30), hold],
    "no-blank-line": [read_request, raw(lambda peer: answer_head(peer)[:-2]), listen],
    "head-slow": [read_request, one_byte_at_a_time(answer_head, delay=0.05), listen],
    "no-answer": [read_request, hold],
    "closes-before-answer": [read_request, end],
    "resets-before-answer": [read_request, reset],
    # Bytes and records.
    "with-the-answer": [answer_and(authenticated(), frame(1)), listen],
    "head-one-byte-at-a-time": [
        read_request, one_byte_at_a_time(answer_head), send(authenticated()), go, send(frame(1)), listen,
    ],
    "frames-one-byte-at-a-time": [
        answer(), one_byte_at_a_time(lambda _: authenticated()()), go, one_byte_at_a_time(lambda _: frame(1)()), listen,
    ],
    # All three are one TLS record: the last two are inside OpenSSL when the socket is already empty.
    "one-record": [answer(), send(authenticated(), frame(1), encode("{}"), frame(3)), listen],
    "many-in-one-record": [answer(), send(authenticated(), *[frame(n) for n in range(1, 21)]), listen],
    # Frames that RFC 6455 forbids.
    "masked": violates(encode("Hello", mask=b"\0\0\0\0")),
    "masked-close": violates(encode(b"\x03\xe8", CLOSE, mask=b"\0\0\0\0")),
    "masked-ping": violates(encode(b"", PING, mask=b"\0\0\0\0")),
    "reserved-1": violates(encode("{}", reserved=4)),
    "reserved-2": violates(encode("{}", reserved=2)),
    "reserved-3": violates(encode("{}", reserved=1)),
    **{f"opcode-{opcode}": violates(encode("{}", opcode)) for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15)},
    "fragmented-ping": violates(encode("a", PING, fin=False), encode("b", CONTINUATION)),
    "fragmented-close": violates(encode(b"\x03\xe8", CLOSE, fin=False)),
    "long-ping": violates(encode("a" * 126, PING)),
    "stray-continuation": violates(encode("{}", CONTINUATION)),
    "text-inside-fragments": violates(encode("{", fin=False), encode("}")),
    "close-one-byte": violates(encode(b"\x03", CLOSE)),
    "close-code-1005": violates(encode(struct.pack("!H", 1005), CLOSE)),
    "close-reason-not-utf-8": violates(encode(struct.pack("!H", 1000) + b"\xed\xa0\x80", CLOSE)),
    "length-not-minimal-16": violates(encode("{}", length=(16, 2))),
    "length-not-minimal-64": violates(encode("{}", length=(64, 2))),
    "length-top-bit": violates(encode(b"", length=(64, 1 << 63))),
    # Size.
    "length-4-gib": violates(encode(b"", length=(64, 1 << 32))),
    "large-fragments": after_frame(
        send(encode("a" * 65_536, fin=False)), repeat(encode("a" * 65_536, CONTINUATION, fin=False), 39, piece=1),
    ),
    "endless-fragments": after_frame(
        send(encode("a", fin=False)), repeat(encode("a" * 1_000, CONTINUATION, fin=False), 1 << 30),
    ),
    "empty-continuations": after_frame(
        send(encode("", fin=False)), repeat(encode("", CONTINUATION, fin=False), 1_000_000, piece=4_096),
    ),
    # Text.
    "split-character": after_frame(
        send(*[
            encode(bytes([byte]), TEXT if index == 0 else CONTINUATION, fin=index == len(LONG_WORD.encode()) - 1)
            for index, byte in enumerate(LONG_WORD.encode())
        ]),
        go, send(frame(2)),
    ),
    "not-utf-8-across-fragments": violates(
        encode(b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed", fin=False), encode(b"\xa0\x80", CONTINUATION),
    ),
    "not-utf-8": violates(encode(b"\xff")),
    "cut-character": violates(encode(b"{\xe2\x82")),
    # Control frames that are allowed.
    "unsolicited-pong": after_frame(send(encode("nobody asked", PONG)), send(frame(2))),
    "ping": after_frame(send(encode("are you there", PING))),
    "ping-flood": after_frame(repeat(encode("a" * 125, PING), 200_000), send(frame(2))),
    "ping-between-fragments": after_frame(ping_inside(lambda: messages.frame(2))),
    "pinged": after_frame(answer_pings(4), send(frame(2))),
    # Endings.
    "close-without-code": after_frame(send(encode(b"", CLOSE)), hold_open),
    "fin": after_frame(fin),
    "fin-in-frame": after_frame(send(lambda: frame(2)()[:50]), fin),
    "close-notify": after_frame(end),
    "reset": after_frame(reset),
    "garbage": after_frame(garbage, hold),
    "more-behind-the-end": [answer(), more_behind_the_end, listen],
    "goodbye-behind-the-end": [answer(), send(encode("{}"), encode(b"\x03\xe8", CLOSE)), hold_open],
    # The token, where others can read it.
    "token-in-body": [read_request, refuse_with(lambda token: b"Authorization: Bearer " + token), listen],
    "token-cut-in-body": [read_request, refuse_with(lambda token: b"." * 185 + token), listen],
    "token-in-host": [
        read_request, raw(lambda peer: b"HTTP/1.1 302 Found\r\nLocation: https://" + peer.token + b"/\r\n\r\n"), listen,
    ],
    "token-in-close-reason": after_frame(raw(lambda peer: encode(b"\x03\xf0" + peer.token[:100], CLOSE)), listen),
    "black-hole": [answer(), send(authenticated()), go, send(frame(1)), hold],
    "reads-nothing-after-close": [answer(), send(authenticated()), go, send(encode(b"\x03\xe8", CLOSE)), hold],
}

# Before any HTTP: TLS that never comes, or not what was meant to be TLS.
BEFORE_TLS = {
    "tls-silent": [hold],
    "tls-closes": [end],
    "plain-http": [raw(lambda _: b"HTTP/1.1 400 Bad Request\r\n\r\n"), hold],
}
SCENARIOS.update(BEFORE_TLS)


class Server:
    """Accepts on a thread; every connection plays the scenario from its beginning, on another."""

    def __init__(self, listener):
        self.listener = listener
        self.steps = SCENARIOS[listener.scenario]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.socket.accept()
            except OSError:
                return
            peer = Peer(self.listener, self.listener.accepted(), connection)
            peer.say("accepted")
            threading.Thread(target=self.play, args=[peer], daemon=True).start()

    def play(self, peer):
        try:
            if self.listener.context and self.listener.scenario not in BEFORE_TLS:
                peer.encrypt()
            for step in self.steps:
                step(peer)
        except EOFError:
            peer.say("left", how="end")
        except ssl.SSLEOFError:
            peer.say("left", how="end without close_notify")
        except OSError as error:
            peer.say("broken", how=type(error).__name__)
        finally:
            peer.stream.close()
            peer.socket.close()

    def close(self):
        self.listener.closed.set()
        # Wakes `accept`.
        self.listener.socket.shutdown(socket.SHUT_RDWR)
        self.listener.socket.close()


async def serve(listener):
    return Server(listener)
