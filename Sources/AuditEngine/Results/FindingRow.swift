internal import AppAttest
internal import AuditLog

extension Finding {
  /// Bytes of UTF-8 of each text that later runs are to know.
  private static let longestKept = 1000

  /// The row for later runs, of which long texts are cut.
  package var kept: [UInt8] {
    var row = FindingRow(finding: self)
    func cut(_ text: inout String) {
      guard text.utf8.count > Self.longestKept else { return }
      text = DetailText.beginning(of: Array(text.utf8), bytes: Self.longestKept)
    }
    cut(&row.finding.appID)
    cut(&row.finding.detail)
    for text in RequestText.allCases { cut(&row.finding[text]) }
    return row.packed
  }

  /// Reads what ``kept`` wrote, or gives nil.
  package init?(kept bytes: [UInt8]) {
    guard let finding = FindingRow(packed: bytes)?.finding,
      [finding.time, finding.relatedTime].allSatisfy({ $0.map(RowBounds.times.contains) ?? true })
    else { return nil }
    self = finding
  }
}

/// A finding as a row of its shuffle, in the order of `findings.csv`.
struct FindingRow: CodedRow {
  /// Whether there is a time, the time, source, line, code, item or byte offset, decision about a copy.
  static let keyLength = 1 + 8 + 4 + 8 + 1 + 8 + 1

  var finding = Finding()
  /// The place of a stream's damage, which orders the findings of one stream.
  var byteOffset: UInt64 = 0
  /// The decision about a copy of the request, if the row is no finding, but grades the one that comes after it.
  var copy: Decision?

  /// Returns whether a row without a finding grades this one.
  func grades(_ other: Finding) -> Bool {
    copy != nil && finding.position == other.position && finding.code == other.code
      && finding.time == other.time
  }

  /// The key of the related event, in a byte before it.
  private enum RelatedKey: UInt8 {
    case none, own, other

    init(_ finding: Finding) {
      guard let keyID = finding.relatedKeyID else {
        self = .none
        return
      }
      self = keyID == finding.keyID ? .own : .other
    }
  }

  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    var (hasTime, time) = (finding.time != nil, finding.time ?? 0)
    try coder.flag(&hasTime)
    try coder.key(time: &time)
    finding.time = hasTime ? time : nil
    // The item comes after the code (`reports.R12`). A stream has none.
    var line = Position(source: finding.position.source, line: finding.position.line, item: 0)
    try coder.key(&line)
    try coder.value(&finding.code)
    var last = line.line == 0 ? byteOffset : UInt64(finding.item)
    try coder.key(&last)
    try coder.require(line.item == 0 && (line.line == 0 || last <= UInt16.max))
    if line.line == 0 { byteOffset = last }
    line.item = line.line == 0 ? 1 : UInt16(truncatingIfNeeded: last)
    finding.position = line
    try coder.value(&copy)
    try coder.value(&finding.severity)
    try coder.value(&finding.kind)
    try coder.optional(&finding.keyID)
    try coder.text(&finding.appID)
    try coder.counted(&finding.clientDataHash)
    try coder.optional(&finding.counter)
    try coder.optional(&finding.expected)
    try coder.optional(&finding.related)
    try coder.smallCount(&finding.count)
    try coder.text(&finding.requestID)
    try coder.value(&finding.decision)
    try coder.text(&finding.subject)
    try coder.text(&finding.detail)
    try coder.number(&finding.fingerprint)
    try coder.flag(&finding.isAccepted)
    try coder.smallCount(&finding.unaccounted)
    try coder.optional(time: &finding.relatedTime)
    var relatedKey = RelatedKey(finding)
    try coder.value(&relatedKey)
    if relatedKey == .own { finding.relatedKeyID = finding.keyID }
    if relatedKey == .other {
      var keyID = finding.relatedKeyID ?? Digest256()
      try coder.digest(&keyID)
      finding.relatedKeyID = keyID
    }
    try coder.text(&finding.clientIP)
    try coder.text(&finding.userAgent)
    try coder.text(&finding.route)
  }
}
