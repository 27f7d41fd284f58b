"""Compares the tokens that the program reads and finds with a second reading of records.md, on small random logs.

usage: records.py PROGRAM FIRST_SEED COUNT

Covers the default schema: kinds, encodings, repeated names, other platforms, and tokens that no rule reads (records.R14 to
R20, R24 to R44, R49, R52 to R55, R82, R83). A difference is printed with the smallest log that shows it, and the exit status is 1.
"""

import base64
import collections
import csv
import hashlib
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import minting

APP = "TEAM000001.com.example.a"
START = 1_790_000_000  # seconds
AMBIGUOUS, MISSING, ENCODING = ORDER = [
    "record.ambiguous_field", "record.missing_field", "record.bad_encoding"]
COMPARED = set(ORDER) | {"record.odd_encoding", "record.platform_mismatch", "record.malformed_json"}
BYTES = ("keyId", "token", "clientData", "clientDataHash")
TEXTS = ("challenge", "payload", "platform", "format")


class Node:
    """A value of JSON. `sort` is object, array, string, number or word; `text` is that of a string or number."""

    def __init__(self, value):
        self.members, self.items, self.text = [], [], b""
        if isinstance(value, Pairs):
            self.sort, self.members = "object", [(name.encode(), Node(part)) for name, part in value]
        elif isinstance(value, list):
            self.sort, self.items = "array", [Node(part) for part in value]
        elif isinstance(value, str):
            self.sort, self.text = "string", value.encode("utf-8", "surrogatepass")
        elif isinstance(value, Number):
            self.sort, self.text = "number", value.text.encode()
        else:
            self.sort = "null" if value is None else "word"


class Pairs(list):
    """The members of an object, in their order, repeated ones too."""


class Number:
    def __init__(self, text):
        self.text = text


def parse(data):
    """The value that a text is; None if it is not strict JSON."""
    try:
        return Node(json.loads(data, object_pairs_hook=Pairs, parse_int=Number, parse_float=Number))
    except (ValueError, RecursionError):
        return None


class Reject(Exception):
    def __init__(self, code):
        super().__init__(code)
        self.code = code


# Base64 (records.R33 to R38)

STANDARD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
VALUE = {code: place for place, code in enumerate(STANDARD)}
VALUE[0x2D], VALUE[0x5F] = 62, 63
HEX = re.compile(rb"(?:[0-9a-fA-F]{2})+")


