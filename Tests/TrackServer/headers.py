"""What a server notices about an upgrade request, without repeating the token."""

import base64
import binascii


def notice(path, headers, token):
    """`headers`: pairs in the order of their arrival."""
    values = {}
    for key, value in headers:
        values.setdefault(key.lower(), []).append(value)

    def one(key):
        found = values.get(key, [])
        return found[0] if len(found) == 1 else found or None

    try:
        key_bytes = len(base64.b64decode(one("sec-websocket-key") or "", validate=True))
    except (binascii.Error, TypeError, ValueError):
        key_bytes = -1
    authorization = values.get("authorization", [])
    return {
        "path": path,
        "host": one("host"),
        "token": {0: "absent", 1: "right" if authorization == [f"Bearer {token}"] else "wrong"}.get(
            len(authorization), "repeated"
        ),
        "subprotocol": one("sec-websocket-protocol"),
        "version": one("sec-websocket-version"),
        "keyBytes": key_bytes,
        "extensions": "sec-websocket-extensions" in values,
        "cookies": "cookie" in values,
        "headers": sorted(values),
    }
