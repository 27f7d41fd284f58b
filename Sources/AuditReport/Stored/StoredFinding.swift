internal import AppAttest
package import AuditEngine
internal import AuditLog
internal import Basics

/// A finding of a stored report.
package struct StoredFinding: Sendable {
  package var finding: Finding
  /// The sighting, in a report of a run with a state.
  package var sighting: Sighting?
}

extension StoredFinding {
  /// Reads a line of `findings.jsonl`. Returns nil if it is not one of this program's, with the
  /// faulty member in `fault`.
  init?(_ line: StoredValue, sources: StoredSources, fault: inout String) {
    func read<Value>(_ name: String, _ body: (StoredValue) -> Value?) -> Value?? {
      guard let member = line[name] else { return .some(nil) }
      guard let value = body(member) else {
        fault = name
        return nil
      }
      return .some(value)
    }
    fault = "severity"
    guard let severity = line["severity"]?.string.flatMap(Severity.init(name:)) else { return nil }
    fault = "code"
    guard let code = line["code"]?.string.flatMap(FindingCode.init(name:)) else { return nil }
    fault = "fingerprint"
    guard let fingerprint = line["fingerprint"]?.string.flatMap(Hex.number) else {
      return nil
    }
    fault = ""
    guard
      let time = read("time", { $0.string.flatMap(CivilTime.milliseconds) }),
      let kind = read("kind", { $0.string.flatMap(RecordKind.init(name:)) }),
      let keyID = read("key_id", { $0.hexBytes.flatMap { Digest256($0) } }),
      let hash = read("client_data_hash", { $0.hexBytes }),
      let counter = read("counter", { $0.number(UInt32.self) }),
      let expected = read("expected", { $0.number(UInt32.self) }),
      let place = read("line", { $0.number(UInt64.self) }),
      let relatedLine = read("related_line", { $0.number(UInt64.self) }),
      let count = read("count", { $0.number(UInt64.self) }),
      let decision = read("decision", { $0.string.flatMap(Decision.init(name:)) }),
      let appID = read("app_id", { $0.string }), let source = read("source", { $0.string }),
      let relatedSource = read("related_source", { $0.string }),
      let requestID = read("request_id", { $0.string }), let detail = read("detail", { $0.string }),
      let subject = read("subject", { $0.string }),
      let firstSeen = read("first_seen", { $0.string }),
      let times = read("times_seen", { $0.number(UInt64.self) })
    else { return nil }
    finding = Finding(
      code, severity, at: Position(source: sources.number(source ?? ""), line: place ?? 0),
      fingerprint: fingerprint)
    finding.time = time
    finding.kind = kind
    finding.keyID = keyID
    finding.appID = appID ?? ""
    finding.clientDataHash = hash ?? []
    finding.counter = counter
    finding.expected = expected
    finding.related = relatedLine.map {
      Position(source: sources.number(relatedSource ?? ""), line: $0)
    }
    finding.count = count ?? 1
    finding.requestID = requestID ?? ""
    finding.decision = decision ?? .unknown
    finding.subject = subject ?? ""
    finding.detail = detail ?? ""
    sighting = times.map { Sighting(firstSeen: firstSeen ?? "", times: $0) }
  }
}

extension StoredFinding {
  /// Reads a row of `accepted.csv` or `withdrawn.csv`, or returns nil if it is not one of this
  /// program's. Texts stay as the table shows them.
  init?(fields: [String], sources: StoredSources) {
    let columns = FindingsCSV.header.split(separator: ",").count
    guard fields.count == columns || fields.count == columns + 2,
      let severity = Severity(name: fields[0]), let code = FindingCode(name: fields[1]),
      let hash = Hex.bytes(fields[6].utf8), let line = UInt64(fields[10]),
      let count = UInt64(fields[13]), let fingerprint = Hex.number(fields[17])
    else { return nil }
    finding = Finding(
      code, severity, at: Position(source: sources.number(fields[9]), line: line),
      fingerprint: fingerprint)
    finding.time = CivilTime.milliseconds(fields[2])
    finding.kind = RecordKind(name: fields[3])
    finding.keyID = Hex.bytes(fields[4].utf8).flatMap { Digest256($0) }
    finding.appID = fields[5]
    finding.clientDataHash = hash
    finding.counter = UInt32(fields[7])
    finding.expected = UInt32(fields[8])
    finding.related = UInt64(fields[12]).map {
      Position(source: sources.number(fields[11]), line: $0)
    }
    finding.count = count
    finding.requestID = fields[14]
    finding.decision = Decision(name: fields[15]) ?? .unknown
    finding.detail = fields[16]
    finding.subject = fields[18]
    guard fields.count > columns else { return }
    sighting = UInt64(fields[columns + 1]).map { Sighting(firstSeen: fields[columns], times: $0) }
  }
}

extension RecordKind {
  /// Makes the kind of that name, or nil if there is none.
  init?(name: String) {
    guard let kind = [Self.attestation, .assertion, .challenge].first(where: { $0.name == name })
    else { return nil }
    self = kind
  }
}

extension Decision {
  /// Makes the decision of that name, or nil if there is none.
  init?(name: String) {
    guard let decision = [Self.unknown, .accepted, .rejected].first(where: { $0.name == name })
    else { return nil }
    self = decision
  }
}
