package import AppAttest
internal import Basics

/// The facts of a valid attestation about its key, for `keys.csv` and later runs.
package struct KeyFacts: CodedRow, Sendable, Equatable {
  package var osVersion: String
  package var category: ValidationCategory?
  package var bundleVersion = ""
  package var receiptType = ""
  /// Milliseconds since 1970, UTC.
  package var receiptCreated: Int64?
  package var riskMetric = ""
  package var platform: KeyPlatform?

  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.text(&osVersion)
    try coder.optional(&category)
    try coder.text(&bundleVersion)
    try coder.text(&receiptType)
    try coder.optional(time: &receiptCreated)
    try coder.text(&riskMetric)
    try coder.value(&platform)
  }
}

extension KeyFacts {
  package init() { self.init(osVersion: "") }

  /// Makes the facts of a valid attestation, and of its receipt if that is valid.
  init(_ judged: JudgedAttestation, _ receipt: ReceiptFacts?) {
    self.init(
      osVersion: judged.origin.osVersion, category: judged.extensions.category.value,
      bundleVersion: judged.extensions.bundleVersion.value ?? "",
      receiptType: receipt?.type ?? "", receiptCreated: receipt?.creationTime,
      riskMetric: receipt?.riskMetric ?? "", platform: judged.origin.platform)
  }
}
