internal import AppAttest
internal import AuditLog

/// A line that is not a record, with what its report needs.
struct RejectedLine: Sendable {
  var reject: Reject
  var position: Position
  var byteOffset: UInt64
  var sha256: Digest256
  /// The first bytes of the line.
  var head: [UInt8]
  var severity: Severity

  var code: FindingCode { FindingCode(reject.code) }
}

/// The first rejects of some lines in a row, as many as are reported, and the number of others.
struct RejectedLines: Sendable {
  private(set) var first: [RejectedLine] = []
  private(set) var further: RejectedLine?
  private(set) var furtherCount: UInt64 = 0

  /// Adds a reject; `line` is called if it is one of the first ones, or the first of the others. The finding
  /// about the others is as severe as the most severe of them.
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
  private var order = InOrder<Part>()
  private var tokens = SkippedTokens()
  private var rejects = RejectedLines()
  private var admitted = 0

  init(limit: Int) { self.limit = limit }

  /// Adds the part of a batch, and returns the rejects to report now.
  mutating func add(_ part: Part, sequence: UInt64) -> [RejectedLine] {
    order.add(part, sequence: sequence).flatMap { part in
      for shape in part.shapes { tokens.add(shape) }
      return rejects.admit(part.rejects, limit: limit, admitted: &admitted)
    }
  }

  /// Sets the number of the source's batches.
  mutating func end(batches: UInt64) { order.end(count: batches) }

  /// The shapes, and the first reject beyond the limit with the number of all these, once all batches came.
  var result: (shapes: [SkippedShape], further: (RejectedLine, UInt64)?)? {
    guard order.isComplete else { return nil }
    return (tokens.shapes, rejects.further.map { ($0, rejects.furtherCount) })
  }
}

/// The parts of a source's batches, which can be finished in any order, in the order of their lines.
struct InOrder<Part: Sendable>: Sendable {
  /// Parts that came before those that precede them, by their number in the source.
  private var waiting: [UInt64: Part] = [:]
  private var next: UInt64 = 0
  /// The number of all batches, once it is known.
  private var count: UInt64?

  /// Whether all parts have come and the number of batches is known.
  var isComplete: Bool { next == count }

  /// Adds the part of a batch, and returns those whose turn it is.
  mutating func add(_ part: Part, sequence: UInt64) -> [Part] {
    waiting[sequence] = part
    var ready: [Part] = []
    while let part = waiting.removeValue(forKey: next) {
      ready.append(part)
      next += 1
    }
    return ready
  }

  /// Sets the number of all batches.
  mutating func end(count: UInt64) { self.count = count }
}
