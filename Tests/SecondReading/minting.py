"""Makes keys, certificates, receipts and tokens under a synthetic root, for the second reading of the contract.

Nothing here is shared with the program or its forge: one misreading must not be in both.
"""

import base64
import datetime
import hashlib
import struct

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.serialization import pkcs7
from cryptography.x509.oid import NameOID

UTC = datetime.timezone.utc
APPLE = "1.2.840.113635.100."
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def sha(data):
    return hashlib.sha256(data).digest()


# DER


def tlv(tag, body):
    size = len(body)
    if size < 128:
        length = bytes([size])
    else:
        digits = size.to_bytes((size.bit_length() + 7) // 8, "big")
        length = bytes([0x80 | len(digits)]) + digits
    return tag + length + body


def explicit(number, body):
    """Wraps `body` in the constructed context tag [number]."""
    if number < 31:
        return tlv(bytes([0xA0 | number]), body)
    digits = [number & 127]
    while number := number >> 7:
        digits.append(0x80 | (number & 127))
    return tlv(b"\xbf" + bytes(reversed(digits)), body)


def sequence(*parts):
    return tlv(b"\x30", b"".join(parts))


def octets(data):
    return tlv(b"\x04", data)


def integer(value):
    return tlv(b"\x02", value.to_bytes(value.bit_length() // 8 + 1, "big"))


# Certificates

AUTHORITY_USAGE = ("key_cert_sign", "crl_sign")
SIGNING_USAGE = ("digital_signature",)
USAGES = ("digital_signature content_commitment key_encipherment data_encipherment key_agreement "
          "key_cert_sign crl_sign encipher_only decipher_only").split()


def new_key(curve=ec.SECP256R1):
    return ec.generate_private_key(curve())


def point(key):
    return key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def der(certificate):
    return certificate.public_bytes(serialization.Encoding.DER)


def pem(certificate):
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def certify(subject, key, issuer, issuer_key, validity, serial=1, authority=None, path_length=None, usage=None,
            extensions=()):
    """Makes a certificate; `authority` is the CA flag (no basic constraints if None)."""
    name = lambda text: x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
    builder = x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer))
    builder = builder.public_key(key.public_key()).serial_number(serial)
    begin, end = (time.replace(tzinfo=None) for time in validity)
    builder = builder.not_valid_before(begin).not_valid_after(end)
    if authority is not None:
        builder = builder.add_extension(x509.BasicConstraints(authority, path_length), True)
    if usage is not None:
        builder = builder.add_extension(x509.KeyUsage(**{name: name in usage for name in USAGES}), True)
    for identifier, value in extensions:
        builder = builder.add_extension(x509.UnrecognizedExtension(x509.ObjectIdentifier(identifier), value), False)
    return builder.sign(issuer_key, hashes.SHA256())


def receipt(fields, signer_key, certificates, signed_attributes=False):
    """Makes a receipt: CMS SignedData over a SET of SEQUENCE {type, version, value}."""
    rows = (sequence(integer(number), integer(1), octets(value)) for number, value in fields)
    content = tlv(b"\x31", b"".join(rows))
    options = [pkcs7.PKCS7Options.Binary]
    if not signed_attributes:
        options.append(pkcs7.PKCS7Options.NoAttributes)
    builder = pkcs7.PKCS7SignatureBuilder().set_data(content)
    builder = builder.add_signer(certificates[0], signer_key, hashes.SHA256())
    for certificate in certificates[1:]:
        builder = builder.add_certificate(certificate)
    return builder.sign(serialization.Encoding.DER, options)


# CBOR


class Map(list):
    """A CBOR map as pairs, in the order in which they are written."""


class Form:
    """How CBOR is written: with longer lengths than needed, and with indefinite lengths, at random places."""

    def __init__(self, dice, long=False, indefinite=False):
        self.dice, self.long, self.indefinite = dice, long, indefinite

    def is_long(self):
        return self.long and self.dice.random() < 0.5

    def is_indefinite(self):
        return self.indefinite and self.dice.random() < 0.4


PLAIN = Form(None)


def head(major, value, form=PLAIN):
    major <<= 5
    if form.is_long():
        return bytes([major | 27]) + struct.pack(">Q", value)
    if value < 24:
        return bytes([major | value])
    if value < 256:
        return bytes([major | 24, value])
    if value < 65536:
        return bytes([major | 25]) + struct.pack(">H", value)
    return bytes([major | 26]) + struct.pack(">I", value)


def cbor(value, form=PLAIN):
    if isinstance(value, int):
        return head(0, value, form) if value >= 0 else head(1, -1 - value, form)
    if isinstance(value, (bytes, str)):
        major, data = (2, value) if isinstance(value, bytes) else (3, value.encode())
        if form.is_indefinite():
            cut = form.dice.randrange(len(data) + 1)
            chunks = [head(major, len(part)) + part for part in (data[:cut], data[cut:])]
            return bytes([major << 5 | 31]) + b"".join(chunks) + b"\xff"
        return head(major, len(data), form) + data
    major = 5 if isinstance(value, Map) else 4
    items = [item for pair in value for item in pair] if major == 5 else value
    body = b"".join(cbor(item, form) for item in items)
    if form.is_indefinite():
        return bytes([major << 5 | 31]) + body + b"\xff"
    return head(major, len(value), form) + body


# Signatures and tokens


def low_s(signature):
    r, s = utils.decode_dss_signature(signature)
    return r, min(s, P256_ORDER - s)


def other_s(signature):
    r, s = utils.decode_dss_signature(signature)
    return utils.encode_dss_signature(r, P256_ORDER - s)


def assertion(authenticator_data, signature):
    return cbor(Map([("signature", signature), ("authenticatorData", authenticator_data)]))


class Key:
    """An App Attest key: `identifier` is the SHA-256 of its `point`."""

    def __init__(self):
        self.private = new_key()
        self.point = point(self.private)
        self.identifier = sha(self.point)

    def sign(self, authenticator_data, client_data_hash, valid=True):
        nonce = sha(authenticator_data + client_data_hash)
        return self.private.sign(nonce if valid else b"another" + nonce, ec.ECDSA(hashes.SHA256()))

    def cose(self):
        return Map([(1, 2), (3, -7), (-1, 1), (-2, self.point[1:33]), (-3, self.point[33:])])


class Authority:
    """A synthetic root with one intermediate, and the attestations below it."""

    def __init__(self):
        begin = datetime.datetime(2026, 1, 1, tzinfo=UTC)
        self.validity = (begin, datetime.datetime(2027, 12, 1, tzinfo=UTC))
        self.root_key, self.key = new_key(ec.SECP384R1), new_key(ec.SECP384R1)
        self.root = certify("Root", self.root_key, "Root", self.root_key, self.validity, authority=True, usage=AUTHORITY_USAGE)
        self.intermediate = certify("CA 1", self.key, "Root", self.root_key, self.validity, serial=2, authority=True,
                                    path_length=0, usage=AUTHORITY_USAGE)
        self.root_pem = pem(self.root)

    def attest(self, key, app, client_data_hash, time, nonce_fits=True):
        """Makes an attestation of the time in milliseconds, without a receipt; its serial number is no clock."""
        auth_data = (sha(app.encode()) + b"\x40" + bytes(4) + b"appattest" + bytes(7) + struct.pack(">H", 32)
                     + key.identifier + cbor(key.cose()))
        nonce = sha(auth_data + client_data_hash) if nonce_fits else bytes(32)
        begin = datetime.datetime.fromtimestamp(time // 1000, UTC) - datetime.timedelta(days=1)
        leaf = certify(key.identifier.hex(), key.private, "CA 1", self.key, (begin, begin + datetime.timedelta(days=3)),
                       serial=77, authority=False, usage=SIGNING_USAGE,
                       extensions=[(APPLE + "8.2", sequence(explicit(1, octets(nonce))))])
        statement = Map([("x5c", [der(leaf), der(self.intermediate)]), ("receipt", b"none")])
        return cbor(Map([("fmt", "apple-appattest"), ("attStmt", statement), ("authData", auth_data)]))
