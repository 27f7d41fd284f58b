import AppAttest
package import AuditLog

/// The share of a sample that a schema reads: the lines that become records of an audit.
package struct ReadShare {
  /// The numbers of lines of one sort, by the results of reading them with a schema.
  package struct Count: Equatable {
    /// The number of all lines.
    package var lines = 0
    /// The number of lines that become records, or DeviceCheck tokens.
    package var read = 0
    /// The number of lines that a rule fits but cannot read. An audit reports each.
    package var rejected = 0

    /// The number of lines that an audit would skip.
    package var passed: Int { lines - read - rejected }
  }

  /// A line that is not read, with the reason.
  package struct Example {
    package var source: String
    package var line: UInt64
    /// The message of the audit about it, or nil if no rule fits it.
    package var reason: String?
    /// The beginning of the line.
    package var head: String
  }

  /// The number of bytes of an unread line that are shown.
  private static let headBytes = 160
  /// The largest number of unreadable lines in a hundred, as in an audit (`limits.rejectRate`).
  private static let rejectPercent = 10
  /// The smallest number of lines with tokens in a hundred that have to be looked at.
  private static let leastPercent = 99

  /// The counts for all lines that hold an object.
  package private(set) var all = Count()
  /// The counts for the lines that hold a token in any place: at a pointer, or within a text, where
  /// no schema reads it and an audit reports it.
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

  /// True where an audit with the schema would look at nearly every line that holds a token, and
  /// could read the lines that it looks at.
  package var isWhole: Bool {
    let looked = withToken.lines - withToken.passed
    return looked * 100 >= withToken.lines * Self.leastPercent
      && withToken.rejected * 100 <= withToken.lines * Self.rejectPercent
  }
}
