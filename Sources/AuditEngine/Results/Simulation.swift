internal import AppAttest
internal import AuditLog
internal import Basics
internal import RowShuffle

/// The result of judging the same lines by two policies: the requests on which the candidate decides
/// otherwise than the server did.
///
/// The server's decision is the logged one. If the log has none, it is that of the current policy.
package final class Simulation {
  package struct Counts: Sendable, Equatable {
    /// The requests that were simulated: attestations, assertions, and unreadable lines with a decision.
    package var requests: UInt64 = 0
    /// Those among them of which the log has no decision.
    package var undecided: UInt64 = 0
    package var accepted: UInt64 = 0
    /// Those among the accepted ones in which the current policy finds nothing above info.
    package var honest: UInt64 = 0
    package var refused: UInt64 = 0
    package var honestRefused: UInt64 = 0
    package var admitted: UInt64 = 0
    /// The accepted requests with a finding above info of the current policy, by code, and how many of
    /// them the candidate refuses. Indexed by `FindingCode.rawValue`.
    package var found = [UInt64](repeating: 0, count: FindingCode.allCases.count)
    package var stopped = [UInt64](repeating: 0, count: FindingCode.allCases.count)
  }

  package var current: any AuditResult { result }
  package private(set) var counts = Counts()
  /// The codes for which the candidate, and the current policy, refuse a request.
  package let candidateRefusals: [FindingCode]
  package let currentRefusals: [FindingCode]

  private let result: SortedResult
  private let candidate: SortedResult
  private let byKey: RowSorter
  private let bySubject: RowSorter
  private let row: RowBuilder

  /// Compares the verdicts of two runs over the same records.
  init(
    _ result: SortedResult, _ candidate: SortedResult, _ now: AuditConfiguration,
    candidateRefusals: [FindingCode]
  ) throws(AuditError) {
    self.result = result
    self.candidate = candidate
    currentRefusals = now.refusals
    self.candidateRefusals = candidateRefusals
    // The rows by key and by hash have left.
    func sorter() -> RowSorter {
      RowSorter(
        RowSorter.Settings(
          keyLength: SimulatedRequest.Row.keyLength, writers: 1, memory: now.limits.memory / 8,
          space: result.shuffles.space))
    }
    byKey = sorter()
    bySubject = sorter()
    row = RowBuilder(texts: result.shuffles.texts)
    try compare(SeverityPolicy(overrides: now.severities))
  }

  private func compare(_ severities: SeverityPolicy) throws(AuditError) {
    guard let verdicts = result.shuffles.verdicts, let others = candidate.shuffles.verdicts else {
      throw AuditError(.inconsistent, "a simulation has no verdicts")
    }
    let (now, then) = (CodeSet(currentRefusals), CodeSet(candidateRefusals))
    let (rows, otherRows) = (try verdicts.merged(), try others.merged())
    let writer = byKey.writer(0)
    var count: UInt64 = 0
    while let bytes = unsafe try rows.next() {
      count &+= 1
      if count & 0xFFF == 0 { try result.run.check() }
      let judged = unsafe try JudgedRequest(bytes, result.shuffles.texts)
      var other = judged
      let codes = judged.codes
      if judged.row.verdict != .unreadable {
        // The candidate has exactly the records, and no other lines.
        if let bytes = unsafe try otherRows.next() {
          other = unsafe try JudgedRequest(bytes, result.shuffles.texts)
        }
        guard other.row.position == judged.row.position, other.row.verdict != .unreadable else {
          throw AuditError(.inconsistent, "the candidate judged other records")
        }
      }
      let decision = judged.row.decision
      let wasAccepted = decision == .unknown ? !codes.intersects(now) : decision == .accepted
      let isRefused = other.codes.intersects(then)
      let found = wasAccepted ? codes.intersection(severities.aboveInfo) : CodeSet()
      self.count(judged.row, found, wasAccepted: wasAccepted, isRefused: isRefused)
      guard wasAccepted == isRefused else { continue }
      var request = SimulatedRequest(
        judged, other, isRefused ? .refused : .admitted, apps: result.shuffles.apps)
      request.reasons = (isRefused ? other.codes.intersection(then) : codes.intersection(now)).codes
      try SimulatedRequest.Row(digest: request.keyID ?? Digest256(), request: request).write(row)
      unsafe try writer.append(row.row)
    }
  }

  private func count(
    _ judged: VerdictRow, _ found: CodeSet, wasAccepted: Bool, isRefused: Bool
  ) {
    counts.requests += 1
    if judged.decision == .unknown { counts.undecided += 1 }
    guard wasAccepted else {
      if !isRefused { counts.admitted += 1 }
      return
    }
    counts.accepted += 1
    let isHonest = judged.verdict == .valid
    if isHonest { counts.honest += 1 }
    for code in found.codes { counts.found[Int(code.rawValue)] += 1 }
    guard isRefused else { return }
    counts.refused += 1
    if isHonest { counts.honestRefused += 1 }
    for code in found.codes { counts.stopped[Int(code.rawValue)] += 1 }
  }

  /// Hands over the requests on which the candidate decides otherwise, in order of key, time and place.
  /// Called once, before ``forEachBySubject(_:)``.
  package func forEachByKey(_ body: (SimulatedRequest) throws -> Void) throws {
    var now = try KeyLookup(result)
    var then = try KeyLookup(candidate)
    let writer = bySubject.writer(0)
    try forEach(byKey) { request in
      var request = request
      if let key = request.keyID {
        // The candidate trusts keys that the current policy does not, and the other way round.
        let rows = [try now.row(key), try then.row(key)]
        request.platform = rows.lazy.compactMap { $0?.platform }.first
        request.osVersion = rows.lazy.compactMap { $0?.osVersion }.first { !$0.isEmpty } ?? ""
      }
      if !request.subject.isEmpty {
        let digest = Digest256.sha256(Array(request.subject.utf8).span)
        try SimulatedRequest.Row(digest: digest, request: request).write(row)
        unsafe try writer.append(row.row)
      }
      try body(request)
    }
  }

  /// Hands over those that have a subject, in order of a digest of the subject.
  package func forEachBySubject(_ body: (SimulatedRequest) throws -> Void) throws {
    try forEach(bySubject, body)
  }

  private func forEach(
    _ sorter: RowSorter, _ body: (SimulatedRequest) throws -> Void
  ) throws {
    let rows = try sorter.merged()
    var count = 0
    while let bytes = unsafe try rows.next() {
      count &+= 1
      if count & 0xFFF == 0 { try result.run.check() }
      try body(unsafe SimulatedRequest.Row(bytes, result.shuffles.texts).request)
    }
  }
}

