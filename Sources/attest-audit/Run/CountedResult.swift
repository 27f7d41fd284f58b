import AuditEngine

/// A result that counts its rejects by source while they are read.
final class CountedResult: AuditResult {
  private let base: any AuditResult
  /// Unreadable lines by the order of their source; only those of sources that have any.
  private(set) var rejects: [UInt32: UInt64] = [:]

  init(_ base: any AuditResult) {
    self.base = base
  }

  var sources: [String] { base.sources }
  var inputs: [InputRow] { base.inputs }
  var totals: AuditTotals { base.totals }

  func forEachFinding(_ body: (Finding) throws -> Void) throws {
    try base.forEachFinding(body)
  }

  func forEachKey(_ body: (KeyRow) throws -> Void) throws {
    try base.forEachKey(body)
  }

  func forEachReject(_ body: (RejectRow) throws -> Void) throws {
    try base.forEachReject { reject in
      rejects[reject.position.source, default: 0] += 1
      try body(reject)
    }
  }

  func forEachVerdict(_ body: (VerdictRow) throws -> Void) throws {
    try base.forEachVerdict(body)
  }

  /// A line for each input of which more than `rate` (0 to 1) is unreadable, in their order: it was
  /// most likely read with the wrong schema.
  func warnings(rate: Double) -> [String] {
    let lines = Dictionary(
      inputs.map { ($0.source, $0.lines) }, uniquingKeysWith: { first, _ in first })
    return rejects.sorted { $0.key < $1.key }.compactMap { source, count in
      guard Int(source) < sources.count, case let name = sources[Int(source)],
        let all = lines[name], all > 0, Double(count) > rate * Double(all)
      else { return nil }
      return "\(name): \(count) of \(all) lines cannot be read with the schema 'default'"
    }
  }
}
