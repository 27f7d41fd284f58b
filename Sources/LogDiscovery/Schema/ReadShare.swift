import AppAttest
package import AuditLog

/// How much of a sample a schema reads: the lines that become records of an audit.
package struct ReadShare {
  /// Lines of one sort, and what a schema makes of them.
  package struct Count: Equatable {
    /// Lines in all.
    package var lines = 0
    /// Lines that become records, or DeviceCheck tokens.
    package var read = 0
    /// Lines that a rule fits but cannot read: an audit reports each.
    package var rejected = 0

    /// Lines that an audit would pass over.
    package var passed: Int { lines - read - rejected }
  }

  /// A line that is not read, and why.
  package struct Example {
    package var source: String
    package var line: UInt64
    /// What the audit would say of it; nil where no rule fits it.
    package var reason: String?
    /// The beginning of the line.
    package var head: String
  }

  /// Bytes of an unread line that are shown.
  private static let headBytes = 160
  /// The most unreadable lines in a hundred, as in an audit (`limits.rejectRate`).
  private static let rejectPercent = 10
  /// The least lines with tokens in a hundred that have to be looked at.
  private static let leastPercent = 99

  /// All lines that hold an object.
  package private(set) var all = Count()
  /// Those that hold a token, wherever it stands: at a pointer, or within a text, where no schema
  /// reads it and an audit says so.
  package private(set) var withToken = Count()
  /// The first line with a token that is not read.
  package private(set) var firstUnread: Example?

  /// Reads the lines of a sample by a schema.
  package init(_ schema: CompiledSchema, _ discovery: Discovery) {
    let reader = RecordReader(
      schema: schema, isAppAttestObject: AppAttestSniffer.isAppAttestObject)
    var buffer = ByteBuffer()
    for (index, line) in discovery.sample.lines.enumerated() {
      var hasToken = discovery.tokenLines.contains(index)
      all.lines += 1
      let padded = line.bytes + [UInt8](repeating: 0, count: LineBatch.padding)
      let outcome = unsafe padded.withUnsafeBufferPointer { bytes in
        unsafe reader.read(
          UnsafeBufferPointer(rebasing: bytes[..<line.bytes.count]), into: &buffer)
      }
      if case .skipped = outcome, line.holdsToken { hasToken = true }
      if hasToken { withToken.lines += 1 }
      var reason: String?
      switch outcome {
      case .record:
        all.read += 1
        if hasToken { withToken.read += 1 }
        continue
      case .deviceCheckToken:
        all.read += 1
      case .reject(let reject):
        all.rejected += 1
        if hasToken { withToken.rejected += 1 }
        reason = reject.reason
      case .skipped: break
      }
      if hasToken, firstUnread == nil || (firstUnread?.reason != nil && reason == nil) {
        firstUnread = Example(
          source: discovery.sample.sources[line.source], line: line.number, reason: reason,
          head: String(decoding: line.bytes.prefix(Self.headBytes), as: UTF8.self))
      }
    }
  }

  /// True where an audit by the schema would look at nearly every line that holds a token, and be
  /// able to read what it looks at.
  package var isWhole: Bool {
    let looked = withToken.lines - withToken.passed
    return looked * 100 >= withToken.lines * Self.leastPercent
      && withToken.rejected * 100 <= withToken.lines * Self.rejectPercent
  }
}
