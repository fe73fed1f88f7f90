"""A private certificate authority, and certificates that are right or wrong in one way each.

    python3 pki.py FOLDER

writes for each row of `LEAVES` a file NAME.pem (the chain, then the key), the authorities' `ca.pem` and
`expired-root.pem` (what a client is told to trust), and `pins.json` (SHA-256 of each leaf's public key).
"""

import datetime
import hashlib
import ipaddress
import json
import pathlib
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
DAY = datetime.timedelta(days=1)
PAST, FUTURE = NOW - 30 * DAY, NOW + 30 * DAY


def name(common):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def alternative(text):
    """An IP address if it reads as one, else a DNS name; `dns:` makes a DNS name of anything."""
    if text.startswith("dns:"):
        return x509.DNSName(text[4:])
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)


class Authority:
    """A key, and the certificate that says whose it is."""

    def __init__(self, common, issuer=None, begin=PAST, end=FUTURE, key=None, leaf=False, names=(), purpose=None):
        self.key = key or ec.generate_private_key(ec.SECP256R1())
        self.name = name(common)
        signer = issuer or self
        public = self.key.public_key()
        builder = (
            x509.CertificateBuilder()
            .subject_name(self.name)
            .issuer_name(signer.name)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(begin)
            .not_valid_after(end)
            .add_extension(x509.BasicConstraints(ca=not leaf, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.key.public_key()), critical=False)
        )
        if leaf:
            builder = builder.add_extension(
                x509.ExtendedKeyUsage([purpose or ExtendedKeyUsageOID.SERVER_AUTH]), critical=False
            )
        if names:
            builder = builder.add_extension(
                x509.SubjectAlternativeName([alternative(text) for text in names]), critical=False
            )
        self.certificate = builder.sign(signer.key, hashes.SHA256())

    def pem(self):
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    def key_pem(self):
        return self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )

    def pin(self):
        return hashlib.sha256(
            self.key.public_key().public_bytes(
                serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
            )
        ).hexdigest()


ROOT = Authority("nlos test root")
STRANGER = Authority("a root that nobody trusts")
EXPIRED_ROOT = Authority("nlos expired root", begin=PAST, end=NOW - DAY)
OLD_ROOT = Authority("a root of long ago", begin=PAST, end=NOW - DAY)
MIDDLE = Authority("nlos test intermediate", issuer=ROOT)
EXPIRED_MIDDLE = Authority("nlos expired intermediate", issuer=ROOT, end=NOW - DAY)
# The root's own name and key, vouched for by the old root: a second path, which has expired.
CROSS = Authority("nlos test root", issuer=OLD_ROOT, key=ROOT.key, end=NOW - DAY)

HERE = ("localhost", "127.0.0.1", "::1")


def leaf(names=HERE, common="nlos test server", issuer=ROOT, **rest):
    return Authority(common, issuer=issuer, leaf=True, names=names, **rest)


# Name of the file: the leaf, and what the server sends behind it.
LEAVES = {
    "good": (leaf(), []),
    "name": (leaf(names=("localhost",)), []),
    "upper-case-name": (leaf(names=("LocalHost",)), []),
    "address": (leaf(names=("127.0.0.1",)), []),
    "other-address": (leaf(names=("127.0.0.2", "localhost")), []),
    "address-as-name": (leaf(names=("dns:127.0.0.1",)), []),
    "wrong-name": (leaf(names=("other.example",)), []),
    "common-name-only": (leaf(names=(), common="localhost"), []),
    "common-name-beside-other": (leaf(names=("other.example",), common="localhost"), []),
    "wildcard": (leaf(names=("*.example.test",)), []),
    "partial-wildcard": (leaf(names=("f*.example.test",)), []),
    "bare-wildcard": (leaf(names=("*", "*.test")), []),
    "embedded-nul": (leaf(names=("dns:localhost\0.other.example",)), []),
    "expired": (leaf(end=NOW - DAY), []),
    "not-yet-valid": (leaf(begin=NOW + DAY), []),
    "client-purpose": (leaf(purpose=ExtendedKeyUsageOID.CLIENT_AUTH), []),
    "self-signed": (Authority("localhost", leaf=True, names=HERE), []),
    "unknown-authority": (leaf(issuer=STRANGER), [STRANGER]),
    "intermediate": (leaf(issuer=MIDDLE), [MIDDLE]),
    "missing-intermediate": (leaf(issuer=MIDDLE), []),
    "expired-extra": (leaf(issuer=MIDDLE), [MIDDLE, CROSS]),
    "expired-intermediate": (leaf(issuer=EXPIRED_MIDDLE), [EXPIRED_MIDDLE]),
    "expired-root": (leaf(issuer=EXPIRED_ROOT), []),
}


def write(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ca.pem").write_bytes(ROOT.pem())
    (folder / "expired-root-ca.pem").write_bytes(EXPIRED_ROOT.pem())
    for file, (owner, rest) in LEAVES.items():
        (folder / f"{file}.pem").write_bytes(owner.pem() + b"".join(link.pem() for link in rest) + owner.key_pem())
    (folder / "pins.json").write_text(json.dumps({file: owner.pin() for file, (owner, _) in LEAVES.items()}))


if __name__ == "__main__":
    write(sys.argv[1])
