internal import AppAttest
internal import AuditLog

/// A stage's note on a finding of an earlier run, for ``Withdrawals`` of the whole run.
struct FindingNote: CodedRow {
  enum Fate: UInt8 {
    /// A finding that is not found any more.
    case withdrawn
    /// A finding one of whose counted records is explained.
    case explained
    /// A finding that this run reports, too.
    case counted
    /// A finding one of whose counted records damage had made.
    case replaced
    /// A finding that counts none of the records at hand.
    case unsettled
  }

  var fate = Fate.counted
  var code = FindingCode.keyUnknown
  /// The key, or the device.
  var owner = Digest256()
  var fingerprint: UInt64 = 0
  /// The event that the finding is about.
  var subject = Finding()

  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.value(&fate)
    try coder.value(&code)
    try coder.digest(&owner)
    try coder.number(&fingerprint)
    var row = FindingRow(finding: subject)
    try row.fields(&coder)
    subject = row.finding
    try coder.require(subject.time.map(KeptKey.High.times.contains) ?? true)
    try coder.require(subject.clientDataHash.count <= UInt8.max)
  }
}

extension FindingNote {
  init(
    _ fate: Fate, _ code: FindingCode, of owner: Digest256, _ fingerprint: UInt64,
    _ subject: Finding
  ) {
    self.init(fate: fate, code: code, owner: owner, fingerprint: fingerprint, subject: subject)
  }

  /// Makes the note on a finding as the state has it.
  init(_ fate: Fate, _ finding: Finding) {
    self.init(
      fate, finding.code, of: finding.keyID ?? Digest256(), finding.fingerprint, finding)
  }
}
