internal import AppAttest
internal import AuditLog

/// A line that is not a record, with what its report needs.
struct RejectedLine: Sendable {
  var reject: Reject
  var position: Position
  var byteOffset: UInt64
  var sha256: Digest256
  var head: [UInt8]
  var severity: Severity

  var code: FindingCode { FindingCode(reject.code) }
}

/// The first rejects of some lines in a row, as many as are reported, and the number of others.
struct RejectedLines: Sendable {
  private(set) var first: [RejectedLine] = []
  private(set) var further: RejectedLine?
  private(set) var furtherCount: UInt64 = 0

  /// Adds a reject. The finding about those beyond the limit is as severe as the worst of them.
  mutating func add(limit: Int, _ severity: Severity, _ line: () -> RejectedLine) {
    if first.count < limit {
      first.append(line())
    } else {
      addFurther(severity, line())
    }
  }

  private mutating func addFurther(_ severity: Severity, _ line: @autoclosure () -> RejectedLine) {
    furtherCount += 1
    if further == nil { further = line() }
    if let most = further?.severity { further?.severity = max(most, severity) }
  }

  /// Adds the rejects of the lines that follow, and returns those of them that are reported.
  mutating func admit(_ next: RejectedLines, limit: Int, admitted: inout Int) -> [RejectedLine] {
    let count = min(limit - admitted, next.first.count)
    admitted += count
    for line in next.first.dropFirst(count) { addFurther(line.severity, line) }
    if let line = next.further {
      addFurther(line.severity, line)
      furtherCount += next.furtherCount - 1
    }
    return Array(next.first.prefix(count))
  }
}

/// The facts of the batches of one source that are settled in the order of their lines: the shapes of lines with tokens that
/// are not audited, and the rejects, of which only so many are reported (`records.R95`).
struct SourceSettlement: Sendable {
  struct Part: Sendable {
    var shapes: [SkippedShape] = []
    var rejects = RejectedLines()
  }

  private let limit: Int
  /// Parts that came before those that precede them, by their number in the source.
  private var waiting: [UInt64: Part] = [:]
  private var next: UInt64 = 0
  /// The number of all batches, once it is known.
  private var count: UInt64?
  private var tokens = SkippedTokens()
  private var rejects = RejectedLines()
  private var admitted = 0

  init(limit: Int) { self.limit = limit }

  mutating func add(_ part: Part, sequence: UInt64) -> [RejectedLine] {
    waiting[sequence] = part
    var lines: [RejectedLine] = []
    while let part = waiting.removeValue(forKey: next) {
      next += 1
      for shape in part.shapes { tokens.add(shape) }
      lines += rejects.admit(part.rejects, limit: limit, admitted: &admitted)
    }
    return lines
  }

  mutating func end(batches: UInt64) { count = batches }

  /// The shapes, and the first reject beyond the limit with the number of all these, once all batches came.
  var result: (shapes: [SkippedShape], further: (RejectedLine, UInt64)?)? {
    guard next == count else { return nil }
    return (tokens.shapes, rejects.further.map { ($0, rejects.furtherCount) })
  }
}
