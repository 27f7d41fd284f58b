"""Compares the program's checks with a second reading of verification.md, on random attestations and assertions.

usage: verification.py PROGRAM FIRST_SEED LAST_SEED

Each token is drawn with some of its parts wrong. The codes and the verdict that follow are written here from the page
alone, and must be those of the program's verdicts. What is found across records is left to detection.py.
"""

import base64
import csv
import datetime
import io
import json
import random
import struct
import subprocess
import sys
import tempfile

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

import minting
from minting import APPLE, UTC, Map, certify, cbor, der, explicit, integer, octets, sequence, sha

APPS = ["TEAM000001.com.example.a", "TEAM000001.com.example.b"]
START = datetime.datetime(2026, 9, 1, 12, tzinfo=UTC)
CATEGORIES = {"os": 1, "testFlight": 2, "development": 3, "appStore": 4, "enterprise": 5, "developerID": 6, "other": 10}
ENVIRONMENTS = {"production": b"appattest" + bytes(7), "development": b"appattestdevelop", "neither": b"appattestdeveloX"}
ACCESS_CONTROL = {  # facts.R36
    "mac": "MEAMAjExMDowCQwCb2uhAwEB/zAJDAJvYaEDAQH/MAsMBG9kZWyhAwEB/zAVDARvc2duoAYMBHJzZWMwBaYDAgEB",
    "phone": "MEMMAjExMD0wCgwDb2tkoQMBAf8wCQwCb2GhAwEB/zALDARvc2duoQMBAf8wCwwEb2RlbKEDAQH/MAoMA29ja6EDAQH/",
}
HASHES = [sha(b"one"), sha(b"one")[:20], sha(b"one")[:19], sha(b"one")[:20] + bytes(12), sha(b"two")]
FORGIVEN = {  # R20
    "attestation.receipt_invalid", "attestation.time_disagrees", "attestation.category_mismatch",
    "attestation.code_mismatch", "record.client_data_hash_mismatch", "record.client_data_lossy", "record.odd_encoding",
}


def around(before, after):
    return START - datetime.timedelta(days=before), START + datetime.timedelta(days=after)


def is_within(moment, validity):
    """R3: in whole seconds, the first and the last second included."""
    return int(validity[0].timestamp()) <= moment // 1000 <= int(validity[1].timestamp())


def milliseconds(time):
    return round(time.timestamp() * 1000)


class Authorities:
    """The certificates that attestations and receipts of one run are made with."""

    def __init__(self):
        self.roots, self.middle, self.signer_time = around(400, 400), around(300, 40), around(20, 30)
        roots, middle = self.roots, self.middle
        root, other, self.key, self.deep_key = (minting.new_key(ec.SECP384R1) for _ in range(4))
        authority = {"authority": True, "usage": minting.AUTHORITY_USAGE}
        self.root = certify("Root", root, "Root", root, roots, **authority)
        self.other_root = certify("Root", other, "Root", other, roots, **authority)
        below = lambda **what: certify("CA 1", self.key, "Root", root, middle, **what)
        good, wide = below(path_length=0, **authority), below(**authority)
        deep = certify("CA 2", self.deep_key, "CA 1", self.key, middle, **authority)
        another = certify("CA 1", self.key, "Root", other, middle, **authority)
        # x5c after the leaf, and whether it leads to the anchor (R6).
        self.chains = {
            "good": ([good], True), "any order": ([another, good], True), "twice": ([good, good], True),
            "with root": ([good, self.root], True), "two levels": ([wide, deep], True),
            "another root": ([another], False), "its root beside it": ([self.other_root, another], False),
            "no authority": ([below(authority=False)], False), "no constraints": ([below()], False),
            "no usage": ([below(authority=True, usage=minting.SIGNING_USAGE)], False),
            "too deep": ([deep, good], False), "another issuer": ([good], False),
        }
        receipt_root, receipt_key, self.signer_key = minting.new_key(), minting.new_key(), minting.new_key()
        self.receipt_root = certify("Receipts", receipt_root, "Receipts", receipt_root, roots, **authority)
        between = certify("CA 5", receipt_key, "Receipts", receipt_root, middle, **authority)
        marked = lambda extensions: certify("Signer", self.signer_key, "CA 5", receipt_key, self.signer_time,
                                            usage=minting.SIGNING_USAGE, extensions=extensions)
        self.signers = {
            "good": [marked([(APPLE + "12.15", b"\x05\x00")]), between], "unmarked": [marked([]), between],
        }


