import AppAttest
package import AuditEngine
import AuditLog
import Foundation

/// Whole audits in this process, as the program runs them, without a report.
package struct SmallAudit: Sendable {
  /// The result of an audit.
  package struct Outcome: Equatable {
    package var findings: [Finding] = []
    package var keys: [KeyRow] = []
    package var verdicts: [VerdictRow] = []
    package var rejects: [RejectRow] = []
    package var inputs: [InputRow] = []
    /// Findings by severity, indexed by `Severity.rawValue`.
    package var severities: [UInt64] = []
    package var closed: [ClosedFinding] = []
    /// Whether an input was not read whole, or is another log.
    package var isPartial = false

    /// The exit status if findings of high severity fail a run.
    package var status: Int32 {
      isPartial ? 2 : severities[Int(Severity.high.rawValue)...].contains { $0 > 0 } ? 1 : 0
    }
  }

  private let configuration: AuditConfiguration

  /// Makes audits with the anchors in a folder, and the apps, of the synthetic authority. `scratch`
  /// takes the spilled rows.
  package init(_ scratch: Scratch, anchors folder: String) throws {
    func anchors(_ name: String) throws -> [[UInt8]] {
      let file = URL(filePath: "\(folder)/synthetic-\(name)-root.pem")
      return try TrustAnchors.certificates(pem: Array(Data(contentsOf: file)))
    }
    configuration = AuditConfiguration(
      inputs: [], apps: SyntheticDay.apps, trustAnchors: try anchors("attestation"),
      receiptAnchors: try anchors("receipt"),
      limits: AuditLimits(memory: 256 << 20, jobs: 1, tempDirectory: scratch.path))
  }

  /// Audits some files and folders, with a few settings changed.
  package func run(
    _ inputs: [String], _ change: (inout AuditConfiguration) -> Void = { _ in }
  ) throws -> Outcome {
    let result = try result(inputs, change)
    var outcome = Outcome()
    try result.forEachFinding { outcome.findings.append($0) }
    try result.forEachKey { outcome.keys.append($0) }
    try result.forEachVerdict { outcome.verdicts.append($0) }
    try result.forEachReject { outcome.rejects.append($0) }
    try result.forEachWithdrawn { _, _ in }
    outcome.inputs = result.inputs
    outcome.severities = result.totals.findingsBySeverity
    outcome.closed = result.closed
    outcome.isPartial = result.isPartial(above: configuration.limits.rejectRate)
    return outcome
  }

  /// Returns the result of such an audit as it is.
  package func result(
    _ inputs: [String], _ change: (inout AuditConfiguration) -> Void = { _ in }
  ) throws -> any AuditResult {
    try audit(inputs, change).run()
  }

  /// Simulates a candidate whose settings a second change makes.
  package func simulate(
    _ inputs: [String], _ change: (inout AuditConfiguration) -> Void,
    candidate: (inout AuditConfiguration) -> Void
  ) throws -> Simulation {
    try audit(inputs, change).simulate(audit(inputs, candidate))
  }

  private func audit(
    _ inputs: [String], _ change: (inout AuditConfiguration) -> Void
  ) throws -> Audit {
    var configuration = configuration
    configuration.inputs = inputs
    configuration.verdicts = true
    change(&configuration)
    return try Audit(configuration: configuration, progress: AuditProgress(), notice: { _ in })
  }
}
