import FindingCodes

extension TemplateForm {
  /// The Capgo App Attest plugin's log: registrations and assertions of iOS devices beside those of
  /// Android, client data as text.
  static let capgo = TemplateForm(
    traits: [.freshRequests, .platform, .ownFields, .textChallenges], noiseOdds: 12,
    flaws: FlawTables.capgo, data: { .unique(&$1) },
    attestation: #"""
      {"time":$time,"platform":"ios","format":"apple-app-attest","keyId":$key,"challenge":$data,"token":$token,"decision":$decision("accepted"|"rejected")}
      """#,
    assertion: #"""
      {"time":$time,"platform":"ios","format":"apple-app-attest","keyId":$key,"payload":$data,"token":$token,"decision":$decision("accepted"|"rejected")}
      """#,
    noise: [
      #"""
      {"time":$time,"platform":"android","format":"google-play-integrity-standard","keyId":$number(installation-|1000000),"payload":$number(synthetic-|1000),"token":$number(eyJhbGciOiJFUzI1NiJ9.c3ludGhldGlj.|1000000),"decision":"accepted"}
      """#
    ])

  /// A gateway's access log with headers and bodies. The attestation is in a body of its own route.
  /// The assertion is in a header of the requests that it protects, and signs their body.
  static let deviceIntegrity = TemplateForm(
    traits: [.requestID, .ownFields, .statuses], noiseOdds: 10, flaws: FlawTables.deviceIntegrity,
    routeField: "path",
    data: { kind, random in
      // A challenge of any bytes, or a body that may well come again, or none.
      guard kind == .assertion else {
        return ClientData(bytes: random.bytes(16 + random.below(33)))
      }
      if random.once(in: 8) { return ClientData(text: "") }
      let amount = 1 + random.below(30)
      return ClientData(
        text: random.pick([
          #"{"amount":\#(amount),"to":"account-\#(random.below(9))"}"#,
          #"{"amount":\#(amount),"to":"Zoë \"Z\" Ödön","note":"\#u{1F9EA}"}"#,
          "{\n  \"amount\": \(amount)\n}\n",
          #"{"amount":\#(amount),"amount":\#(amount)}"#,
        ]))
    },
    attestation: #"""
      {"time":$time,"method":"POST","path":$route(/attest/verify),"headers":{"Host":"api.example.com","~Content-Type":"application/json"},"body":text{"key_id":$key,"attestation":$token,"challenge":$data64},"status":$decision(200|403),"request_id":$id}
      """#,
    assertion: #"""
      {"time":$time,"method":"POST","path":"/v1/transfers","headers":{"Host":"api.example.com","~X-App-Key-Id":$key,"~X-App-Assertion":$token,"~Content-Type":"application/json"},"body":$data,"status":$decision(200|403),"request_id":$id}
      """#,
    bodiless: #"""
      {"time":$time,"method":"GET","path":"/v1/accounts","headers":{"Host":"api.example.com","~X-App-Key-Id":$key,"~X-App-Assertion":$token,"~Content-Type":"application/json"},"body":$data,"status":$decision(200|403),"request_id":$id}
      """#,
    noise: [
      deviceCheck, deviceCheck,
      // Other names may occur twice.
      #"""
      {"time":$time,"method":"GET","path":"/health","headers":{"Host":"api.example.com","host":"api.example.com"},"body":"","status":200,"request_id":$id}
      """#,
      #"""
      {"time":$time,"method":"GET","path":"/v1/rates","headers":{"Host":"api.example.com"},"body":"{\"key_id\":\"no attestation\"}","status":200,"request_id":$id}
      """#,
    ],
    stray: #"""
      {"time":$time,"method":"POST","path":$tagged(/v2/verify/),"headers":{"Host":"api.example.com"}}
      """#)

  private static let deviceCheck: LineTemplate = #"""
    {"time":$time,"method":"POST","path":$anyRoute(/verify-device),"headers":{"Host":"api.example.com","~Content-Type":"application/json"},"body":text{"device_token":$random64(48)},"status":200,"request_id":$id}
    """#

  /// The log of a small app's backend: challenges issued to sessions, attestations under the name of
  /// receipts, and requests that sign their method and path.
  static let swiftUI = TemplateForm(
    traits: [.subject, .challengeRecords, .ownFields, .statuses, .textChallenges], noiseOdds: 10,
    flaws: FlawTables.swiftUI, routeField: "path",
    data: { kind, random in
      // A challenge, or a method and a path that may well come again.
      guard kind == .assertion else { return .unique(&random) }
      let note = random.below(40)
      return ClientData(
        text: random.pick([
          "GET /api/notes/\(note)", "GET /api/notes/\(note)", "DELETE /api/notes/\(note)",
          "POST /api/notes", "GET /api/notes?q=a%20b&page=\(note)", "PUT /api/notes/Zoë \(note)",
        ]))
    },
    attestation: #"""
      {"time":$time,"method":"POST","path":$route(/api/attest/verify),"status":$decision(200|403),"body":{"keyId":$key,"receipt":$token},"session":{"challenge":$data,"user":$subject}}
      """#,
    assertion: #"""
      {"time":$time,"method":$method,"path":$target,"status":$decision(200|403),"headers":{"X-Key-Id":$key,"X-Assertion":$token},"session":{"user":$subject}}
      """#,
    challenge: #"""
      {"time":$time,"method":"GET","path":$route(/api/attest/challenge),"status":200,"response":{"challenge":$data}}
      """#,
    noise: [
      #"""
      {"time":$time,"method":"GET","path":$pick("/health"|"/api/news"|"/api/attest/help"),"status":$pick(200|304|503)}
      """#
    ],
    noiseEnds: ["{}", #"{"headers":{}}"#, #"{"session":{"user":null}}"#],
    stray: #"{"time":$time,"method":"POST","path":$tagged(/api/v2/verify/),"status":200}"#)

  /// A server's event log in which a request names its device, and only the attestation gives the key
  /// of the device.
  static let headerAssertion = TemplateForm(
    traits: [.deviceJoin, .serverCounter, .ownFields, .textChallenges], noiseOdds: 12,
    flaws: FlawTables.headerAssertion,
    data: { kind, random in
      // A challenge, or a body that may well come again.
      guard kind == .assertion else { return .unique(&random) }
      let item = random.below(30)
      return ClientData(
        text: random.pick([
          #"{"item":\#(item)}"#, #"{"item":\#(item),"name":"Ödön \"Ö\" \#u{1F9EA}"}"#,
          "item=\(item)&confirm=yes", "", "line \(item)\r\nline\t\u{0}",
        ]))
    },
    attestation: #"""
      {"ts":$milliseconds,"event":"attest","deviceId":$device,"keyId":$key,"attestation":$token,"challenge":$data,"outcome":$decision("ok"|"denied")}
      """#,
    assertion: #"""
      {"ts":$milliseconds,"event":"request","deviceId":$device,"assertion":$token,"rawBody":$data,"previousSignCount":$counter,"outcome":$decision("ok"|"denied")}
      """#,
    noise: [
      #"""
      {"ts":$milliseconds,"event":$pick("health"|"deploy"|"Request"),"deviceId":$maybe(null),"outcome":$pick("ok"|"denied")}
      """#
    ],
    stray: #"{"ts":$milliseconds,"event":"request-v2"}"#)
}