class Draw:
    """Draws values, most of them right."""

    def __init__(self, seed, clean=False):
        self.dice, self.clean = random.Random(seed), clean

    def wrong(self, share, right, *others):
        """Returns one of `others` in that share of draws, otherwise `right`."""
        return self.dice.choice(others) if not self.clean and self.dice.random() < share else right

    def build(self):
        """Draws what the system saw of the app: code hash, bundle version and category (facts.R8)."""
        if self.clean or self.dice.random() < 0.4:
            return {}
        build = {}
        if self.dice.random() < 0.7:
            build["hash"] = self.dice.choice(HASHES)
        if self.dice.random() < 0.8:
            build["version"] = self.dice.choice(["7.1", "7.10", "7.9", "8", "7", "6.9", "8.0", "7.1b"])
        if self.dice.random() < 0.8:
            build["category"] = self.dice.choice([*range(12), 255])
        return build

    def policy(self):
        policy = {"environments": self.dice.choice([["production"], ["production", "development"]])}
        if self.dice.random() < 0.5:
            policy["categories"] = self.dice.sample(sorted(CATEGORIES), self.dice.randrange(1, 5))
        if self.dice.random() < 0.5:
            policy["bundleVersions"] = self.dice.sample(["7.1", ">=7.1", "<8", ">=7.2 <8", "8"], self.dice.randrange(1, 3))
        if self.dice.random() < 0.4:
            policy["codeHashes"] = [self.dice.choice([HASHES[0], HASHES[1], HASHES[4]]).hex()]
        if self.dice.random() < 0.3:
            policy["requires"] = self.dice.sample(["category", "bundleVersion", "codeHash"], self.dice.randrange(1, 3))
        return policy

    def form(self):
        return minting.Form(self.dice, long=self.dice.random() < 0.2, indefinite=self.dice.random() < 0.2)

    def text(self, name):
        return f"{name}-{self.dice.getrandbits(120):030x}" + self.wrong(0.06, "", "\ufffd")


def signed_map(build):
    names = {"hash": "apple_cd_hash_hash_01", "version": "apple_bundle_version_01", "category": "apple_validation_category_01"}
    value = lambda name: struct.pack("<I", build[name]) if name == "category" else build[name]
    return cbor(Map((text, value(name)) for name, text in names.items() if name in build))


# R40: versions


def parts(version):
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in version.split(".")]


def compare_versions(left, right):
    left, right = parts(left), parts(right)
    size = max(len(left), len(right))
    left, right = (side + [(0, 0, "")] * (size - len(side)) for side in (left, right))
    return (left > right) - (left < right)


def is_listed(version, entry):
    if entry[0] not in "<>=":
        return version == entry
    for bound in entry.split():
        operator = bound[: 2 if bound[1] == "=" else 1]
        order = compare_versions(version, bound[len(operator):])
        if not {">=": order >= 0, "<=": order <= 0, ">": order > 0, "<": order < 0}[operator]:
            return False
    return True


def build_codes(kind, build, policy):
    """R15, R37: what the app's policy says of the build."""
    codes, requires = set(), policy.get("requires", [])
    category, version, code = build.get("category"), build.get("version"), build.get("hash")
    wrong = (category is None and "category" in requires) or category in (0, 7, 8, 9)
    if category is not None and "categories" in policy:
        wrong |= category not in [CATEGORIES[name] for name in policy["categories"]]
    wrong |= version is None and "bundleVersion" in requires
    if version is not None and "bundleVersions" in policy:
        wrong |= not any(is_listed(version, entry) for entry in policy["bundleVersions"])
    if wrong:
        codes.add(kind + ".category_mismatch")
    listed = [bytes.fromhex(text) for text in policy.get("codeHashes", [])]
    same = lambda one: len(code) in (20, 32) and code[:20] == one[:20] and (len(code) != len(one) or code == one)
    if (code is None and "codeHash" in requires) or (code is not None and listed and not any(map(same, listed))):
        codes.add(kind + ".code_mismatch")
    return codes


