internal import Basics

/// The kinds of consecutive lines of an input, as the run read them.
package struct ReadLines: Sendable {
  /// The number of the first line, counted from 1.
  private let first: UInt64
  /// The kind of each line, or nil for a line that was not read.
  private var kinds: [LineKind?] = []
  private var span: ClosedRange<Int64>?

  package init(first: UInt64) { self.first = first }

  /// Appends the next line, as one that was not read.
  package mutating func append() { kinds.append(nil) }

  package mutating func add(_ outcome: RecordOutcome) {
    guard let last = kinds.indices.last else { return }
    kinds[last] = outcome.kind(after: kinds[last])
    guard let time = outcome.requestTime else { return }
    span = span?.joined(time...time) ?? time...time
  }

  fileprivate func put(into entry: inout ReadInputs.Entry) {
    let start = Int(clamping: first) - 1
    for (line, kind) in kinds.enumerated() where start + line < entry.digests.count {
      if let kind { entry.digests[start + line] = entry.digests[start + line].with(kind) }
    }
    if start < KnownInput.mostFirst {
      entry.input.first = Array(entry.digests.prefix(KnownInput.mostFirst))
    }
    if let span { entry.input.span = entry.input.span?.joined(span) ?? span }
  }
}

extension ReadInputs {
  package mutating func take(_ lines: ReadLines, of source: UInt32) {
    // Entries are in the order of their sources.
    let index = entries.indices.searched { entries[$0].input.source < source }
    guard index < entries.count, entries[index].input.source == source else { return }
    lines.put(into: &entries[index])
  }

  package var lineBytes: Int {
    entries.reduce(0) { $0 + $1.digests.count * MemoryLayout<LineDigest>.size }
  }
}

extension RecordOutcome {
  /// Returns the kind of a line with this record after others: a request if any is one (`records.R97`).
  func kind(after kind: LineKind?) -> LineKind {
    if requestTime != nil { return .request }
    if let kind { return kind }
    if case .reject(let reject) = self, reject.code == .malformedJSON { return .other }
    return .object
  }

  /// The time of a request, in milliseconds since 1970, or nil for anything else.
  var requestTime: Int64? {
    if case .record(let kind, let time) = self, kind != .challenge { time } else { nil }
  }
}
