internal import AppAttest
internal import AuditEngine
internal import Basics

extension KeyRow {
  /// Reads a row of `keys.csv`, or returns nil if it is not one of this program's. Texts stay as
  /// the table shows them.
  init?(stored fields: [String]) {
    guard fields.count == KeysHeader.text.split(separator: ",").count,
      let keyID = Hex.bytes(fields[0].utf8).flatMap({ Digest256($0) }),
      let status = KeyStatus.allCases.first(where: { $0.name == fields[3] }),
      let firstSeen = CivilTime.milliseconds(fields[5]),
      let lastSeen = CivilTime.milliseconds(fields[6])
    else { return nil }
    let counts = fields[7...10].compactMap { UInt64($0) }
    guard counts.count == 4, let findings = UInt64(fields[14]) else { return nil }
    self.init(keyID, status, firstSeen: firstSeen, lastSeen: lastSeen)
    appID = fields[1]
    environment = AttestEnvironment.allCases.first { $0.name == fields[2] }
    attestedAt = CivilTime.milliseconds(fields[4])
    (attestations, assertions, verified, failed) = (counts[0], counts[1], counts[2], counts[3])
    firstCounter = UInt32(fields[11])
    lastCounter = UInt32(fields[12])
    missingCounters = UInt64(fields[13])
    self.findings = findings
    worstSeverity = Severity(name: fields[15])
    subject = fields[16]
    osVersion = fields[17]
    category =
      ValidationCategory(name: fields[18])
      ?? UInt32(fields[18]).map(ValidationCategory.init(rawValue:))
    bundleVersion = fields[19]
    receiptType = fields[20]
    receiptCreated = CivilTime.milliseconds(fields[21])
    riskMetric = fields[22]
  }
}
