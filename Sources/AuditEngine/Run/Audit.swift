internal import AppAttest
internal import AuditLog
internal import Basics
package import Files
internal import Synchronization

/// One audit, from inputs to sorted rows: map, shuffle, reduce, shuffle, reduce.
package final class Audit: Sendable {
  private let configuration: AuditConfiguration
  private let progress: AuditProgress
  private let notice: @Sendable (String) -> Void
  private let verifier: AttestationVerifier
  private let runState = Cancellation<AuditError>()

  /// Checks what the configuration names; reads no input. `notice` takes one line for people at a
  /// time, from any thread. Throws `.trustAnchor`.
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
        macOSAccessControl: configuration.macOSAccessControl,
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
  /// - Throws: `.temporaryStorage`, `.inputChanged`, `.cancelled`, `.inconsistent`, and what a state
  ///   throws; never for bad data.
  package func run() throws(AuditError) -> any AuditResult {
    var run = try makeRun()
    return try run.run()
  }

  /// Reads everything once, and judges it by the policies of this audit and by those of another one, which has
  /// a memory of the same earlier runs. Called once, instead of ``run()``; throws as it does.
  package func simulate(_ candidate: Audit) throws(AuditError) -> Simulation {
    var run = try makeRun()
    run.configuration.verdicts = true
    // Both have their rows at the same time.
    run.configuration.limits.halve()
    var policies = run.configuration
    policies.takePolicies(of: candidate.configuration)
    if let history = candidate.configuration.history { policies.history?.read(through: history) }
    let (now, then) = (run.configuration.refusals, policies.refusals)
    run.simulation = SimulationPart(refusals: CodeSet(now), isCandidate: false)
    let other = AuditRun(
      configuration: policies, verifier: candidate.verifier, sources: run.sources,
      numbers: run.numbers, accounted: nil, key: run.key, state: runState, progress: progress,
      notice: { _ in },
      simulation: SimulationPart(refusals: CodeSet(then), isCandidate: true))
    let (result, judged) = try run.run(beside: other)
    guard let judged else { throw AuditError(.inconsistent, "the candidate was not judged") }
    return try Simulation(result, judged, run.configuration, candidateRefusals: then)
  }

  private func makeRun() throws(AuditError) -> AuditRun {
    let inputs = try AuditInputs(
      configuration, run: runState, progress: progress, takesKinds: true, notice: notice)
    var configuration = configuration
    configuration.history = inputs.history
    let first = configuration.history?.firstSource ?? 0
    return AuditRun(
      configuration: configuration, verifier: verifier, sources: inputs.sources,
      copies: inputs.copies,
      numbers: inputs.sources.indices.map { first &+ UInt32(truncatingIfNeeded: $0) },
      accounted: inputs.accounted, key: configuration.accounting?.ledger.key ?? LineKey(),
      state: runState, progress: progress, notice: notice)
  }

  // MARK: Stages

  /// Carries out one stage of an audit whose shuffles are elsewhere. Called once. Throws as ``run()``,
  /// and `.brokenStream` and `.otherSettings`.
  package func run(_ stage: AuditStage, _ streams: StageStreams) throws(AuditError) {
    try staged.run(stage, streams)
  }

  /// Returns the result of an audit from the rows that its stages left. Called once. Throws as
  /// ``run(_:_:)``.
  package func result(_ streams: StageStreams) throws(AuditError) -> StagedResult {
    try StagedResult(staged, streams)
  }

  /// Finds the inputs that the configuration names, and writes them as the sources of a run. Throws
  /// `.brokenStream`, `.cancelled`, `.tooFewDescriptors`.
  package func plan(_ streams: StageStreams) throws(AuditError) {
    let inputs = try AuditInputs(
      configuration, run: runState, progress: progress, notice: notice)
    let output = try FrameWriter(streams.output, header: streams.header(configuration))
    let first = inputs.history?.firstSource ?? 0
    for (index, found) in inputs.sources.enumerated() {
      var source = found
      if case .file(let path) = found.origin {
        source.planned = PlannedFile(path: path, found: found.found)
      }
      try output.add(SourceRow(number: first &+ UInt32(truncatingIfNeeded: index), source).bytes)
    }
    if let accounting = configuration.accounting, let accounted = inputs.accounted {
      let marks = try inputs.history?.events.marks() ?? []
      try StageNight(startedAt: accounting.now, accounted: accounted, marks: marks)
        .write(to: output)
    }
    try output.finish()
  }

  private var staged: AuditRun {
    AuditRun(
      configuration: configuration, verifier: verifier, sources: [], numbers: [],
      accounted: nil, key: .ofStages, state: runState, progress: progress, notice: notice)
  }
}
