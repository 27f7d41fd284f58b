internal import AppAttest

/// What one reduce says anew of events of earlier runs. Used by one thread.
///
/// Two events of one instant may share a fingerprint: closings wait for ``settle()``, after the last
/// event that may share it, and are made unless the finding stands for another one.
final class EarlierFindings {
  private let memory: any FindingMemory
  private let closed: ClosedFindings
  private let sink: FindingSink
  private var closings = PendingClosings()

  init(_ history: RunHistory, _ closed: ClosedFindings, _ sink: FindingSink) {
    memory = history.findings
    self.closed = closed
    self.sink = sink
  }

  /// Whether a finding was reported, and stands.
  func isOpen(_ fingerprint: UInt64) throws(AuditError) -> Bool { try memory.isOpen(fingerprint) }

  /// Takes note that a finding is, or may be, found of an event.
  func stands(_ fingerprint: UInt64) { closings.stands(fingerprint) }

  /// Takes note that not all events are known that a finding may be found of: none is closed.
  func closesNothing() { closings.isBlocked = true }

  /// Takes note that a finding is not found of an event of the key or device `owner`.
  func close(_ code: FindingCode, of owner: Digest256, _ fingerprint: UInt64) {
    closings.close(code, of: owner, fingerprint)
  }

  /// Reports what is found only now of an event of an earlier run, unless one has reported it; what
  /// speaks against a rejected record closes its `decision.rejected_valid`.
  ///
  /// - Returns: whether it was reported.
  func report(
    _ code: FindingCode, _ subject: FindingSubject, of owner: Digest256, expected: UInt32? = nil,
    related: Position? = nil, _ detail: String
  ) throws(AuditError) -> Bool {
    let fingerprint = subject.fingerprint(code)
    stands(fingerprint)
    if subject.decision == .rejected, code != .decisionRejectedValid, !sink.isHarmless(code) {
      let valid = subject.fingerprint(.decisionRejectedValid)
      closed.blame(valid)
      close(.decisionRejectedValid, of: owner, valid)
    }
    guard try !isOpen(fingerprint) else { return false }
    try sink.emit(code, subject, expected: expected, related: related, detail: detail)
    return true
  }

  /// Whether something was found of an event after it was judged that has nothing to do with its
  /// challenge: by another run, or by the reduce by key of this one.
  func isBlamed(_ subject: FindingSubject) throws(AuditError) -> Bool {
    if closed.isBlamed(subject.fingerprint(.decisionRejectedValid)) { return true }
    for code in Self.foundLater where !sink.isHarmless(code) {
      if try isOpen(subject.fingerprint(code)) { return true }
    }
    return false
  }

  private static let foundLater: [FindingCode] = [
    .keySubjectChanged, .counterRegression, .counterRepeated, .counterGap, .counterReordered,
    .counterServerMismatch, .replayAssertion, .replayAttestation, .replayCrossKey,
    .replayClientDataHash, .replayRetry, .recordDuplicate,
  ]

  /// Closes what stands for no event.
  func settle() throws(AuditError) {
    for closing in closings.end() {
      try closed.close(closing.code, of: closing.owner, fingerprint: closing.fingerprint)
    }
  }
}
