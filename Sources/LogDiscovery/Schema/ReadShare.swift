package import AuditLog

/// The share of a sample that a schema reads: the lines that become records of an audit.
package struct ReadShare {
  /// The numbers of lines of one sort, by the results of reading them with a schema.
  package struct Count: Equatable {
    package var lines = 0
    /// The number of lines that become records, or DeviceCheck tokens.
    package var read = 0
    /// The number of lines that a rule fits but cannot read. An audit reports each.
    package var rejected = 0

    package var skipped: Int { lines - read - rejected }

    fileprivate mutating func add(_ outcome: RecordOutcome) {
      lines += 1
      switch outcome {
      case .record, .deviceCheckToken: read += 1
      case .reject: rejected += 1
      case .skipped: break
      }
    }
  }

  package private(set) var all = Count()
  /// The counts for the lines that contain a token in the sense of `records.R52`.
  package private(set) var withToken = Count()
  /// The first line with a token that is not read, preferably one that no rule fits, and why.
  package private(set) var firstUnread: (line: SampleLine, reason: String)?

  /// Reads a sample by a schema, or by none. `onItem` gets all that is found, and every record, if it is one.
  package init(
    _ schema: CompiledSchema?, _ sample: LogSample,
    onItem: (SampleLine, RecordOutcome, Record, LineSigns, _ length: Int) -> Void
  ) {
    var bare = LogSchema.standard
    bare.skipsPrefix = true
    guard let audit = schema.map(SampleAudit.init) ?? SampleAudit(bare) else { return }
    var firstSkipped: SampleLine?
    for line in sample.logLines + sample.unread {
      // A line with several records is read if each of its rules and elements is.
      var outcome: RecordOutcome = .skipped(.noRule)
      audit.readAll(line) { item, signs, length in
        var item = item
        if case .reject(let reject) = item, reject.code == .malformedJSON {
        } else if schema == nil {
          item = .skipped(.noRule)
        }
        onItem(line, item, audit.record, signs, length)
        switch (outcome, item) {
        case (.reject, _), (_, .skipped), (.record, .deviceCheckToken): break
        default: outcome = item
        }
      }
      all.add(outcome)
      guard line.holdsToken else { continue }
      switch outcome {
      // The token of DeviceCheck is not the one that was found.
      case .deviceCheckToken: outcome = .skipped(.noRule)
      case .reject(let reject): firstUnread = firstUnread ?? (line, reject.reason)
      case .skipped where schema != nil: firstSkipped = firstSkipped ?? line
      case .record, .skipped: break
      }
      withToken.add(outcome)
    }
    all.lines += sample.cut + sample.overlong
    all.rejected += sample.cut + sample.overlong
    if let firstSkipped { firstUnread = (firstSkipped, "no rule fits it") }
  }

  package var isWhole: Bool {
    withToken.read > 0 && withToken.read * 100 >= withToken.lines * 99
  }
}
