import base64, datetime, hashlib, hmac, json, os, secrets, uuid

from fastapi import FastAPI, Request, Response

app = FastAPI()
audit_log = os.open(os.environ["AUDIT_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
challenges, keys = set(), set()


def log(**fields):
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
    line = json.dumps({"time": now, "requestId": str(uuid.uuid4()), **fields})
    os.write(audit_log, f"{line}\n".encode())


def subject(request):
    """Returns the account as a keyed hash: only who has the key can name the account."""
    account, key = request.headers.get("Authorization", ""), os.environ["SUBJECT_KEY"]
    return hmac.new(key.encode(), account.encode(), hashlib.sha256).hexdigest()[:32]


@app.get("/challenge")
async def challenge():
    value = secrets.token_urlsafe(32)
    challenges.add(value)
    log(kind="challenge", challenge=value)
    return {"challenge": value}


@app.post("/attest")
async def attest(request: Request):
    sent = await request.json()
    accepted = sent.get("challenge") in challenges  # and what your verifier says
    challenges.discard(sent.get("challenge"))
    log(kind="attestation", keyId=sent.get("keyId"), token=sent.get("attestation"),
        challenge=sent.get("challenge"), subject=subject(request),
        decision="accepted" if accepted else "rejected")
    if accepted:
        keys.add(sent["keyId"])
    return Response(status_code=200 if accepted else 403)


@app.post("/transfers")
async def transfer(request: Request):
    key, body = request.headers.get("X-App-Key-Id"), await request.body()
    accepted = key in keys  # and what your verifier says
    log(kind="assertion", keyId=key, token=request.headers.get("X-App-Assertion"),
        clientData=base64.b64encode(body).decode(), subject=subject(request),
        decision="accepted" if accepted else "rejected")
    return Response(status_code=200 if accepted else 403)
