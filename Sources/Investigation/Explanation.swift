internal import AppAttest
package import AuditEngine
package import AuditLog
package import AuditReport
internal import AuditSettings
internal import Basics

package struct Explanation: Sendable {
  package enum InputState: Sendable, Equatable {
    case same
    /// The input has grown. Its first bytes are those of the report.
    case grown
    case changed
    /// The report has no SHA-256 of the input.
    case unknown
    case missing
  }

  /// The place of a record, and the facts read there.
  package struct Evidence: Sendable {
    package let source: String
    /// The number of the line, or 0 for a finding about a stream.
    package let line: UInt64
    package var item: UInt16 = 1
    package var path: String?
    /// Whether the file has another name now, and was found by its content.
    package var isMoved = false
    package var state: InputState
    package var sha256: String?
    package var reportedSHA256: String?
    package var found: FoundLine?
    package var damage: [SourceDamage] = []
    package var inspection: Inspection?
    package var record: DecodedRecord?
    /// The signs of a line without a record.
    package var signs: LineSigns = []
    /// The public key that the record's signature was checked with or can be checked with.
    package var publicKey: [UInt8]?

    /// The part of the input that is missing, as a clause, or nil if all that the report names was found.
    package var gap: String? {
      switch state {
      case .missing where line > 0 || reportedSHA256 != nil: "no file with its content was found"
      case .changed: "the file has changed since the report"
      default: line > 0 && found == nil ? "the file has no such line" : nil
      }
    }
  }

  package let finding: ReportedFinding
  package let row: [UInt8]
  package var entry: FindingEntry { finding.finding.code.entry }
  package var causes: [LikelyCause] = []
  package var evidence: Evidence
  package var related: Evidence?
  package var outcome: Reenactment.Outcome?
  package var isConfirmed = false
  /// The reasons why it was not found again, and other remarks, a sentence each.
  package var remarks: [String] = []

  /// The values of the two records side by side, or empty if there is only one record.
  package var pairs: [(name: String, earlier: String, later: String)] {
    guard let later = evidence.inspection, let earlier = related?.inspection else { return [] }
    func values(_ inspection: Inspection) -> [(String, String)] {
      (inspection.record + inspection.token.filter { ["counter", "signature"].contains($0.name) })
        .map { ($0.name, $0.value) }
    }
    let (first, second) = (values(earlier), values(later))
    var names = first.map(\.0)
    for (name, _) in second where !names.contains(name) { names.append(name) }
    return names.map { name in
      (name, first.first { $0.0 == name }?.1 ?? "none", second.first { $0.0 == name }?.1 ?? "none")
    }
  }

  /// One sentence that needs no knowledge of App Attest.
  package var conclusion: String {
    let finding = finding.finding
    let when = finding.time.map { time in
      let text = CivilTime(milliseconds: time).text
      return "At \(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
    }
    let what =
      switch finding.kind {
      case .attestation: "a registration"
      case .challenge: "a challenge"
      case .assertion: "a request"
      case nil: finding.position.line == 0 ? "a log file" : "a log line"
      }
    let server =
      switch finding.decision {
      case .accepted: "the server accepted \(what)"
      case .rejected: "the server rejected \(what)"
      case .unknown: "\(what) was logged"
      }
    let opening =
      when.map { "\($0) \(server)" } ?? server.prefix(1).uppercased() + server.dropFirst()
    let proof =
      if finding.code == .streamMissing {
        "What is not there cannot be checked again"
      } else if finding.code == .streamUnreadable, finding.position.line == 0 {
        isConfirmed ? "The input still cannot be read" : "The input can be read now"
      } else if evidence.state == .missing {
        "The log was not there, so that this was not checked again"
      } else if !isConfirmed {
        "The logs at hand do not confirm this"
      } else if let text = evidence.inspection?.signedText {
        "But the device signed \(text): the schema may map the wrong field, and then this is no attack"
      } else if finding.code == .keyUnknown {
        "A second check found no registration of this key in the same logs. That alone shows no attack"
      } else {
        switch evidence.state {
        case .same, .grown: "A second check of the same log confirms this"
        case .changed, .missing, .unknown: "A second check of the log confirms this"
        }
      }
    let isStream = finding.kind == nil && finding.position.line == 0
    return (isStream ? "" : "\(opening). ") + "The audit reports \"\(entry.title)\". \(proof)."
  }

  /// Sentences that say where the event and the earlier one are logged, and of whom.
  package var facts: String {
    let finding = finding.finding
    var text = Self.facts(
      "It is", evidence,
      [
        ("app", finding.appID), ("key", finding.keyID?.hex ?? ""), ("account", finding.subject),
        ("client", finding.clientIP), ("user agent", finding.userAgent),
        ("request", finding.requestID), ("counter", finding.counter.map { "\($0)" } ?? ""),
      ])
    guard let related, related.inspection != nil else { return text }
    let earlier = Dictionary(pairs.map { ($0.name, $0.earlier) }) { first, _ in first }
    text +=
      " "
      + Self.facts(
        "The earlier event is", related,
        ["time", "decision", "subject", "client", "user agent", "request", "counter"].map {
          ($0 == "subject" ? "account" : $0, earlier[$0].flatMap { $0 == "none" ? nil : $0 } ?? "")
        })
    // Two tokens, signed one after the other by one key, and one of them not by its owner.
    if [.counterRepeated, .counterRegression].contains(finding.code) {
      text += " The log does not show which of the two is the owner's."
    }
    return text
  }

  private static func facts(
    _ opening: String, _ evidence: Evidence, _ values: [(name: String, text: String)]
  ) -> String {
    let line = evidence.line == 0 ? "" : "line \(evidence.line) of "
    let names = values.filter { !$0.text.isEmpty }.map {
      "\($0.name) \(PrintableText.line($0.text, limit: 200))"
    }
    return "\(opening) \(line)\(PrintableText.line(evidence.source, limit: 500))"
      + (names.isEmpty ? "." : ": \(names.joined(separator: ", ")).")
  }
}

