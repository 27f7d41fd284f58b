internal import AppAttest
internal import AuditEngine
internal import Synchronization

/// The findings of one run of a ``MemoryHistory``, for calls from many threads.
final class MemoryFindings: FindingMemory {
  private struct State {
    var remembered: [UInt64: Finding] = [:]
    var closed: Set<UInt64> = []
    var explained: [UInt64: UInt64] = [:]
  }

  private let earlier: [UInt64: MemoryState.Reported]
  private let isAdvance: Bool
  private let state = Mutex(State())

  init(_ earlier: [UInt64: MemoryState.Reported], isAdvance: Bool) {
    self.earlier = earlier
    self.isAdvance = isAdvance
  }

  var remembered: [UInt64: Finding] {
    state.withLock { $0.remembered }
  }
  var explained: [UInt64: UInt64] { state.withLock { $0.explained } }
  var closed: Set<UInt64> { state.withLock { $0.closed } }

  func sighting(_ fingerprint: UInt64) throws(AuditError) -> Sighting? {
    guard let reported = earlier[fingerprint] else { return nil }
    var sighting = reported.sighting
    sighting.isClosed = reported.isClosed
    return sighting
  }

  func standing(at source: UInt32) throws(AuditError) -> [Finding] { [] }

  func remember(_ finding: Finding) throws(AuditError) {
    guard isAdvance else { throw AuditError.misuse("a finding is remembered without advance") }
    state.withLock { state in
      let other = state.remembered[finding.fingerprint]
      if let other, other.severity > finding.severity { return }
      state.remembered[finding.fingerprint] = finding
    }
  }

  func explain(_ fingerprint: UInt64, records: UInt64) throws(AuditError) {
    guard isAdvance else { throw AuditError.misuse("a finding is explained without advance") }
    state.withLock { $0.explained[fingerprint, default: 0] += records }
  }

  func close(_ fingerprint: UInt64) throws(AuditError) {
    guard isAdvance else { throw AuditError.misuse("a finding is closed without advance") }
    guard let reported = earlier[fingerprint], !reported.isClosed else {
      throw AuditError.misuse("a finding is closed that does not stand")
    }
    state.withLock { _ = $0.closed.insert(fingerprint) }
  }
}