/// The keys of a result, asked for in their order.
private struct KeyLookup {
  private let rows: RowMerger
  private let texts: TextStore
  private var next: KeyRow?

  init(_ result: SortedResult) throws(AuditError) {
    rows = try result.shuffles.keys.merged()
    texts = result.shuffles.texts
    try advance()
  }

  private mutating func advance() throws(AuditError) {
    next = nil
    while next == nil, let bytes = unsafe try rows.next() {
      if unsafe !KeyRow.isAddition(bytes) { next = unsafe try KeyRow(bytes, texts) }
    }
  }

  /// Returns the row of a key, which is not before the one that was asked for last.
  mutating func row(_ keyID: Digest256) throws(AuditError) -> KeyRow? {
    while let key = next?.keyID, key < keyID { try advance() }
    return next?.keyID == keyID ? next : nil
  }
}

extension SimulatedRequest {
  /// Makes the request of two verdicts on it. `apps` are the App IDs of the current policy.
  fileprivate init(
    _ judged: JudgedRequest, _ other: JudgedRequest, _ change: Change, apps: [String]
  ) {
    self.change = change
    row = other.row.time == nil ? judged.row : other.row
    row.keyID = judged.row.keyID ?? other.row.keyID
    (row.verdict, row.codes) = (judged.row.verdict, judged.row.codes)
    candidate = other.row.codes
    if apps.indices.contains(Int(judged.app)) { row.appID = apps[Int(judged.app)] }
    // Values that no trusted key signs are not shown.
    if !judged.isSigned, !other.isSigned { row.take(TokenFacts()) }
  }
}