class Line:
    """A record, and the codes and the verdict that it must have."""

    def __init__(self, kind, fields, drawn):
        self.kind, self.fields, self.drawn = kind, {"kind": kind, **fields}, drawn
        self.codes = set()

    def fail(self, name, if_true=True):
        if if_true:
            self.codes.add(f"{self.kind}.{name}")

    @property
    def verdict(self):
        if any(code.startswith(self.kind) or code == "record.client_data_hash_mismatch" for code in self.codes):
            return "failed"
        return "unverifiable" if "record.client_data_lossy" in self.codes else "valid"


def finish_token(draw, token, line, form):
    """Encodes a token's map, at times with tags before it, left-over bytes or a key twice (R29 to R31)."""
    malformed = draw.wrong(0.05, None, "twice", "more", "less")
    if malformed == "twice":
        token.append(token[0])
    data = cbor(token, form)
    if malformed == "more":
        data += b"\0"
    if malformed == "less":
        data = data[:-1]
    tags = draw.wrong(0.05, b"", b"\xd9\xd9\xf7", b"\xc1", b"\xd8\x18")
    if tags:
        line.codes.add("record.odd_encoding")
    line.fields["token"] = base64.b64encode(tags + data).decode()
    return malformed is not None


def cose_key(draw, key):
    """Returns a COSE key, and whether it is the leaf's (R10)."""
    x, y = key.point[1:33], key.point[33:]
    pairs = dict(key.cose())
    case = draw.wrong(0.15, "right", "another", "off the curve", "algorithm", "type", "curve", "short", "more", "order")
    if case == "another":
        pairs[-2], pairs[-3] = (lambda point: (point[1:33], point[33:]))(minting.Key().point)
    if case == "off the curve":
        pairs[-3] = bytes([y[0] ^ 1]) + y[1:]
    for name, member, value in (("algorithm", 3, -35), ("type", 1, 3), ("curve", -1, 2), ("more", -70000, b"x")):
        if case == name:
            pairs[member] = value
    if case == "short":
        pairs[-2] = x[1:]
    pairs = Map(reversed(pairs.items()) if case == "order" else pairs.items())
    is_right = case in ("right", "more", "order") or (case == "short" and x[0] == 0)
    return cbor(pairs), is_right, case


def draw_receipt(draw, authorities, app, leaf, client_data_hash, environment, created):
    """Returns a receipt (None if it is absent), and how it is wrong."""
    case = draw.wrong(0.35, "right", "absent", "empty", "app", "certificate", "hash", "type", "environment", "time",
                      "no intermediate", "unmarked", "content", "signed attributes", "no environment", "not CMS")
    if case in ("absent", "empty", "not CMS"):
        return {"absent": None, "empty": b"", "not CMS": bytes(40)}[case], case
    name = {"production": "production", "development": "sandbox", "neither": "production"}[environment]
    if case == "environment":
        name = "sandbox" if name == "production" else "production"
    time = created.strftime("%Y-%m-%dT%H:%M:%S.") + f"{created.microsecond // 1000:03d}Z"
    fields = [(2, b"TEAM000001.com.example.z" if case == "app" else app.encode()),
              (3, der(authorities.root) if case == "certificate" else leaf),
              (4, sha(b"another") if case == "hash" else client_data_hash), (5, b"token"),
              (6, b"RECEIPT" if case == "type" else b"ATTEST"), (7, name.encode()),
              (12, b"yesterday" if case == "time" else time.encode())]
    if case == "no environment":
        del fields[5]
    certificates = authorities.signers["unmarked" if case == "unmarked" else "good"]
    if case == "no intermediate":
        certificates = certificates[:1]
    data = minting.receipt(fields, authorities.signer_key, certificates, signed_attributes=case == "signed attributes")
    return (data.replace(b"\x04\x05token", b"\x04\x05tokeN") if case == "content" else data), case


