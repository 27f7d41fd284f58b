"""Compares the program's findings with a second reading of detection.md, on small random logs
(detection.R1, R2, R5, R8 to R21, R30 to R32, R35 to R47 and R49 to R53).

usage: detection.py PROGRAM FIRST_SEED LAST_SEED

The rules are written here from the page alone, in the simplest way, for a few keys and some dozen records. Each log is
audited, and the findings (code, severity, line, related line, count) must be the same.
"""

import base64
import collections
import csv
import hashlib
import json
import random
import subprocess
import sys
import tempfile

import minting

START = 1_790_000_000_000  # milliseconds
APP = "TEAM000001.com.example.a"
ORDER = ["info", "low", "medium", "high", "critical"]


def choose_settings(dice):
    """Draws the settings of `detect:`."""
    settings = {
        "reorderTolerance": dice.choice([0, 5, 30]),
        "retryTolerance": dice.choice([0, 0, 20]),
        "rejectedRetry": dice.choice([60, 600]),
        "replayScope": dice.choice(["global", "global", "exact", "key"]),
        "identicalRecords": dice.choice(["replay", "replay", "duplicate"]),
        "counterGap": dice.choice([0, 0, 2]),
        "challenges": dice.choice(["optional", "optional", "required"]),
    }
    if dice.random() < 0.4:
        settings["challengeTTL"] = dice.choice([30, 120])
    return settings


class Record:
    """One line: what it says, and what the reading knows of it."""

    def __init__(self, kind, time, **facts):
        self.kind, self.time = kind, time
        self.source = 0
        self.key = self.counter = self.decision = self.subject = self.request = self.route = None
        self.valid = True  # signature, or attestation
        self.challenge = ""
        self.server = self.signature = self.authenticator = None
        self.__dict__.update(facts)

    def hash(self):
        return hashlib.sha256(self.challenge.encode()).digest()

    def line(self):
        fields = {"time": self.time, "kind": self.kind}
        if self.key:
            fields["keyId"] = base64.b64encode(self.key.identifier).decode()
            fields["token"] = base64.b64encode(self.token).decode()
        fields["payload" if self.kind == "assertion" else "challenge"] = self.challenge
        names = {"decision": "decision", "subject": "subject", "request": "requestId", "route": "route"}
        for name, member in names.items():
            if getattr(self, name) is not None:
                fields[member] = getattr(self, name)
        if self.server is not None:
            fields["serverCounter"] = self.server
        return json.dumps(fields)


def draw_log(dice, authority):
    """Draws keys and records: attested, untrusted, unknown and listed keys; replays, retries and counters at random."""
    records, listed = [], {}
    challenges = ["c%031x" % dice.getrandbits(124) for _ in range(6)] + ["short"]
    when = lambda: START + dice.choice([0, 0, 300, 1000]) + dice.randrange(0, 150) * 1000
    keys = []
    for _ in range(dice.randrange(2, 5)):
        key = minting.Key()
        key.status = dice.choice(["attested", "attested", "attested", "untrusted", "unknown", "listed"])
        keys.append(key)
        attestations = {"attested": [1, 1, 2, 3], "untrusted": [1, 2], "unknown": [0], "listed": [0, 0, 1]}
        for _ in range(dice.choice(attestations[key.status])):
            challenge = dice.choice(challenges[:6])
            valid = key.status != "untrusted"
            record = Record("attestation", when(), key=key, challenge=challenge, valid=valid)
            record.token = authority.attest(key, APP, record.hash(), record.time, nonce_fits=valid)
            records.append(record)
        if key.status == "listed":
            listed[key.identifier] = dice.choice([None, 0, 3])
    for _ in range(dice.randrange(5, 40)):
        earlier = [record for record in records if record.kind != "challenge"]
        if earlier and dice.random() < 0.4:
            old = dice.choice(earlier)
            record = Record(old.kind, dice.choice([old.time, when(), old.time + dice.choice([1, 5, 20, 60]) * 1000]),
                            key=old.key, challenge=old.challenge, valid=old.valid, counter=old.counter)
            record.token, record.signature, record.authenticator = old.token, old.signature, old.authenticator
            if old.kind == "assertion" and dice.random() < 0.3:
                record.token = minting.assertion(old.authenticator, minting.other_s(old.signature))
            if dice.random() < 0.5:
                for name in ("request", "subject", "route", "decision"):
                    setattr(record, name, getattr(old, name))
            records.append(record)
            continue
        if dice.random() < 0.12:
            records.append(Record("challenge", when() - 60000 * dice.randrange(2), challenge=dice.choice(challenges)))
            continue
        key = dice.choice(keys)
        record = Record("assertion", when(), key=key, challenge=dice.choice(challenges), counter=dice.randrange(0, 9),
                        valid=dice.random() < 0.9)
        record.authenticator = hashlib.sha256(APP.encode()).digest() + b"\x40" + record.counter.to_bytes(4, "big")
        record.signature = key.sign(record.authenticator, record.hash(), valid=record.valid)
        record.token = minting.assertion(record.authenticator, record.signature)
        records.append(record)
    for record in records:
        if record.kind == "challenge":
            continue
        if record.decision is None:
            record.decision = dice.choice([None, "accepted", "accepted", "rejected"])
        if record.subject is None and dice.random() < 0.6:
            record.subject = dice.choice(["u1", "u2"]) if dice.random() < 0.2 else "u1"
        if record.request is None and dice.random() < 0.4:
            record.request = dice.choice(["r1", "r2"])
        if record.route is None and dice.random() < 0.2:
            record.route = dice.choice(["/a", "/b"])
        if record.kind == "assertion" and dice.random() < 0.2:
            record.server = dice.randrange(0, 9)
    dice.shuffle(records)
    for record in records:
        record.source = dice.randrange(2)
    return records, listed


