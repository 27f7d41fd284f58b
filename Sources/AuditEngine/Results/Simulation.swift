internal import AppAttest
internal import AuditLog
internal import Basics
internal import RowShuffle

/// The result of judging the same lines by two policies: the requests on which the candidate decides
/// otherwise than the server did.
///
/// The server's decision is the logged one. If the log has none, it is that of the current policy.
package final class Simulation {
  /// The counts of requests.
  package struct Counts: Sendable, Equatable {
    /// The requests that were simulated: attestations, assertions, and unreadable lines with a decision.
    package var requests: UInt64 = 0
    /// Those among them of which the log has no decision.
    package var undecided: UInt64 = 0
    /// Those that were accepted.
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

  /// The result by the current policy.
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

  /// Compares the verdicts on each record. Both results have them.
  init(
    _ result: SortedResult, _ candidate: SortedResult, _ now: AuditConfiguration,
    _ policies: AuditConfiguration
  ) throws(AuditError) {
    self.result = result
    self.candidate = candidate
    currentRefusals = now.refusal.codes(severities: now.severities)
    candidateRefusals = policies.refusal.codes(severities: policies.severities)
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
    let aboveInfo = [Decision.unknown, .accepted, .rejected].map { severities.codesAboveInfo($0) }
    let (rows, otherRows) = (try verdicts.merged(), try others.merged())
    let writer = byKey.writer(0)
    var count: UInt64 = 0
    while let bytes = unsafe try rows.next() {
      count &+= 1
      if count & 0xFFF == 0 { try result.run.check() }
      let verdict = unsafe try VerdictRow(bytes, result.shuffles.texts)
      var other: VerdictRow?
      switch verdict.verdict {
      case .known, .skipped: continue
      case .unreadable: if verdict.decision == .unknown { continue }
      case .valid, .flagged, .failed, .unverifiable, .challenge:
        // The candidate has exactly the records, and no other lines.
        guard let bytes = unsafe try otherRows.next() else { break }
        other = unsafe try VerdictRow(bytes, candidate.shuffles.texts)
      }
      guard verdict.verdict == .unreadable || other?.position == verdict.position else {
        throw AuditError(.inconsistent, "the candidate judged other records")
      }
      guard verdict.verdict != .challenge else { continue }
      let codes = CodeSet(verdict.codes)
      let otherCodes = other.map { CodeSet($0.codes) } ?? codes
      let wasAccepted =
        verdict.decision == .unknown ? !codes.intersects(now) : verdict.decision == .accepted
      let isRefused = otherCodes.intersects(then)
      let found =
        wasAccepted ? codes.intersection(aboveInfo[Int(verdict.decision.rawValue)]) : CodeSet()
      self.count(verdict, found, wasAccepted: wasAccepted, isRefused: isRefused)
      guard wasAccepted == isRefused else { continue }
      var request = SimulatedRequest(verdict, other, isRefused ? .refused : .admitted)
      request.reasons = (isRefused ? otherCodes.intersection(then) : codes.intersection(now)).codes
      try SimulatedRequest.Row(request.keyID ?? Digest256(), request).write(row)
      unsafe try writer.append(row.row)
    }
  }

  private func count(
    _ verdict: VerdictRow, _ found: CodeSet, wasAccepted: Bool, isRefused: Bool
  ) {
    counts.requests += 1
    if verdict.decision == .unknown { counts.undecided += 1 }
    guard wasAccepted else {
      if !isRefused { counts.admitted += 1 }
      return
    }
    counts.accepted += 1
    let isHonest = verdict.verdict == .valid
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
        try SimulatedRequest.Row(digest, request).write(row)
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
  fileprivate init(_ verdict: VerdictRow, _ other: VerdictRow?, _ change: Change) {
    self.change = change
    time = verdict.time
    kind = verdict.kind
    keyID = verdict.keyID ?? other?.keyID
    position = verdict.position
    decision = verdict.decision
    current = verdict.codes
    candidate = other?.codes ?? verdict.codes
    self.verdict = verdict.verdict
    subject = verdict.subject
    requestID = verdict.requestID
    appID = verdict.appID
    let hasBuild =
      verdict.category != nil || !verdict.bundleVersion.isEmpty || !verdict.codeHash.isEmpty
    let signed = hasBuild ? verdict : other ?? verdict
    category = signed.category
    bundleVersion = signed.bundleVersion
    codeHash = signed.codeHash
  }
}
