internal import AuditEngine
package import AuditReport
package import AuditSettings

/// The names by which a user calls the findings of a report: a fingerprint, the first digits of
/// one, or the place `FILE:LINE`.
extension StoredReport {
  /// The fewest digits that stand for a whole fingerprint or key.
  package static let fewestDigits = 8

  /// Returns a text in lower case if it may be the beginning of a fingerprint.
  package static func fingerprint(_ text: String) -> String? {
    (fewestDigits...16).contains(text.utf8.count) && text.allSatisfy(\.isHexDigit)
      ? text.lowercased() : nil
  }

  /// Returns the findings that a text names: one for a fingerprint, all of a place.
  package func findings(named text: String) throws(CommandError) -> [FoundFinding] {
    if let digits = Self.fingerprint(text) {
      let found = try told { () throws(ReportError) in try findings(fingerprint: digits) }
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
        hint: "see the column fingerprint of findings.csv; withdrawn and accepted findings "
          + "are in other files")
    }
    guard let colon = text.lastIndex(of: ":"), let line = UInt64(text[text.index(after: colon)...])
    else {
      throw CommandError(
        .usage, "'\(text)' is neither a fingerprint (8 to 16 hex digits) nor FILE:LINE",
        hint: "see the columns fingerprint, source and line of findings.csv")
    }
    let found = try told { () throws(ReportError) in
      try findings(at: String(text[..<colon]), line: line)
    }
    guard found.isEmpty else { return found }
    throw CommandError(
      .usage, "\(path) has no finding at \(text)",
      hint: "write the file as in the column source of findings.csv")
  }
}
