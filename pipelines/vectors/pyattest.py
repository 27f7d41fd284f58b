#!/usr/bin/env python3
"""Compares pyattest with the test vectors of attest-forge.

usage: pipelines/vectors/pyattest.py FOLDER [--now] [--list]

FOLDER is what `attest-forge vectors --out FOLDER` wrote. pyattest judges certificates at the present time
and has no option for another one, so this script gives it the time of each vector. With --now it does not.
pyattest does not compare App ID and counter of assertions. The script makes these two comparisons with the
values that pyattest returns, as its documentation asks of a server.

Prints a table: for each group the vectors on which pyattest and the vector agree, then the disagreements by
flag and code. With --list, each disagreement. `acceptable` vectors agree with every result. Needs pyattest
from PyPI (`pip install pyattest`).
"""
import argparse
import asyncio
import base64
import collections
import datetime
import hashlib
import json
import pathlib
import sys

# This file has the name of the package.
sys.path = [path for path in sys.path if pathlib.Path(path or ".").resolve() != pathlib.Path(__file__).resolve().parent]

from cryptography.hazmat.primitives.asymmetric import ec  # noqa: E402
from pyattest.assertion import Assertion  # noqa: E402
from pyattest.attestation import Attestation  # noqa: E402
from pyattest.configs.apple import AppleConfig  # noqa: E402
from pyattest.verifiers import apple_attestation  # noqa: E402

Context = apple_attestation.ValidationContext


def config(vector, root):
    return AppleConfig(
        key_id=base64.b64decode(vector["keyId"]), app_id=vector["appId"],
        production=vector["environment"] == "production", root_ca=root)


def attestation(vector, root, now):
    time = datetime.datetime.fromisoformat(vector["time"].replace("Z", "+00:00"))
    apple_attestation.ValidationContext = (
        Context if now else lambda **options: Context(moment=time, **options))
    asyncio.run(Attestation(
        base64.b64decode(vector["token"]), base64.b64decode(vector["clientData"]),
        config(vector, root)).verify())


def assertion(vector, root, now):
    key = ec.EllipticCurvePublicKey.from_encoded_point(
        ec.SECP256R1(), base64.b64decode(vector["publicKey"]))
    client_data_hash = hashlib.sha256(base64.b64decode(vector["clientData"])).digest()
    judged = Assertion(base64.b64decode(vector["token"]), client_data_hash, key, config(vector, root))
    judged.verify()
    if judged.data["rp_id"] != hashlib.sha256(vector["appId"].encode()).digest():
        raise ValueError("App ID")
    if judged.data["counter"] <= vector["previousCounter"]:
        raise ValueError("counter")


def result(judge, vector, root, now):
    """Returns `valid`, or `invalid` and the kind of the error."""
    try:
        judge(vector, root, now)
        return "valid", ""
    except Exception as error:
        return "invalid", type(error).__name__


def main():
    parser = argparse.ArgumentParser(description="Compare pyattest with the vectors.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--now", action="store_true", help="judge certificates at the present time")
    parser.add_argument("--list", action="store_true", help="print each disagreement")
    options = parser.parse_args()
    print(f"{'group':<42} {'vectors':>8} {'agree':>6} {'choice':>7} {'too strict':>11} {'too lenient':>12}")
    kinds, listed, total = collections.Counter(), [], collections.Counter()
    for kind, judge in (("attestation", attestation), ("assertion", assertion)):
        file = json.loads((options.folder / f"app_attest_{kind}_test.json").read_text())
        root = file["rootCertificate"].encode()
        for group in file["testGroups"]:
            counts = collections.Counter()
            for vector in group["tests"]:
                found, error = result(judge, vector, root, options.now)
                outcome = "choice" if vector["result"] == "acceptable" else "agree"
                if outcome == "agree" and found != vector["result"]:
                    outcome = "too strict" if found == "invalid" else "too lenient"
                    reason = ", ".join(vector["codes"]) or error
                    kinds[(kind, outcome, ", ".join(vector["flags"]) or "no flag", reason)] += 1
                    listed.append(f"{kind} {vector['tcId']}: {vector['comment']}: {outcome} {error}")
                counts[outcome] += 1
            total += counts
            row = [sum(counts.values())] + [counts[name] for name in ("agree", "choice", "too strict", "too lenient")]
            print(f"{kind + ': ' + group['comment']:<42} {row[0]:>8} {row[1]:>6} {row[2]:>7} {row[3]:>11} {row[4]:>12}")
    row = [sum(total.values())] + [total[name] for name in ("agree", "choice", "too strict", "too lenient")]
    print(f"{'all':<42} {row[0]:>8} {row[1]:>6} {row[2]:>7} {row[3]:>11} {row[4]:>12}")
    print()
    for (kind, outcome, flags, reason), count in sorted(kinds.items()):
        print(f"{count:>4} {kind}s {outcome}: {reason} ({flags})")
    if options.list:
        print("", *listed, sep="\n")


if __name__ == "__main__":
    main()
