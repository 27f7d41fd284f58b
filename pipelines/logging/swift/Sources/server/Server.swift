import Foundation
import Hummingbird

struct Line: Encodable {
  var time = Int(Date().timeIntervalSince1970 * 1000)
  var requestId = UUID()
  var kind: String
  var keyId, token, challenge, clientData, subject, decision: String?
}

struct Challenge: ResponseEncodable { var challenge: String }
struct Registration: Decodable { var keyId, attestation, challenge: String }

actor Backend {
  private let log: FileHandle
  private var challenges: Set<String> = []
  private var keys: Set<String> = []

  init(path: String) {
    log = FileHandle(fileDescriptor: open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600))
  }

  private func write(_ line: Line) throws {
    try log.write(contentsOf: JSONEncoder().encode(line) + Data("\n".utf8))
  }

  func challenge() throws -> Challenge {
    let bytes = (0..<32).map { _ in UInt8.random(in: 0...255) }
    let challenge = Data(bytes).base64EncodedString()
    challenges.insert(challenge)
    try write(Line(kind: "challenge", challenge: challenge))
    return Challenge(challenge: challenge)
  }

  func attest(_ sent: Registration, subject: String?) throws -> HTTPResponse.Status {
    let accepted = challenges.contains(sent.challenge)  // and what your verifier says
    try write(
      Line(
        kind: "attestation", keyId: sent.keyId, token: sent.attestation, challenge: sent.challenge,
        subject: subject, decision: accepted ? "accepted" : "rejected"))
    if accepted { keys.insert(sent.keyId) }
    return accepted ? .ok : .forbidden
  }

  func transfer(_ headers: HTTPFields, _ body: Data, subject: String?) throws -> HTTPResponse.Status
  {
    let key = headers[.appKeyID]
    let accepted = key.map(keys.contains) ?? false  // and what your verifier says
    try write(
      Line(
        kind: "assertion", keyId: key, token: headers[.appAssertion],
        clientData: body.base64EncodedString(), subject: subject,
        decision: accepted ? "accepted" : "rejected"))
    return accepted ? .ok : .forbidden
  }
}

extension HTTPField.Name {
  static let appKeyID = Self("X-App-Key-Id")!
  static let appAssertion = Self("X-App-Assertion")!
}

/// Returns your database's number of the account: not a name, and not an address.
func subject(_ request: Request) -> String? { request.headers[.authorization] }

@main
struct Server {
  static func main() async throws {
    let environment = ProcessInfo.processInfo.environment
    let backend = Backend(path: environment["AUDIT_LOG"]!)
    let router = Router()
    router.get("challenge") { _, _ in try await backend.challenge() }
    router.post("attest") { request, context in
      try await backend.attest(
        request.decode(as: Registration.self, context: context), subject: subject(request))
    }
    router.post("transfers") { request, _ in
      let body = try await request.body.collect(upTo: 64 * 1024)
      return try await backend.transfer(
        request.headers, Data(body.readableBytesView), subject: subject(request))
    }
    let address = BindAddress.hostname("127.0.0.1", port: Int(environment["PORT"]!)!)
    try await Application(router: router, configuration: .init(address: address)).runService()
  }
}