/// The names of findings: a fingerprint, its first digits, or the place `FILE:LINE`.
extension StoredReport {
  /// The fewest digits that stand for a whole fingerprint or key.
  package static let fewestDigits = 8

  /// Returns a text in lower case if it may be the beginning of a fingerprint.
  package static func fingerprint(_ text: String) -> String? {
    (fewestDigits...16).contains(text.utf8.count) && text.allSatisfy(\.isHexDigit)
      ? text.lowercased() : nil
  }

  /// Returns the parts of `FILE:LINE`, or nil for another text.
  package static func place(_ text: String) -> (file: String, line: UInt64)? {
    guard let colon = text.lastIndex(of: ":"), let line = UInt64(text[text.index(after: colon)...])
    else { return nil }
    return (String(text[..<colon]), line)
  }

  /// Returns the place `FILE:LINE` that a text names if it is in one of the inputs and has no finding, otherwise nil.
  package func placeWithoutFinding(named text: String) throws -> String? {
    guard Self.fingerprint(text) == nil, let (name, line) = Self.place(text), line > 0 else {
      return nil
    }
    let input = summary.inputs.first { $0.source == name || $0.source.hasSuffix("/" + name) }
    guard let input, try findings(at: name, line: line).isEmpty else { return nil }
    return "\(input.source):\(line)"
  }

  /// Returns the findings that a text names: one for a fingerprint, all of a place.
  package func findings(named text: String) throws -> [FoundFinding] {
    if let digits = Self.fingerprint(text) {
      let found = try findings(fingerprint: digits)
      guard found.count <= 1 else {
        let names = found.prefix(5).map { Fingerprint.text($0.finding.finding.fingerprint) }
        throw CommandError(
          .usage,
          "\(found.count) fingerprints begin with \(digits): "
            + names.joined(separator: ", ") + (found.count > names.count ? ", …" : ""),
          hint: "give more digits")
      }
      guard found.isEmpty else { return found }
      throw CommandError(
        .usage, "\(path) has no finding with the fingerprint \(digits)",
        hint: "see the column fingerprint of findings.csv; those of withdrawn.csv and accepted.csv "
          + "are explained from the report that has them in findings.csv")
    }
    let (file, line) = try Self.place(text).orThrow(
      "'\(text)' is neither a fingerprint (8 to 16 hex digits) nor FILE:LINE",
      hint: "see the columns fingerprint, source and line of findings.csv")
    let found = try findings(at: file, line: line)
    guard found.isEmpty else { return found }
    throw CommandError(
      .usage, "\(path) has no finding at \(text)",
      hint: "write the file as in the column source of findings.csv")
  }
}