def draw_attestation(draw, authorities, policies):
    dice, key = draw.dice, minting.Key()
    created = START + datetime.timedelta(milliseconds=dice.randrange(86_400_000))
    days = 86_400
    late = draw.wrong(0.3, dice.randrange(60), -301, -300, -299.5, 0, days - 1, days, days + 1, -5 * days, 2 * days,
                      29 * days, 35 * days, 45 * days)
    time = created + datetime.timedelta(seconds=late)
    moment = milliseconds(time)
    begin = (created - datetime.timedelta(days=1)).replace(microsecond=0)
    validity = begin, begin + datetime.timedelta(days=draw.wrong(0.2, dice.choice([3, 200, 400]), 1))
    app = dice.choice(APPS)
    token_app = draw.wrong(0.1, app, *APPS, "TEAM000001.com.example.z")
    named = draw.wrong(0.05, dice.choice([None, app]), "TEAM000001.com.example.z")
    challenge = draw.text("challenge")
    client_data_hash = sha(challenge.encode())

    # authData
    build, environment = draw.build(), draw.wrong(0.25, "production", "development", "neither")
    counter = draw.wrong(0.05, 0, 1, 2**32 - 1)
    credential = draw.wrong(0.06, key.identifier, sha(b"x"), key.identifier[:31], key.identifier + b"\0", b"")
    cose, is_cose_right, cose_case = cose_key(draw, key)
    auth_data = (sha(token_app.encode()) + dice.choice([b"\x40", b"\xc0", b"\x41", b"\x01"]) + struct.pack(">I", counter)
                 + ENVIRONMENTS[environment] + struct.pack(">H", len(credential)) + credential + cose)
    auth_data += signed_map(build) if build else dice.choice([b"", b"\xa0"])
    left_over = draw.wrong(0.03, b"", b"\0", b"\xa0\xa0")
    auth_data += left_over

    # The leaf
    nonce = sha(auth_data + client_data_hash)
    nonce_case = draw.wrong(0.08, nonce, sha(nonce), sha(b"another"), nonce[:31], None)
    mac = draw.wrong(0.3, "", "8.5", "8.7", "both")
    access = draw.wrong(0.3, "mac" if mac else None, "mac", "phone", None)
    extensions = [(APPLE + "8.5", sequence(explicit(4, integer(13 if mac in ("8.5", "both") else 10)))),
                  (APPLE + "8.7", sequence(explicit(1026, octets(b"macosx" if mac in ("8.7", "both") else b"iphoneos"))))]
    if access:
        value = base64.b64decode(ACCESS_CONTROL[access])
        extensions.append((APPLE + "8.6", sequence(explicit(3, octets(value)))))
    if nonce_case is not None:
        extensions.append((APPLE + "8.2", sequence(explicit(1, octets(nonce_case)))))
    serial = draw.wrong(0.2, milliseconds(created) - dice.randrange(6, 1110), 77, milliseconds(begin) - 3 * 86_400_000,
                        1 << 119)
    chain = draw.wrong(0.15, "good", *authorities.chains)
    certificates, is_trusted = authorities.chains[chain]
    issuer = {"two levels": "CA 2", "too deep": "CA 2", "another issuer": "CA 9"}.get(chain, "CA 1")
    leaf = der(certify(key.identifier.hex(), key.private, issuer, authorities.deep_key if issuer == "CA 2" else authorities.key,
                       validity, serial=serial, authority=False, usage=minting.SIGNING_USAGE, extensions=extensions))
    x5c = [leaf, *map(der, certificates)]
    x5c_case = draw.wrong(0.03, "right", "one", "cut")
    if x5c_case == "one":
        x5c = [leaf]
    if x5c_case == "cut":
        x5c[1] = x5c[1][:-5]

    # The token
    receipt, receipt_case = draw_receipt(draw, authorities, app, leaf, client_data_hash, environment, created)
    statement = Map([("x5c", x5c)] + ([("receipt", receipt)] if receipt is not None else []))
    name = draw.wrong(0.05, "apple-appattest", "packed", "")
    token = Map([("fmt", name), ("attStmt", statement), ("authData", auth_data)])
    if draw.wrong(0.03, False, True):
        token.insert(1, ("cdHash", Map([("hash", HASHES[4][:20]), ("type", b"\x02")])))
    if dice.random() < 0.1:
        dice.shuffle(token)
    key_id = draw.wrong(0.05, key.identifier, sha(b"another"))
    line = Line("attestation", {"time": moment, "keyId": base64.b64encode(key_id).decode(), "challenge": challenge},
                f"receipt {receipt_case}, chain {chain}, COSE {cose_case}, build {build}, serial {serial}, late {late}")
    malformed = finish_token(draw, token, line, draw.form()) or left_over or x5c_case != "right"
    if named:
        line.fields["appId"] = named
    other_hash = draw.wrong(0.05, False, True)
    if other_hash:
        line.fields["clientDataHash"] = sha(b"wrong").hex()
    if malformed:
        line.fail("malformed")
        return line, None

    # The checks, in the order of the page
    if other_hash:
        line.codes.add("record.client_data_hash_mismatch")
    used = named or (token_app if token_app in APPS else None)
    used = used if used in APPS else None
    line.fail("format", name != "apple-appattest")
    line.fail("chain_untrusted", not is_trusted)
    in_time = all(is_within(moment, span) for span in (validity, authorities.middle, authorities.roots))
    line.fail("certificate_time", is_trusted and not in_time)
    lossy = "\ufffd" in challenge and nonce_case is not None and len(nonce_case) == 32
    if nonce_case != nonce:
        line.codes.add("record.client_data_lossy" if lossy else "attestation.nonce_mismatch")
    line.fail("key_id_mismatch", key_id != key.identifier)
    line.fail("public_key_mismatch", not is_cose_right)
    line.fail("app_id_mismatch", used is None or token_app != used)
    line.fail("counter_nonzero", counter != 0)
    allowed = policies[used]["environments"] if used else list(ENVIRONMENTS)[:2]
    line.fail("environment_mismatch", environment not in allowed)
    line.fail("credential_id_mismatch", credential != key_id)
    line.fail("access_control", bool(mac) and access != "mac")
    line.codes |= build_codes("attestation", build, policies.get(used, {}))
    signed = all(is_within(moment, span) for span in (authorities.signer_time, authorities.middle, authorities.roots))
    receipt_fails = not signed or receipt_case not in (
        "right", "signed attributes", "no environment", "app", "hash", "environment")
    # The client hash of a receipt is not checked if the log did not keep the client data (R42).
    receipt_fails |= receipt_case == "hash" and "record.client_data_lossy" not in line.codes
    receipt_fails |= receipt_case == "environment" and environment != "neither"
    if used:
        receipt_fails |= (used if receipt_case != "app" else None) != app
    line.fail("receipt_invalid", receipt_fails)
    clock = None if receipt_fails else milliseconds(created)
    if receipt_fails and is_trusted and serial.bit_length() in range(41, 49) and is_within(serial, validity):
        clock = serial
    if clock is not None:
        line.fail("time_disagrees", not clock - 300_000 <= moment <= clock + 86_400_000)
    is_clean = not line.codes and used and key_id == key.identifier
    return line, (key, used, time) if is_clean else None


