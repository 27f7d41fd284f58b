internal import AppAttest
internal import AuditLog
internal import Synchronization

/// One audit, from inputs to sorted rows: map, shuffle, reduce, shuffle, reduce.
package final class Audit: Sendable {
  private let configuration: AuditConfiguration
  private let progress: AuditProgress
  private let notice: @Sendable (String) -> Void
  private let verifier: AttestationVerifier
  private let runState = RunState()

  /// Checks what the configuration names; reads no input. `notice` takes one line for people at a
  /// time, from any thread.
  ///
  /// - Throws: `.trustAnchor`.
  package init(
    configuration: AuditConfiguration, progress: AuditProgress,
    notice: @escaping @Sendable (String) -> Void
  ) throws(AuditError) {
    self.configuration = configuration
    self.progress = progress
    self.notice = notice
    do throws(TrustAnchorError) {
      verifier = try AttestationVerifier(
        apps: ConfiguredApps(configuration.apps), trustAnchors: configuration.trustAnchors,
        receiptAnchors: configuration.receiptAnchors, receipts: configuration.receipts,
        attestationMaxAge: configuration.attestationMaxAge)
    } catch {
      throw AuditError(.trustAnchor, error.context)
    }
  }

  /// Stops a run as soon as possible; it then throws `.cancelled`.
  package func cancel() {
    runState.stop(AuditError(.cancelled, "the run was cancelled"))
  }

  /// Reads and judges everything. Called once.
  ///
  /// - Throws: `.temporaryStorage`, `.cancelled`, `.inconsistent`; never for bad data.
  package func run() throws(AuditError) -> any AuditResult {
    let sources = InputPlan.sources(
      configuration.inputs, standardInputName: configuration.standardInputName)
    for source in sources {
      if case .duplicate(let first) = source.origin {
        notice("\(source.name) holds the same bytes as \(sources[first].name) and is left out")
      }
    }
    progress.bytesTotal.store(sources.reduce(0) { $0 + Int($1.size) }, ordering: .relaxed)
    return try AuditRun(
      configuration: configuration, verifier: verifier, sources: sources, state: runState,
      progress: progress, notice: notice
    ).run()
  }
}
