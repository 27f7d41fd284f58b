"""Forged clients: synthetic devices that register with a server, send it requests, and attack it.

A server is an object with three methods. Each writes one line to the server's log.

- challenge() returns a challenge that the server issued.
- attest(account, key, token, challenge) and transfer(account, key, token, body) return whether the server
  accepted the request.
"""
import base64
import hashlib
import hmac
import http.client
import json
import subprocess

SUBJECT_KEY = "a key of the tests"


def hashed(account):
    """Returns the subject that the recipes log for an account."""
    return hmac.new(SUBJECT_KEY.encode(), account.encode(), hashlib.sha256).hexdigest()[:32]


class Devices:
    """Devices of `attest-forge devices`, whose anchors are in a folder."""

    def __init__(self, program, folder):
        self.process = subprocess.Popen(
            [program, "devices", "--out", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, verb, number, data):
        """Returns the device's key identifier, and its attestation or assertion, in base64."""
        print(verb, number, base64.b64encode(data).decode(), file=self.process.stdin, flush=True)
        return self.process.stdout.readline().split()

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(10)


class WebServer:
    """A server whose log a recipe writes, at a port of this machine."""

    def __init__(self, port):
        self.port = port

    def ask(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, path, body, {name.replace("_", "-"): text for name, text in headers.items()})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status not in (200, 403):
            raise AssertionError(f"{method} {path}: {answer.status} {text}")
        return answer.status == 200, text

    def challenge(self):
        return json.loads(self.ask("GET", "/challenge")[1])["challenge"]

    def attest(self, account, key, token, challenge):
        body = json.dumps({"keyId": key, "attestation": token, "challenge": challenge})
        return self.ask("POST", "/attest", body, Authorization=account, Content_Type="application/json")[0]

    def transfer(self, account, key, token, body):
        return self.ask("POST", "/transfers", body, Authorization=account, X_App_Key_Id=key,
                        X_App_Assertion=token, Content_Type="application/octet-stream")[0]


class Clients:
    """Six devices and their accounts. `lines` counts the lines that the server's log must have.

    The log of a gateway can have text only, and has requests without a token, too.
    """

    DEVICES, ROUNDS, OTHERS = 6, 8, 20

    def __init__(self, devices, server, is_gateway):
        self.devices, self.server, self.is_gateway = devices, server, is_gateway
        self.lines = self.others = 0

    def challenge(self):
        self.lines += 1
        return self.server.challenge()

    def attest(self, number, challenge):
        self.lines += 1
        key, token = self.devices.ask("attest", number, challenge.encode())
        return self.server.attest(f"user-{number}", key, token, challenge)

    def signed(self, number):
        """Returns a request: account, key, assertion and body. The body contains a challenge."""
        body = json.dumps({"challenge": self.challenge(), "to": 'Zoë\t"Z" \\ Ödön', "amount": number},
                          ensure_ascii=False).encode()
        if not self.is_gateway:
            body += b"\x00\xff\xfe"
        return [f"user-{number}", *self.devices.ask("assert", number, body), body]

    def send(self, request):
        self.lines += 1
        return self.server.transfer(*request)

    def behave(self):
        """Registers every device and sends honest requests."""
        for number in range(self.DEVICES):
            assert self.attest(number, self.challenge())
        if self.is_gateway:
            for _ in range(self.OTHERS):
                assert self.server.ask("GET", "/health")[0]
                self.lines, self.others = self.lines + 1, self.others + 1
        for _ in range(self.ROUNDS):
            for number in range(self.DEVICES):
                assert self.send(self.signed(number))

    def attack(self):
        """Plays one attack of each kind. FINDINGS is what an audit must find of them, and nothing else."""
        # A request is sent twice, and the server does not remember it.
        request = self.signed(0)
        assert self.send(request) and self.send(request)
        # The server does not verify the signature of a body that was changed.
        *request, body = self.signed(1)
        assert self.send([*request, body.replace(b'"amount": 1', b'"amount": 9')])
        # A key is used for another account.
        request = self.signed(2)
        assert self.send(["user-0", *request[1:]])
        # A key that was never attested, and a challenge that was never issued: the server rejects both.
        assert not self.send(self.signed(self.DEVICES))
        assert not self.attest(self.DEVICES + 1, "a challenge of the client's own")


# Severity, code, and subject of the finding.
FINDINGS = sorted([
    ("critical", "replay.assertion", 0),
    ("critical", "assertion.signature_invalid", 1),
    ("medium", "key.subject_changed", 0),
    ("low", "key.unknown", Clients.DEVICES),
    ("low", "decision.rejected_valid", Clients.DEVICES + 1),
])