def same(left, right):
    """R33, R34: the records hold one assertion or attestation."""
    if left.kind != right.kind or left.key is not right.key or left.challenge != right.challenge:
        return False
    # The attestations of one key have the same authData here.
    return left.kind == "attestation" or (
        left.authenticator == right.authenticator and minting.low_s(left.signature) == minting.low_s(right.signature))


def agree(left, right):
    """R64: every mapped field is the same."""
    names = ("time", "kind", "decision", "subject", "request", "route", "server", "token")
    return all(getattr(left, name) == getattr(right, name) for name in names)


class Reading:
    """The findings of one log, by the rules of detection.md."""

    def __init__(self, records, listed, settings):
        self.settings, self.listed = settings, listed
        self.tolerance = settings["reorderTolerance"] * 1000
        self.records = sorted(records, key=lambda r: (r.time, r.source, r.number))
        self.findings = []
        self.copies = {}  # record -> representative
        self.keys = collections.defaultdict(list)
        for record in self.records:
            if record.key:
                self.keys[record.key].append(record)
        for key in self.keys:
            self.keys[key].sort(key=lambda r: (r.time, r.counter or 0, r.source, r.number))
        for key, events in self.keys.items():
            self.judge_key(key, events)
        self.judge_replays()
        self.judge_counters()
        self.judge_challenges()
        self.grade()
        self.judge_decisions()

    def add(self, code, severity, record, related=None, count=1, about=None):
        self.findings.append([code, severity, record, related, count, about or [record]])

    def trusted(self, key):
        return key.identifier in self.listed or any(r.kind == "attestation" and r.valid for r in self.keys[key])

    def judge_key(self, key, events):
        attestations = [r for r in events if r.kind == "attestation"]
        assertions = [r for r in events if r.kind == "assertion"]
        good = [r for r in attestations if r.valid]
        for record in attestations:
            if not record.valid:
                self.add("attestation.nonce_mismatch", "high", record)
        if not self.trusted(key):
            if assertions:
                code = "key.untrusted" if attestations else "key.unknown"
                self.add(code, "high", assertions[0], attestations[0] if attestations else None, len(assertions), assertions)
        else:
            for record in assertions:
                if not record.valid:
                    self.add("assertion.signature_invalid", "high", record)
        if good:
            for record in assertions:
                if record.time < good[0].time - self.tolerance and key.identifier not in self.listed:
                    self.add("key.used_before_attestation", "high", record, good[0])
            seen = {good[0].challenge}
            for record in good[1:]:
                if record.challenge not in seen:
                    self.add("key.reattested", "medium", record, good[0])
                seen.add(record.challenge)
        first = None
        for record in events:
            verified = record.valid if record.kind == "attestation" else record.valid and self.trusted(key)
            if verified and record.subject is not None:
                if first is None:
                    first = record
                elif record.subject != first.subject:
                    self.add("key.subject_changed", "medium", record, first)

    def judge_replays(self):
        scope = self.settings["replayScope"]
        groups = collections.defaultdict(list)
        for record in self.records:
            if record.kind == "challenge":
                continue
            if record.kind == "attestation" and not record.valid:
                continue
            if record.kind == "assertion" and not record.valid and self.trusted(record.key):
                continue
            groups[(record.kind, record.challenge, record.key if scope == "key" else None)].append(record)
        self.replays = set()
        for (kind, _, _), events in groups.items():
            verified = lambda r: r.kind == "attestation" or self.trusted(r.key)
            events = [r for r in events if verified(r)] + [r for r in events if not verified(r)]
            for place, record in enumerate(events):
                if place:
                    self.judge_repeat(kind, record, events[:place], scope)

    def judge_repeat(self, kind, record, earlier, scope):
        alike = [r for r in earlier if same(r, record)]
        if alike:
            self.replays.add(record)
            duplicates = [r for r in alike if self.is_duplicate(r, record)]
            if duplicates:
                self.add("record.duplicate", "info", record, duplicates[0])
                self.join(record, duplicates[0])
            elif self.is_retry(alike, record):
                self.add("replay.retry", "info", record, alike[0])
                self.join(record, alike[0])
            else:
                self.add("replay." + kind, "critical", record, alike[0])
            return
        if scope == "exact" and kind == "assertion":
            return
        others = [r for r in earlier if r.key is not record.key]
        if others and scope != "key":
            self.add("replay.cross_key", "high", record, others[0])
        else:
            self.add("replay.client_data_hash", "high", record, earlier[0])

    def is_duplicate(self, left, right):
        if self.settings["identicalRecords"] == "duplicate" and left.request is None and right.request is None and agree(left, right):
            return True
        both = lambda name: getattr(left, name) is not None and getattr(right, name) is not None
        if left.request is None or left.request != right.request:
            return False
        if any(both(name) and getattr(left, name) != getattr(right, name) for name in ("subject", "route")):
            return False
        return left.time == right.time or (left.source != right.source and abs(left.time - right.time) <= self.tolerance)

    def is_retry(self, alike, record):
        age = record.time - alike[0].time
        if self.settings["retryTolerance"] and age <= self.settings["retryTolerance"] * 1000:
            return True
        # Copies are one request (R52): it was rejected if one log says so, and the others say nothing.
        requests = [next((e for e in alike[:at] if self.is_duplicate(e, r)), r) for at, r in enumerate(alike)]
        refused = {request for r, request in zip(alike, requests) if r.decision == "rejected"}
        if any(r.decision == "accepted" or request not in refused for r, request in zip(alike, requests)):
            return False
        if age > self.settings["rejectedRetry"] * 1000:
            return False
        subjects = [r.subject for r in alike if r.subject is not None]
        return not subjects or record.subject is None or subjects[0] == record.subject

    def join(self, left, right):
        root = lambda r: r if r not in self.copies else root(self.copies[r])
        if root(left) is not root(right):
            self.copies[root(left)] = root(right)

    def judge_counters(self):
        for key, events in self.keys.items():
            if not self.trusted(key):
                continue
            start = self.listed.get(key.identifier) or 0
            highest, carrier, seen = start, None, {}
            if start:
                seen[start] = None
            server, history = start, []
            attestation = next((r for r in events if r.kind == "attestation" and r.valid), None)
            path = []
            # R14: of a listed key without a value nothing is expected before the server has stored a counter.
            expects = attestation is not None or self.listed.get(key.identifier) is not None
            for record in events:
                if record.kind != "assertion" or not record.valid:
                    continue
                if record not in self.replays:
                    if expects:
                        self.judge_server(record, server, history)
                    self.judge_counter(record, start, highest, carrier, seen, path, attestation, expects)
                    seen.setdefault(record.counter, record)
                    path.append(record)
                    if record.counter > highest:
                        highest, carrier = record.counter, record
                if record.decision != "rejected" and record.counter > server:
                    history.append((record.time, server))
                    server = record.counter
                expects = expects or record.decision != "rejected"

    def judge_server(self, record, server, history):
        if record.server is None or record.server == server:
            return
        had = [value for until, value in history if record.time - until <= self.tolerance]
        if record.server not in had:
            self.add("counter.server_mismatch", "medium", record)

    def judge_counter(self, record, start, highest, carrier, seen, path, attestation, expects):
        counter = record.counter
        if counter in seen and counter != 0:
            self.add("counter.repeated", "critical", record, seen[counter])
        elif counter < highest or counter == 0:
            higher = next((r for r in path if r.counter > counter), None)
            # R5: what a list of keys says comes before everything.
            late = counter < start or higher is None or record.time - higher.time > self.tolerance
            if counter == 0:
                self.add("counter.regression", "high", record, carrier if highest else attestation)
            else:
                self.add("counter.regression" if late else "counter.reordered", "high" if late else "info", record, carrier)
        elif expects and self.settings["counterGap"] and counter > highest + self.settings["counterGap"]:
            self.add("counter.gap", "info", record)

    def judge_challenges(self):
        required = self.settings["challenges"] == "required"
        ttl = self.settings.get("challengeTTL", 86400 if required else None)
        issued = collections.defaultdict(list)
        for record in self.records:
            if record.kind == "challenge":
                issued[record.challenge].append(record)
        for record in self.records:
            weak = len(record.challenge.encode()) < 16
            if weak and (record.kind == "challenge" or self.settings["replayScope"] != "exact" or record.kind == "attestation"):
                self.add("challenge.weak", "low", record)
            if record.kind == "challenge":
                continue
            before = [c for c in issued[record.challenge] if c.time <= record.time + self.tolerance]
            if required and not before:
                self.add("challenge.not_issued", "high", record)
            if ttl is not None and before and record.time - before[-1].time > ttl * 1000:
                self.add("challenge.expired", "medium", record, before[-1])

    def grade(self):
        root = lambda r: r if r not in self.copies else root(self.copies[r])
        group = collections.defaultdict(list)
        for record in self.records:
            group[root(record)].append(record)
        for finding in self.findings:
            code, severity, record, _, _, about = finding
            family = code.split(".")[0]
            if family not in ("attestation", "assertion", "key", "counter", "replay"):
                continue
            members = [m for r in about for m in group[root(r)]]
            finding[1] = max((raise_by(m.decision, severity) for m in members), key=ORDER.index)

    def judge_decisions(self):
        found = collections.defaultdict(set)
        for code, severity, record, _, _, about in self.findings:
            for member in about:
                if ORDER.index(severity) > 0 and code != "challenge.weak":
                    found[member].add(code)
        for record in self.records:
            if record.decision == "rejected" and not found[record]:
                self.add("decision.rejected_valid", "low", record)


