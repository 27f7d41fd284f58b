import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";

const { AUDIT_LOG, SUBJECT_KEY, PORT } = process.env;
const challenges = new Set(), keys = new Set();

function log(fields) {
  const line = { time: new Date().toISOString(), requestId: randomUUID(), ...fields };
  appendFileSync(AUDIT_LOG, JSON.stringify(line) + "\n", { mode: 0o600 });
}

// The account as a keyed hash: only who has the key can name the account.
const subject = ({ headers }) =>
  createHmac("sha256", SUBJECT_KEY).update(headers.authorization ?? "").digest("hex").slice(0, 32);

const routes = {
  "GET /challenge"() {
    const challenge = randomBytes(32).toString("base64url");
    challenges.add(challenge);
    log({ kind: "challenge", challenge });
    return [200, { challenge }];
  },
  "POST /attest"(request, body) {
    const { keyId, attestation, challenge } = JSON.parse(body);
    const accepted = challenges.delete(challenge); // and what your verifier says
    log({ kind: "attestation", keyId, token: attestation, challenge, subject: subject(request),
      decision: accepted ? "accepted" : "rejected" });
    if (accepted) keys.add(keyId);
    return [accepted ? 200 : 403];
  },
  "POST /transfers"(request, body) {
    const keyId = request.headers["x-app-key-id"];
    const accepted = keys.has(keyId); // and what your verifier says
    log({ kind: "assertion", keyId, token: request.headers["x-app-assertion"],
      clientData: body.toString("base64"), subject: subject(request),
      decision: accepted ? "accepted" : "rejected" });
    return [accepted ? 200 : 403];
  },
};

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  let status = 400, answer = {};
  try {
    [status, answer = {}] = routes[`${request.method} ${request.url}`]?.(request, body) ?? [404];
  } catch {} // the body is not an object of JSON
  response.writeHead(status).end(JSON.stringify(answer));
}).listen(PORT, "127.0.0.1");