def draw_assertion(draw, attested, number, policies):
    dice, (key, app, time) = draw.dice, attested
    payload, build = draw.text("payload"), draw.build()
    token_app = draw.wrong(0.1, app, *APPS, "TEAM000001.com.example.z")
    authenticator = sha(token_app.encode()) + dice.choice([b"\x40", b"\xc0", b"\0"]) + struct.pack(">I", number)
    authenticator += signed_map(build) if build else dice.choice([b"", b"", b"\xa0"])
    broken = draw.wrong(0.04, None, "short", "two maps", "no map", "cut map")
    if broken:
        authenticator = {"short": authenticator[:36], "two maps": authenticator[:37] + b"\xa0\xa0",
                         "no map": authenticator[:37] + b"\x01", "cut map": authenticator[:37] + b"\xa1"}[broken]
    nonce = sha(authenticator + sha(payload.encode()))
    case = draw.wrong(0.15, "right", "hashed once", "another message", "another key", "high s", "left over", "long length")
    signer = minting.new_key() if case == "another key" else key.private
    algorithm = hashes.SHA256() if case != "hashed once" else utils.Prehashed(hashes.SHA256())
    signature = signer.sign(nonce if case != "another message" else sha(nonce), ec.ECDSA(algorithm))
    if case == "high s":
        signature = minting.other_s(signature)
    if case == "left over":
        signature += b"\0"
    if case == "long length":  # R33: BER, not DER
        signature = b"\x30\x81" + signature[1:]
    member = draw.wrong(0.02, signature, "text")
    token = Map([("signature", member), ("authenticatorData", authenticator)])
    if draw.wrong(0.05, False, True):
        token.insert(0, ("cdHash", Map([("hash", HASHES[4][:20]), ("type", b"\x02")])))
    if dice.random() < 0.2:
        token.reverse()
    moment = milliseconds(time) + (60 + number) * 1000
    line = Line("assertion", {"time": moment, "keyId": base64.b64encode(key.identifier).decode(), "payload": payload},
                f"signature {case}, build {build}, app {token_app}")
    malformed = finish_token(draw, token, line, draw.form()) or broken or member == "text"
    named = draw.wrong(0.4, None, *APPS, app, app, "TEAM000001.com.example.z")
    if named:
        line.fields["appId"] = named
    other_hash = draw.wrong(0.05, False, True)
    if other_hash:
        line.fields["clientDataHash"] = sha(b"wrong").hex()
    if malformed:
        line.fail("malformed")
        return line
    if other_hash:
        line.codes.add("record.client_data_hash_mismatch")
    used = named or token_app
    line.codes |= build_codes("assertion", build, policies.get(used, {}))
    line.fail("app_id_mismatch", used not in APPS or token_app != used or used != app)
    if case not in ("right", "high s"):
        line.codes.add("record.client_data_lossy" if "\ufffd" in payload else "assertion.signature_invalid")
    return line