def raise_by(decision, severity):
    if decision == "accepted" and severity == "high":
        return "critical"
    if decision == "rejected" and ORDER.index(severity) > 1:
        return "low"
    return severity


def audit(program, folder, records, listed, settings):
    """Writes the log, audits it, and returns the findings as rows."""
    for source in (0, 1):
        lines = [r for r in records if r.source == source]
        for number, record in enumerate(lines, 1):
            record.number = number
        with open(f"{folder}/{source}.jsonl", "w") as file:
            file.writelines(r.line() + "\n" for r in lines)
    detect = {name: f"{value}s" if name in ("reorderTolerance", "retryTolerance", "rejectedRetry", "challengeTTL") else value
              for name, value in settings.items()}
    pipeline = {"version": 1, "apps": [{"id": APP}], "detect": detect,
                "trust": {"anchors": ["root.pem"], "receipts": "ignore"}}
    if listed:
        with open(f"{folder}/keys.jsonl", "w") as file:
            written = {r.key for r in records if r.key and r.key.identifier in listed}
            for key in written:
                row = {"keyId": base64.b64encode(key.identifier).decode(), "appId": APP,
                       "publicKey": base64.b64encode(key.point).decode()}
                if listed[key.identifier] is not None:
                    row["lastCounter"] = listed[key.identifier]
                file.write(json.dumps(row) + "\n")
        if written:
            pipeline["keys"] = "keys.jsonl"
    with open(f"{folder}/pipeline.yaml", "w") as file:
        json.dump(pipeline, file)
    command = [program, "audit", f"{folder}/0.jsonl", f"{folder}/1.jsonl", "--pipeline", f"{folder}/pipeline.yaml",
               "--out", f"{folder}/report", "--quiet"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if result.returncode not in (0, 1):
        raise SystemExit(f"{folder}: status {result.returncode}: {result.stderr}")
    with open(f"{folder}/report/findings.csv", newline="") as file:
        return list(csv.DictReader(file))


def place(folder, record):
    return (f"{folder}/{record.source}.jsonl:{record.number}" if record else "")


def compare(program, seed, authority, folder):
    """Returns the differences of one log, as lines."""
    dice = random.Random(seed)
    records, listed = draw_log(dice, authority)
    settings = choose_settings(dice)
    with open(f"{folder}/root.pem", "w") as file:
        file.write(authority.root_pem)
    rows = audit(program, folder, records, listed, settings)
    reading = Reading(records, listed, settings)
    mine = collections.Counter((code, severity, place(folder, record), place(folder, related), str(count))
                               for code, severity, record, related, count, _ in reading.findings)
    theirs = collections.Counter(
        (row["code"], row["severity"], f'{row["source"]}:{row["line"]}',
         f'{row["related_source"]}:{row["related_line"]}' if row["related_line"] else "", row["count"]) for row in rows)
    return ([f"only the program: {x}" for x in sorted((theirs - mine).elements())]
            + [f"only the reading: {x}" for x in sorted((mine - theirs).elements())]
            + ([str(settings)] if theirs != mine else []))


def main():
    program, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    authority = minting.Authority()
    different = 0
    for seed in range(first, last):
        with tempfile.TemporaryDirectory() as folder:
            differences = compare(program, seed, authority, folder)
            if differences:
                different += 1
                print(f"seed {seed}")
                print("\n".join("  " + line for line in differences))
    print(f"{last - first} logs, {different} differ")
    raise SystemExit(different != 0)


if __name__ == "__main__":
    main()
