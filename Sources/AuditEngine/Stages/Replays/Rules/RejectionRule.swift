internal import AuditLog

/// The rule on records that the server rejected: what speaks against one.
struct RejectionRule {
  /// The sentence for a rejected record against which nothing speaks.
  static let detail = FindingDetail(
    "The server rejected the request, although nothing is wrong with it.")

  /// The codes that a rejected record may have and still count as valid.
  let harmless: CodeSet

  /// Returns true if nothing speaks against a rejected record. What counts all assertions of a key
  /// speaks against each of them.
  func isHarmless(_ flags: HashRow.Flags, _ codes: CodeSet) -> Bool {
    var codes = codes
    if flags.contains(.unverifiable) {
      codes.insert(flags.contains(.untrusted) ? .keyUntrusted : .keyUnknown)
    }
    return codes.subtracting(harmless).isEmpty
  }

  /// Returns what later runs are to know speaks against an event.
  func blame(_ row: HashRow) -> KeptRecord.Flags {
    guard row.decision == .rejected else { return [] }
    var blame: KeptRecord.Flags = []
    if isHarmless(row.flags, row.codes), !row.flags.contains(.mayBeReattested) {
      blame.insert(.blameless)
    }
    if !row.tentativeCodes.subtracting(harmless).isEmpty { blame.insert(.disputed) }
    return blame
  }
}
