import Crypto
import Foundation
import Hummingbird

/// The log, and what the server remembers of challenges and keys.
actor Requests {
  private let log: FileHandle
  private var challenges: Set<String> = []
  private var keys: Set<String> = []

  init(log path: String) {
    log = FileHandle(fileDescriptor: open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600))
  }

  private func write(_ kind: String, _ fields: [String: String?]) throws {
    var line = fields.compactMapValues(\.self)
    line["kind"] = kind
    line["time"] = Date.now.ISO8601Format(.init(includingFractionalSeconds: true))
    line["requestId"] = UUID().uuidString
    try log.write(contentsOf: JSONEncoder().encode(line) + Data("\n".utf8))
  }

  func challenge() throws -> String {
    let challenge = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0).base64EncodedString() }
    challenges.insert(challenge)
    try write("challenge", ["challenge": challenge])
    return challenge
  }

  func attest(_ sent: Registration, by subject: String) throws -> Bool {
    let accepted = challenges.remove(sent.challenge) != nil  // and what your verifier says
    try write(
      "attestation",
      [
        "keyId": sent.keyId, "token": sent.attestation, "challenge": sent.challenge,
        "subject": subject, "decision": accepted ? "accepted" : "rejected",
      ])
    if accepted { keys.insert(sent.keyId) }
    return accepted
  }

  func transfer(_ body: Data, key: String?, token: String?, by subject: String) throws -> Bool {
    let accepted = key.map(keys.contains) ?? false  // and what your verifier says
    try write(
      "assertion",
      [
        "keyId": key, "token": token, "clientData": body.base64EncodedString(),
        "subject": subject, "decision": accepted ? "accepted" : "rejected",
      ])
    return accepted
  }
}

struct Registration: Decodable { let keyId, attestation, challenge: String }

let environment = ProcessInfo.processInfo.environment
let requests = Requests(log: environment["AUDIT_LOG"]!)
let subjectKey = SymmetricKey(data: Data(environment["SUBJECT_KEY"]!.utf8))

/// Returns the account as a keyed hash: only who has the key can name the account.
@Sendable func subject(_ request: Request) -> String {
  let account = Data((request.headers[.authorization] ?? "").utf8)
  let code = HMAC<SHA256>.authenticationCode(for: account, using: subjectKey)
  return code.prefix(16).map { String(format: "%02x", $0) }.joined()
}

let router = Router()
router.get("challenge") { _, _ in ["challenge": try await requests.challenge()] }
router.post("attest") { request, context -> HTTPResponse.Status in
  let sent = try await request.decode(as: Registration.self, context: context)
  return try await requests.attest(sent, by: subject(request)) ? .ok : .forbidden
}
router.post("transfers") { request, _ -> HTTPResponse.Status in
  let body = try await Data(request.body.collect(upTo: 1 << 16).readableBytesView)
  let key = request.headers[.init("X-App-Key-Id")!]
  let token = request.headers[.init("X-App-Assertion")!]
  return try await requests.transfer(body, key: key, token: token, by: subject(request))
    ? .ok : .forbidden
}
let port = Int(environment["PORT"] ?? "") ?? 8080
try await Application(
  router: router, configuration: .init(address: .hostname("127.0.0.1", port: port))
).runService()
