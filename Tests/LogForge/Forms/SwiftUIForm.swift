import FindingCodes

/// The log of a small app's backend: challenges issued to sessions, attestations under the name of
/// receipts, and requests that sign their method and path.
struct SwiftUIForm: LogForm {
  let traits: FormTraits = [.subject, .challengeRecords, .ownFields, .textChallenges]
  let noiseOdds = 10

  /// Returns a challenge, or a method and a path that may well come again.
  func freshData(_ kind: LogRecord.Kind, _ random: inout ForgeRandom) -> ClientData {
    guard kind == .assertion else { return .unique(&random) }
    let note = random.below(40)
    return ClientData(
      text: random.pick([
        "GET /api/notes/\(note)", "GET /api/notes/\(note)", "DELETE /api/notes/\(note)",
        "POST /api/notes", "GET /api/notes?q=a%20b&page=\(note)", "PUT /api/notes/Zoë \(note)",
      ]))
  }

  func line(_ record: LogRecord, _ random: inout ForgeRandom) -> JSONLine {
    var line = JSONLine()
    line.add("time", text: CalendarTime.rfc3339(record.time))
    var session = JSONLine()
    switch record.kind {
    case .challenge:
      line.add("method", text: "GET")
      line.add("path", text: record.route.spell("/api/attest/challenge"))
      line.add("status", raw: "200")
      var response = JSONLine()
      response.add("challenge", ascii: record.data.bytes ?? [])
      line.add("response", object: response)
      return line
    case .attestation:
      line.add("method", text: "POST")
      line.add("path", text: record.route.spell("/api/attest/verify"))
      addStatus(of: record, to: &line)
      var body = JSONLine()
      body.add("keyId", ascii: record.spelledKey())
      body.add("receipt", ascii: record.spelledToken())
      line.add("body", object: body)
      session.add("challenge", ascii: record.data.bytes ?? [])
    case .assertion:
      let request = (record.data.text ?? "").split(
        separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      line.add("method", text: String(request[0]))
      line.add("path", text: request.count > 1 ? String(request[1]) : "")
      addStatus(of: record, to: &line)
      var headers = JSONLine()
      headers.add("X-Key-Id", ascii: record.spelledKey())
      headers.add("X-Assertion", ascii: record.spelledToken())
      line.add("headers", object: headers)
    }
    if let subject = record.subject {
      session.add("user", text: subject)
    } else {
      session.add("user", raw: "null")
    }
    line.add("session", object: session)
    return line
  }

  private func addStatus(of record: LogRecord, to line: inout JSONLine) {
    line.add("status", raw: record.decision == .rejected ? "403" : "200")
  }

  var flaws: [RecordFlaw] { FlawTables.swiftUI }

  let routeField: String? = "path"

  func strayHead(_ record: LogRecord, tag: String) -> JSONLine {
    var line = JSONLine()
    line.add("time", text: CalendarTime.rfc3339(record.time))
    line.add("method", text: "POST")
    line.add("path", text: "/api/v2/verify/\(tag)")
    line.add("status", raw: "200")
    return line
  }

  /// Returns a request that nothing protects.
  func noise(at time: Int64, _ random: inout ForgeRandom) -> JSONLine {
    var line = JSONLine()
    line.add("time", text: CalendarTime.rfc3339(time))
    line.add("method", text: "GET")
    line.add("path", text: random.pick(["/health", "/api/news", "/api/attest/help"]))
    line.add("status", raw: random.pick(["200", "304", "503"]))
    switch random.below(3) {
    case 0: break
    case 1: line.add("headers", raw: "{}")
    default: line.add("session", raw: #"{"user":null}"#)
    }
    return line
  }
}
