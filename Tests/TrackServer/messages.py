"""What a RuView server says, as the wire contract (A and B) has it, and the same with one thing changed."""

import copy
import json
import time

SESSION = "lab-run-001"
CALIBRATION = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


def now_ms():
    return time.time_ns() // 1_000_000


def text(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def authenticated(session=SESSION, lifetime_ms=3_600_000, **changes):
    return text(
        {
            "schema": "ruview.nlos.authenticated.v1",
            "sessionId": session,
            "expiresAtUnixMs": now_ms() + lifetime_ms,
            **changes,
        }
    )


def track(number=0, **changes):
    return {
        "trackId": f"hidden-target-{number}",
        "state": "tracking",
        "positionM": {"x": 1.25 + number, "y": 0.4, "z": -2.5},
        "velocityMps": {"x": 0.1, "y": 0, "z": -0.2},
        "covarianceDiagonalM2": {"x": 0.04, "y": 0.09, "z": 0.04},
        "confidence": 0.88,
        "posteriorEntropy": 0.32,
        "signalQuality": 0.74,
        "modalityContributions": {"lidar": 0.7, "csi": 0.3},
        **changes,
    }


def envelope(sequence, tracks=1, age_ms=20, lifetime_ms=2_000, **changes):
    """A whole message as a dictionary. A change with a dot in its name goes one level down (`provenance.transport`).

    `tracks`: how many, or the list itself.
    """
    captured = now_ms() - age_ms
    value = {
        "schema": "ruview.nlos.track.v1",
        "sessionId": SESSION,
        "sequence": sequence,
        "capturedAtUnixMs": captured,
        "expiresAtUnixMs": captured + lifetime_ms,
        "source": "live",
        "evidenceLevel": "l2_calibrated",
        "algorithmVersion": "motion-aperture-canonical-v1",
        "calibrationHash": CALIBRATION,
        "provenance": {
            "sensorId": "st-kit-001",
            "sensorModel": "VL53L8CH",
            "firmwareVersion": "15314de",
            "transientKind": "raw_histogram",
            "histogramPreserved": True,
            "transport": "ruview_server",
        },
        "tracks": tracks if isinstance(tracks, list) else [track(number) for number in range(tracks)],
    }
    for path, change in changes.items():
        place = value
        *way, last = path.split(".")
        for step in way:
            place = place[step]
        place[last] = copy.deepcopy(change)
    return value


def frame(sequence, **changes):
    return text(envelope(sequence, **changes))