def draw_log(seed, authorities):
    draw = Draw(seed)
    policies = {app: draw.policy() for app in APPS}
    lines = []
    for number in range(30):
        for clean in (False, True):
            draw.clean = clean
            line, attested = draw_attestation(draw, authorities, policies)
            lines.append(line)
            draw.clean = False
            lines += [draw_assertion(draw, attested, counter, policies) for counter in range(1, 4) if attested]
    return lines, policies


def audit(program, folder, lines, policies, authorities):
    """Audits the lines, and returns a verdict row for each."""
    files = {"root.pem": minting.pem(authorities.root), "receipts.pem": minting.pem(authorities.receipt_root),
             "log.jsonl": "".join(json.dumps(line.fields) + "\n" for line in lines),
             "pipeline.yaml": json.dumps({
                 "version": 1, "apps": [{"id": app, **policy} for app, policy in policies.items()],
                 "trust": {"anchors": ["root.pem"], "receiptAnchors": ["receipts.pem"]}, "report": {"verdicts": True}})}
    for name, content in files.items():
        with open(f"{folder}/{name}", "w") as file:
            file.write(content)
    command = [program, "audit", f"{folder}/log.jsonl", "--pipeline", f"{folder}/pipeline.yaml", "--out",
               f"{folder}/report", "--quiet"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if result.returncode > 2:
        raise SystemExit(f"status {result.returncode}: {result.stderr}")
    text = subprocess.run(["zstd", "-dc", f"{folder}/report/verdicts.csv.zst"], capture_output=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


def is_of_verification(code):
    return code.split(".")[0] in ("attestation", "assertion") or code in FORGIVEN


def main():
    program, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    authorities, count, different = Authorities(), 0, 0
    for seed in range(first, last):
        lines, policies = draw_log(seed, authorities)
        with tempfile.TemporaryDirectory() as folder:
            rows = audit(program, folder, lines, policies, authorities)
        if len(rows) != len(lines):
            raise SystemExit(f"seed {seed}: {len(rows)} verdicts of {len(lines)} lines")
        count += len(lines)
        for row in rows:
            line = lines[int(row["line"]) - 1]
            codes = set(filter(is_of_verification, row["codes"].split(";")))
            verdict = row["verdict"].replace("flagged", "valid")
            if (codes, verdict) != (line.codes, line.verdict):
                different += 1
                print(f"seed {seed}, line {row['line']}: the program {verdict} {sorted(codes)}, "
                      f"the reading {line.verdict} {sorted(line.codes)}\n  {line.drawn}\n  {row['detail']}")
    print(f"{count} records, {different} differ")
    raise SystemExit(different != 0)


if __name__ == "__main__":
    main()