def bits(codes):
    """Bytes of the values of six bits, whether the spare bits are zero; None for a single one."""
    if len(codes) % 4 == 1:
        return None
    number, size = 0, len(codes) * 6
    for code in codes:
        number = number << 6 | code
    spare = size % 8
    return (number >> spare).to_bytes(size // 8, "big"), number & ((1 << spare) - 1) == 0


def strict(text):
    """records.R33, R35: one alphabet, right padding or none, spare bits zero; None if it is not."""
    text = text.translate(None, b"\r\n\t").replace(b" ", b"+")
    bare = text.rstrip(b"=")
    padding = len(text) - len(bare)
    if padding and (padding > 2 or len(text) % 4):
        return None
    if re.search(rb"[+/]", bare) and re.search(rb"[-_]", bare):
        return None
    if any(code not in VALUE for code in bare):
        return None
    decoded = bits([VALUE[code] for code in bare])
    return decoded[0] if decoded and decoded[1] else None


def unpercent(text):
    return re.sub(rb"%([0-9a-fA-F]{2})", lambda m: bytes([int(m.group(1), 16)]), text)


def lenient(text, other_dropped, cut_wide, keep_single=False):
    """One reading of records.R34; None if a single character is left over."""
    codes, pads = [], 0
    for char in text.decode("utf-8", "surrogateescape"):
        code = ord(char)
        if code >= 0x80:
            if not cut_wide:
                continue
            code &= 0xFF
        if code == 0x3D:
            if len(codes) % 4 >= 2:
                pads += 1
                if len(codes) % 4 + pads >= 4:
                    break
            continue
        if code in VALUE and not (other_dropped and code in b"-_"):
            pads = 0
            codes.append(VALUE[code])
    if keep_single and len(codes) % 4 == 1:
        codes.pop()
    decoded = bits(codes)
    return decoded[0] if decoded else None


def readings(text, keep_single=False, drops=True):
    """All readings of records.R34 and R36 in the order in which they are tried."""
    forms, out = [], []
    # The program tries the text with percent signs dropped, too.
    for form in dict.fromkeys((unpercent(text), text)):
        forms += [form.replace(b" ", b"+"), form] if b" " in form else [form]
    for form in forms:
        for other_dropped in (False, True)[:1 + drops]:
            for cut_wide in (False, True):
                decoded = lenient(form, other_dropped, cut_wide, keep_single)
                if decoded is not None and decoded not in out:
                    out.append(decoded)
    return out


def skip_tags(data):
    """The bytes after CBOR tags, and whether there were tags."""
    at = 0
    while at < len(data) and data[at] >> 5 == 6:
        extra = data[at] & 31
        if extra > 27:
            break
        at += 1 + {24: 1, 25: 2, 26: 4, 27: 8}.get(extra, 0)
    return data[at:], at > 0


def begins_with_map(data):
    rest, _ = skip_tags(data)
    return bool(rest) and rest[0] >> 5 == 5 and rest[0] & 31 not in (28, 29, 30)


# Tokens (records.R52, R53, R82, R83)


def is_passkey(data):
    """records.R53: an attestation object of another format (no log has Apple's leaf in one)."""
    match = re.search(rb"cfmt(?=[\x60-\x78])", data)
    if not match:
        return False
    name = cbor_text(data, match.end())
    # One that is cut does not decode, and counts.
    return name in (b"none", b"packed") and len(data.partition(b"hauthDataX<")[2]) == 60


def heads(data):
    """records.R53: the kind as which bytes begin, or None."""
    rest, _ = skip_tags(data)
    if not rest or rest[0] not in (0xA2, 0xA3, 0xA4, 0xB8, 0xB9, 0xBA, 0xBB, 0xBF):
        return None
    at = 1
    size = rest[0] & 31
    if rest[0] == 0xBF:
        size = None
    elif size >= 24:
        at += 1 << (size - 24)
        size = int.from_bytes(rest[1:at], "big")
    name = cbor_text(rest, at)
    if name in (b"fmt", b"attStmt", b"authData") and size in (2, 3, 4, None):
        return None if is_passkey(rest) else "attestation"
    if name in (b"signature", b"authenticatorData") and size in (2, 3, 4, None):
        return "assertion"
    if name == b"cdHash" and size in (3, 4):
        return "assertion"
    return None


def cbor_text(data, at):
    if at >= len(data) or data[at] >> 5 != 3:
        return None
    size, begin = data[at] & 31, at + 1
    if 24 <= size <= 27:
        width = 1 << (size - 24)
        size, begin = int.from_bytes(data[begin:begin + width], "big"), begin + width
    return data[begin:begin + size]


def certainly_other(raw):
    """records.R32 for all readings of a token."""
    for data in raw:
        if b"authData" in data or b"authenticatorData" in data:
            return False
        rest, _ = skip_tags(data)
        if rest and rest[0] >> 5 == 5 and re.search(rb"authData|authenticatorData", rest):
            return False
    return True


def bytes_of(node):
    """records.R82: an array of numbers or a Buffer as bytes; None if it is neither."""
    if node.sort == "object":
        members = dict(node.members)
        if set(members) != {b"type", b"data"} or len(node.members) != 2:
            return None
        if members[b"type"].text != b"Buffer":
            return None
        node = members[b"data"]
    if node.sort != "array":
        return None
    if any(i.sort != "number" for i in node.items):
        return None
    numbers = [float(i.text) for i in node.items]
    if any(number % 1 or not 0 <= number <= 255 for number in numbers):
        return None
    return bytes(int(number) for number in numbers)


def is_copy(token, data):
    """records.R83; a cut copy is one, too (the documentation says so)."""
    return data == token or len(data) < len(token) and token.startswith(data[:-1])


class Search:
    """records.R52: tokens anywhere in a value, as (pointer, readings)."""

    RUN = re.compile(rb"[A-Za-z0-9+/_-]{12,}={0,2}")

    def __init__(self):
        self.found = []

    def node(self, node, pointer, isFixed=False):
        if isFixed:
            inner = Search()
            inner.node(node, "")
            self.found += [(pointer, options) for _, options in inner.found]
            return
        if node.sort == "string":
            self.text(node.text, pointer, 3)
            return
        data = bytes_of(node)
        if data is not None and heads(data):
            self.found.append((pointer, [data]))
        for name, value in node.members:
            part = name.replace(b"~", b"~0").replace(b"/", b"~1").decode("utf-8", "replace")
            self.text(name, pointer + "/" + part, 3)
            self.node(value, pointer + "/" + part)
        for place, value in enumerate(node.items):
            self.node(value, f"{pointer}/{place}")

    def text(self, text, pointer, levels):
        if heads(text):
            return
        isJSON = text.lstrip()[:1] in (b"{", b"[", b'"')
        inner = parse(text.decode("utf-8", "replace")) if isJSON else None
        if inner is not None:
            if inner.sort == "string":
                self.text(inner.text, pointer, levels)
            else:
                # A pointer does not go on in what was encoded.
                self.node(inner, pointer, levels < 3)
            return
        whole = [data for data in readings(text, True) if heads(data)]
        if whole:
            self.found.append((pointer, whole))
            return
        for run in self.RUN.findall(text):
            bare = run.rstrip(b"=")
            for form in {bare, bare[2:] if bare[:2].lower() == b"0x" else bare, bare.lstrip(b"x")}:
                form = form[:len(form) // 2 * 2]
                if re.fullmatch(HEX, form) and heads(bytes.fromhex(form.decode())):
                    self.add(pointer, bytes.fromhex(form.decode()))
            decoded = lenient(run, False, False, True)
            if decoded and heads(decoded):
                self.add(pointer, decoded)
            elif decoded and levels > 0:
                self.text(decoded, pointer, levels - 1)
        if levels > 0 and re.search(rb"%[0-9a-fA-F]{2}", text):
            self.text(unpercent(text), pointer, levels - 1)

    def add(self, pointer, data):
        self.found.append((pointer, [data]))


# Fields


def decode(node, field, encoding="auto"):
    """The bytes of a field and whether its encoding is """
    if node.sort in ("array", "object"):
        data = bytes_of(node)
        if data is None:
            raise Reject(MISSING)
        check_length(field, data)
        return data, True
    if node.sort != "string":
        raise Reject(MISSING)
    text = node.text
    fits = {"keyId": lambda data: len(data) == 32, "token": begins_with_map,
            "clientData": lambda data: True,
            "clientDataHash": lambda data: 16 <= len(data) <= 255}[field]
    if field == "keyId" and len(text) == 64 and HEX.fullmatch(text):
        return bytes.fromhex(text.decode()), False
    if field == "clientDataHash" and len(text) >= 32 and HEX.fullmatch(text):
        data = bytes.fromhex(text.decode())
        check_length(field, data)
        return data, False
    prefix = re.match(rb"0x|\\\\x|\\x", text)
    digits = text[prefix.end():] if prefix else text
    isHex = HEX.fullmatch(digits)
    plain = strict(text)
    if plain is not None and fits(plain) and not (prefix and isHex):
        return plain, False
    if isHex:
        data = bytes.fromhex(digits.decode())
        if fits(data):
            return data, True
    # records.R34, 6 names keyId and token only.
    options = readings(text, drops=field in ("keyId", "token"))
    good = [data for data in options if fits(data)]
    if field == "token":
        sure = [d for d in good if b"authData" in d or b"authenticatorData" in d]
        good = sure + good
        if plain is not None and not good:
            return plain, False
    if good:
        return good[0], True
    raise Reject(ENCODING)


def check_length(field, data):
    isHash = field == "clientDataHash"
    if field == "keyId" and len(data) != 32 or isHash and not 16 <= len(data) <= 255:
        raise Reject(ENCODING)


class Item:
    """What the reports say of a line: `verdict` is record, challenge, unreadable or skipped."""

    def __init__(self, verdict):
        self.verdict, self.kind, self.key, self.hash, self.token = verdict, None, None, None, None
        self.codes, self.shape = set(), None


def pick(root, name):
    """The member of an object, or None, and whether it is ambiguous (records.R43, R44)."""
    found = [value for key, value in root.members if key == name]
    alike = [key for key, _ in root.members if key.lower() == name.lower()]
    return (found or [None])[0], bool(found) and len(alike) > 1


def read(line):
    """What a line is, by the default schema."""
    root = parse(line)
    search = Search()
    search.node(root, "")
    item = record(root)
    if item.verdict == "skipped" and search.found:
        names = sorted({name for name, _ in root.members})
        item.shape = b",".join(names).decode("utf-8", "replace")
    if item.verdict in ("record", "challenge"):
        used = "/token" if item.token else None
        further = [pointer for pointer, options in search.found if pointer != used and not (
            item.token and any(is_copy(item.token, data) for data in options))]
        if further:
            item.shape = "default:" + further[0]
    return item


def record(root):
    values, faults = {}, set()
    for name in ("time", "kind", "decision") + BYTES + TEXTS:
        value, isAmbiguous = pick(root, name.encode())
        values[name] = None if value is None or value.sort == "null" else value
        if isAmbiguous:
            faults.add(AMBIGUOUS)
    has = lambda name: values[name] is not None
    isOther = names_other(values)
    if not faults and isOther and (not has("token") or certainly_other(all_readings(values["token"]))):
        return Item("skipped")
    kind = values["kind"].text.decode() if has("kind") else infer(root, has)
    if kind == "challenge" and has("token"):
        faults.add(AMBIGUOUS)
    if kind in ORDER:
        faults.add(kind)
    item = Item("challenge" if kind == "challenge" else "record")
    item.kind = kind
    fields(item, values, has, faults)
    if faults:
        rejected = Item("unreadable")
        rejected.codes = {min(faults, key=ORDER.index)}
        return rejected
    if isOther:
        item.codes.add("record.platform_mismatch")
    return item


def infer(root, has):
    """records.R28."""
    if has("token") and has("challenge"):
        return AMBIGUOUS if has("payload") else "attestation"
    if has("token") and (has("payload") or has("clientData") or has("clientDataHash")):
        return "assertion"
    five = (b"keyid", b"token", b"decision", b"platform", b"format")
    isIssued = has("challenge") and not any(name.lower() in five for name, _ in root.members)
    return "challenge" if isIssued else MISSING


def names_other(values):
    return any(values[name] and values[name].sort == "string" and values[name].text.lower() != own
               for name, own in (("platform", b"ios"), ("format", b"apple-app-attest")))


def all_readings(node):
    """All bytes that a token can be (records.R32)."""
    if node.sort != "string":
        data = bytes_of(node)
        return [] if data is None else [data]
    plain = strict(node.text)
    digits = re.sub(rb"^(0x|\\\\x|\\x)", b"", node.text)
    return (readings(node.text, True) + ([] if plain is None else [plain])
            + ([bytes.fromhex(digits.decode())] if HEX.fullmatch(digits) else []))


def fields(item, values, has, faults):
    """Decodes the fields of a line into its item."""
    decoded, isOdd = {}, False
    for name in BYTES:
        if not has(name):
            continue
        try:
            decoded[name], wasOdd = decode(values[name], name)
            isOdd = isOdd or wasOdd
            if name == "token" and item.kind != "challenge":
                isOdd = isOdd or skip_tags(decoded[name])[1] and begins_with_map(decoded[name])
        except Reject as fault:
            faults.add(fault.code)
    for name in TEXTS:
        if has(name) and values[name].sort != "string":
            faults.add(MISSING)
    if not has("time"):
        faults.add(MISSING)
    if item.kind in ("attestation", "assertion") and not (has("token") and has("keyId")):
        faults.add(MISSING)
    text = values["payload" if item.kind == "assertion" else "challenge"]
    data = text.text if text else None
    recorded = None
    if item.kind in ("attestation", "assertion"):
        other, recorded = decoded.get("clientData"), decoded.get("clientDataHash")
        if data is not None and other is not None and data != other:
            faults.add(AMBIGUOUS)
        data = other if data is None else data
        item.key, item.token = decoded.get("keyId"), decoded.get("token")
    if data is not None:
        item.hash = hashlib.sha256(data).digest()
    elif recorded is not None:
        item.hash = recorded
    elif item.kind not in ORDER and not (has("clientData") or has("clientDataHash")):
        faults.add(MISSING)
    if isOdd:
        item.codes.add("record.odd_encoding")


# Logs


def js(text, dice=None):
    """A JSON string, with escapes at random."""
    if dice is None or dice.random() < 0.8:
        return json.dumps(text, ensure_ascii=dice is None or dice.random() < 0.5).encode()
    out = []
    for char in text:
        code = ord(char)
        if dice.random() < 0.1 and code < 0x10000:
            out.append("\\u%04x" % code if dice.random() < 0.5 else "\\u%04X" % code)
        elif char == "/" and dice.random() < 0.3:
            out.append("\\/")
        else:
            out.append(json.dumps(char, ensure_ascii=False)[1:-1])
    return ('"' + "".join(out) + '"').encode("utf-8")


def encoded(data, dice, forms=None):
    """A JSON value for bytes: base64 in many forms, hex, arrays."""
    standard = base64.b64encode(data).decode()
    form = dice.choice(forms or ["plain"] * 6 + [
        "url", "bare", "urlbare", "space", "lines", "hex", "HEX", "0x", "\\x", "\\\\x", "array",
        "buffer", "mixed", "percent", "junk", "spare", "after", "tab", "bmp", "pad", "single",
        "eq", "blank", "cut", "percent-all"])
    url = base64.urlsafe_b64encode(data).decode()
    bare = standard.rstrip("=")
    place = dice.randrange(len(bare) + 1)
    insert = lambda text: bare[:place] + text + standard[place:]
    text = {
        "plain": standard, "url": url, "bare": bare, "urlbare": url.rstrip("="),
        "space": standard.replace("+", " "), "lines": insert("\r\n"), "tab": insert("\t"),
        "hex": data.hex(), "HEX": data.hex().upper(), "0x": "0x" + data.hex(),
        "\\x": "\\x" + data.hex(), "\\\\x": "\\\\x" + data.hex(), "mixed": bare.replace("+", "-"),
        "percent": standard.replace("+", "%2B").replace("=", "%3D").replace("/", "%2f"),
        "percent-all": "".join("%%%02x" % ord(c) for c in standard),
        "junk": insert(dice.choice("!*.~\u00e9\u0141#")), "spare": bare, "bmp": insert("\u0141"),
        "after": standard + dice.choice(["AAAA", "\n", " ", "=", "=AAAA", "%", "."]),
        "pad": bare + "=" * dice.randrange(4), "single": bare + "A", "eq": insert("="),
        "blank": insert(" "), "cut": standard[:place]}.get(form)
    if form == "spare" and len(bare) % 4:
        last = VALUE[ord(bare[-1])]
        text = bare[:-1] + chr(STANDARD[last | 1])
    if form == "array":
        return json.dumps(list(data)).encode()
    if form == "buffer":
        return json.dumps({"type": "Buffer", "data": list(data)}).encode()
    return js(text, dice)


class World:
    """Keys and tokens."""

    def __init__(self, seed):
        dice = random.Random(seed)
        self.authority = minting.Authority()
        self.keys = [minting.Key() for _ in range(3)]
        self.attestations = []
        for key in self.keys:
            challenge = "c%031x" % dice.getrandbits(124)
            token = self.authority.attest(key, APP, minting.sha(challenge.encode()), START * 1000)
            self.attestations.append((key, challenge, token))

    def token(self, dice, data_hash=b""):
        counter = dice.getrandbits(31)
        auth = minting.sha(APP.encode()) + b"\x40" + counter.to_bytes(4, "big")
        r, s = dice.getrandbits(200), dice.getrandbits(200)
        signature = minting.utils.encode_dss_signature(r, s)
        pairs = [("signature", signature), ("authenticatorData", auth)]
        if dice.random() < 0.1:
            pairs.reverse()
        token = minting.cbor(minting.Map(pairs))
        if dice.random() < 0.04:
            token = dice.choice([b"\xd9\xd9\xf7", b"\xc1", b"\xd8\x2a"]) + token
        return token


class Draw:
    """Draws lines; `spice` says how odd they are."""

    def __init__(self, dice, world, spice):
        self.dice, self.world, self.spice = dice, world, spice

    def chance(self, share):
        return self.dice.random() < share * self.spice

    def forms(self):
        return ["plain"] if not self.spice or self.dice.random() < 0.5 else None

    def base(self):
        """The members of a record, as (name, value)."""
        dice = self.dice
        kind = dice.choice(["assertion"] * 5 + ["attestation", "challenge", "health"])
        members = [("time", b"%d" % (START + dice.randrange(100000)))]
        if kind == "health":
            return members + [("check", js("health"))]
        if dice.random() < 0.5:
            members.append(("kind", js(kind)))
        text = dice.choice(["payload %d", "p\u00e9 \U0001f511%d"]) % dice.getrandbits(80)
        if kind == "attestation":
            key, text, token = dice.choice(self.world.attestations)
            members.append(("keyId", encoded(key.identifier, dice, self.forms())))
            members.append(("token", encoded(token, dice, self.forms())))
        if kind != "assertion":
            members.append(("challenge", js(text, dice)))
        else:
            members.append(("keyId", encoded(dice.randbytes(32), dice, self.forms())))
            members.append(("token", encoded(self.world.token(dice), dice, self.forms())))
            members += self.client_data(text)
        for name, words in (("platform", ["ios", "iOS", "android", "web", ""]), ("decision", ["accepted", "rejected"]),
                            ("format", ["apple-app-attest", "Apple-App-Attest", "play-integrity"])):
            if kind != "challenge" and dice.random() < 0.15:
                members.append((name, js(dice.choice(words))))
        return members

    def client_data(self, text):
        dice, data, members = self.dice, text.encode(), []
        way = dice.randrange(6)
        if way < 4:
            members.append(("payload", js(text, dice)))
        if way in (3, 4):
            other = data if dice.random() < 0.7 else data + b"!"
            members.append(("clientData", encoded(other, dice, self.forms())))
        if way in (2, 5):
            value = dice.choice([minting.sha(data), dice.randbytes(dice.choice([15, 16, 20, 32, 255, 256]))])
            members.append(("clientDataHash", encoded(value, dice, self.forms() or ["hex"])))
        return members

    def line(self):
        dice = self.dice
        members = self.base()
        if self.chance(0.1) and len(members) > 1:
            members.pop(dice.randrange(len(members)))
        if self.chance(0.08):
            name, value = dice.choice(members)
            members.append((name, dice.choice([value, b"null"])))
        if self.chance(0.08):
            name, value = dice.choice(members)
            members.append((dice.choice([name.upper(), name.capitalize(), name + " "]),
                            dice.choice([value, b"null", b"1"])))
        if self.chance(0.3):
            members.append(self.further(members))
        if dice.random() < 0.2:
            members.append(("x%d" % dice.randrange(3), dice.choice(
                [b"1", b"[1,{}]", b'{"a":"b"}', b'"\\"{"', b'"[]"', b"1e5", b"-0.0", b"false"])))
        if self.chance(0.3):
            dice.shuffle(members)
        joint = dice.choice([b",", b", ", b" , "])
        return b"{" + joint.join(json.dumps(n).encode() + b":" + v for n, v in members) + b"}"

    def further(self, members):
        """A member with a token that no rule reads, or a copy of one that is read."""
        dice, world = self.dice, self.world
        name = dice.choice(["body", "x-a", "Token", "a/b", "a~b", "", "\u00e9"])
        own = [value for key, value in members if key == "token"]
        if own and dice.random() < 0.3:
            return name, own[0]
        token = dice.choice([world.token(dice), world.attestations[0][2]])
        text = base64.b64encode(token).decode()
        way = dice.randrange(14)
        if way == 0:
            return name, js(text)
        if way == 1:
            return name, js(text.replace("+", "-").replace("/", "_").rstrip("="))
        if way == 2:
            return name, js(token.hex())
        if way == 3:
            return name, json.dumps(list(token)).encode()
        if way == 4:
            return name, js("AppAttest " + text + dice.choice([" x", ";", ""]))
        if way == 5:
            return name, js(json.dumps({"t": text, "u": 1}))
        if way == 6:
            return name, json.dumps({"deep": [{"er": text}]}).encode()
        if way == 7:
            return name, js("a=" + text.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D"))
        if way == 8:
            return name, js(base64.b64encode(text.encode()).decode())
        if way == 9:
            return name, js("X-A: " + text + "\r\nB: c\r\n")
        if way == 10:
            return name, js(json.dumps({"b": json.dumps({"c": [text]})}))
        if way == 11:
            return name, json.dumps({"type": "Buffer", "data": list(token)}).encode()
        if way == 12:
            return text, b"1"
        passkey = minting.Map([("fmt", dice.choice(["none", "packed"])),
                               ("attStmt", minting.Map([])), ("authData", dice.randbytes(60))])
        return name, js(base64.b64encode(minting.cbor(passkey)).decode())


# The program


def run(program, folder, content, root):
    """Audits one file, and returns its verdicts and findings."""
    path, out = os.path.join(folder, "log.jsonl"), os.path.join(folder, "report")
    with open(path, "wb") as file:
        file.write(content)
    with open(f"{folder}/root.pem", "w") as file:
        file.write(root)
    result = subprocess.run(
        [program, "audit", path, "--app-id", APP, "--trust-anchor", f"{folder}/root.pem", "--receipts", "ignore",
         "--out", out, "--overwrite", "--verdicts", "--quiet", "--log-level", "error", "--jobs", "1"],
        capture_output=True, text=True, timeout=120)
    if result.returncode not in (0, 1, 2):
        raise SystemExit(f"status {result.returncode}: {result.stderr}")
    table = subprocess.run(["zstd", "-dc", f"{out}/verdicts.csv.zst"], capture_output=True, timeout=60).stdout.decode()
    with open(f"{out}/findings.jsonl", encoding="utf-8") as file:
        findings = [json.loads(text) for text in file]
    return list(csv.DictReader(io.StringIO(table, newline=""))), findings


def compare(program, folder, lines, root):
    """Returns the differences as {line: [text]}."""
    verdicts, findings = run(program, folder, b"".join(line + b"\n" for line in lines), root)
    theirs = {int(row["line"]): row for row in verdicts}
    out, shapes = collections.defaultdict(list), {}
    for number, line in enumerate(lines, 1):
        item, row = read(line), theirs.get(number, {})
        verdict = row.get("verdict", "none")
        if verdict in ("valid", "flagged", "failed", "unverifiable"):
            verdict = "record"
        mine = {"verdict": item.verdict}
        if item.verdict in ("record", "challenge"):
            mine.update(kind=item.kind, key_id=item.key.hex() if item.key else "",
                        client_data_hash=item.hash.hex() if item.hash else "")
        found = {name: verdict if name == "verdict" else row.get(name) for name in mine}
        if found != mine:
            out[number].append(f"{found} {row.get('codes')} {row.get('detail')}, not {mine} {item.codes}")
        codes = {f["code"] for f in findings if f["line"] == number} & COMPARED
        if codes != item.codes:
            out[number].append(f"{codes}, not {item.codes}")
        if item.shape is not None and len(item.shape) < 200:
            shapes.setdefault(item.shape, []).append(number)
    compare_shapes(findings, shapes, out)
    return out


def compare_shapes(findings, shapes, out):
    """records.R54, R55: the shape is in the fingerprint."""
    theirs = {f["fingerprint"]: f for f in findings if f["code"] == "record.not_audited"}
    for shape, numbers in shapes.items():
        parts = b"\0".join([b"record.not_audited", b"log.jsonl", shape.encode()])
        other = theirs.pop(hashlib.sha256(parts).hexdigest()[:16], None)
        if other is None:
            out[numbers[0]].append(f"not audited, shape {shape!r}, lines {numbers}: not reported")
        elif (other["line"], other["count"]) != (numbers[0], len(numbers)):
            out[numbers[0]].append(f"not audited {shape!r}: {other['line']}, {other['count']}, not {numbers}")
    for other in theirs.values():
        if "\u2026" not in other["detail"]:  # A long name is not wholly in the detail.
            out[other["line"]].append(f"not audited, only the program: {other['count']} {other['detail']}")


def main():
    program, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    world = World(1)
    root = world.authority.root_pem
    for seed in range(first, first + count):
        dice = random.Random(seed)
        draw = Draw(dice, world, dice.choice([0, 0.5, 1, 1, 2]))
        lines = [draw.line() for _ in range(60)]
        with tempfile.TemporaryDirectory() as folder:
            differences = compare(program, folder, lines, root)
            if not differences:
                continue
            number = min(differences)
            alone = compare(program, folder, [lines[number - 1]], root)
        print(f"seed {seed}, line {number}: {(alone or differences)[1 if alone else number]}")
        print(lines[number - 1])
        raise SystemExit(1)
    print(f"{count} logs, no difference")


if __name__ == "__main__":
    main()
