import AuditEngine
import AuditLog
import LogDiscovery

/// The findings of an audit in the lines of a sample.
struct SampleFacts {
  let share: ReadShare
  /// The counts of the records.
  let counts: RecordCounts
  /// The states of the log that explain findings (`reports.R66`).
  let likelyCauses: [LikelyCause]

  /// Reads a sample by a schema, or by none. `unregistered` assertions have no key in the log.
  init(_ schema: CompiledSchema?, _ sample: LogSample, unregistered: Int = 0) {
    var counts = RecordCounts()
    var signs = LogSigns()
    share = ReadShare(schema, sample) { line, item, found, length in
      let position = Position(source: UInt32(clamping: line.source), line: line.number)
      signs.add(found, at: position, length: length)
      guard case .record(let record) = item else { return }
      counts.add(record)
      if record.kind == .challenge { counts.challenges += 1 }
      signs.add(record, at: position)
    }
    self.counts = counts
    likelyCauses = LikelyCause.all(signs, unregistered: UInt64(unregistered)) {
      sample.sources[Int($0)]
    }.map { cause in
      guard cause.cause == .partLines, let command = LineParts.command(sample) else { return cause }
      var cause = cause
      cause.action =
        "Join them before the audit: "
        + ShellText.command("\(command) | attest-audit init -")
      return cause
    }
  }
}
