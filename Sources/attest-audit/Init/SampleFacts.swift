import AuditEngine
import AuditLog
import Basics
import LogDiscovery

/// The results of an audit of a sample's lines.
struct SampleFacts {
  /// The numbers of lines of one sort, by the results of reading them.
  struct Count {
    var lines = 0
    /// The number of lines that become records, or DeviceCheck tokens.
    var read = 0
    /// The number of lines that a rule fits but cannot read. An audit reports each.
    var rejected = 0
    /// The number of lines that become records, but contain more tokens than those of their records.
    var partial = 0

    var skipped: Int { lines - read - rejected - partial }

    fileprivate mutating func add(_ outcome: RecordOutcome, isPartial: Bool = false) {
      lines += 1
      switch outcome {
      case .record where isPartial: partial += 1
      case .record, .deviceCheckToken: read += 1
      case .reject: rejected += 1
      case .skipped: break
      }
    }
  }

  private(set) var all = Count()
  /// The counts for the lines that contain a token in the sense of `records.R52`.
  private(set) var withToken = Count()
  /// The first line with a token that is not read, preferably one that no rule fits, and why.
  private(set) var firstUnread: (line: SampleLine, reason: String)?
  private(set) var counts = RecordCounts()
  /// The states of the log that explain findings (`reports.R66`).
  private(set) var likelyCauses: [LikelyCause] = []

  var isWhole: Bool { withToken.read > 0 && withToken.read * 100 >= withToken.lines * 99 }

  /// Reads a sample by a schema, or by none. `unregistered` assertions have no key in the log.
  /// `tokenLines` are the indexes of lines with a token that was found.
  init(
    _ schema: CompiledSchema?, _ sample: LogSample, tokenLines: Set<Int> = [], unregistered: Int = 0
  ) {
    var bare = LogSchema.standard
    bare.skipsPrefix = true
    guard let audit = schema.map(SampleAudit.init) ?? SampleAudit(bare) else { return }
    var signs = LogSigns()
    var firstSkipped: SampleLine?
    for line in sample.logLines + sample.unread {
      let position = Position(source: UInt32(clamping: line.source), line: line.number)
      // A line with several records is read if each of its rules and elements is.
      var outcome: RecordOutcome = .skipped(.noRule)
      let place = audit.readAll(line) { found, marks, length in
        signs.add(marks, at: position, length: length)
        var item = found
        if case .record = found, let contradiction = audit.contradiction {
          item = .reject(Reject(.badEncoding, contradiction))
        }
        if schema == nil {
          guard case .reject(let reject) = item, reject.code == .malformedJSON else { return }
        }
        if case .record = item {
          counts.add(audit.record)
          if audit.record.kind == .challenge { counts.challenges += 1 }
          signs.add(audit.record, at: position)
        }
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
      case .record:
        guard let place else { break }
        firstUnread = firstUnread ?? (line, "it contains a token that no rule reads, at \(place)")
      case .skipped: break
      }
      withToken.add(outcome, isPartial: place != nil)
    }
    all.lines += sample.cut + sample.overlong
    all.rejected += sample.cut + sample.overlong
    if let firstSkipped { firstUnread = (firstSkipped, "no rule fits it") }
    likelyCauses = LikelyCause.all(signs, unregistered: UInt64(unregistered)) {
      sample.sources[Int($0)]
    }
    if let (count, words) = sample.cutValues(besides: tokenLines) {
      likelyCauses.append(
        LikelyCause(
          .cutLines, codes: [], count: UInt64(count), evidence: "\(count) \(words).",
          action: "Raise the longest value of the logger, shipper or collector."))
    }
    if let parts = likelyCauses.firstIndex(where: { $0.cause == .partLines }),
      let command = LineParts.command(sample)
    {
      likelyCauses[parts].action =
        "Join them before the audit: " + ShellText.command("\(command) | attest-audit init -")
    }
  }
}
