internal import AuditEngine

/// A period in which a log has no record though other hours have many. A rotated log is one,
/// whatever the number of its files: their names differ in digits only, and they follow in time.
struct InputSilence: Equatable {
  /// The file before the silence, or the one after it if there is none before.
  var source: String
  /// The first silent hour, and the first hour after the silence, in milliseconds since 1970.
  var from: Int64
  var to: Int64
  /// The median number of records in the hours that are not silent.
  var usual: UInt64

  /// How long it is, in milliseconds.
  var length: Int64 { to &- from }

  /// The largest number of silences that are listed.
  static let limit = 200
  /// The smallest number of records that would be missing in a silence.
  private static let leastMissing: UInt64 = 12
  /// The largest number of files that are examined.
  private static let fileLimit = 5_000
  private static let hour: Int64 = 3_600_000

  /// Returns the silences, or the longest, in order of time. `hasState` is true if earlier runs can
  /// have read the hours before a log's first record.
  static func find(_ inputs: [InputRow], hasState: Bool = false) -> [InputSilence] {
    let logs = Log.made(of: inputs.prefix(fileLimit))
    guard let first = logs.map(\.first).min(), let last = logs.map(\.last).max() else { return [] }
    var found = logs.filter { !$0.isIncomplete }
      .flatMap { $0.silences(from: hasState ? $0.first : first, to: last) }
    found.sort { ($0.length, $1.source, $1.from) > ($1.length, $0.source, $0.from) }
    return found.prefix(limit).sorted { ($0.from, $0.source, $0.to) < ($1.from, $1.source, $1.to) }
  }

  /// The files of one log, in order of time.
  private struct Log {
    /// The name of the last file.
    var name: String
    /// The pattern of the names that the files of one log share.
    let pattern: String
    /// The records by hour since 1970, ascending.
    private var hours: [(hour: Int64, count: UInt64)]
    /// The numbers of records of these hours, ascending.
    private var counts: [UInt64]
    /// Whether a file is damaged, or earlier runs read some of its lines. Its silences might be lost records,
    /// which have a finding, or hours that were audited before.
    private(set) var isIncomplete: Bool
    /// The name of the file that holds the last record of an hour.
    var names: [Int64: String] = [:]

    var first: Int64 { hours.first?.hour ?? 0 }
    var last: Int64 { hours.last?.hour ?? 0 }
    /// The median of the hours that are not silent.
    var usual: UInt64 { counts.isEmpty ? 0 : counts[counts.count / 2] }

    init?(_ input: InputRow) {
      isIncomplete = [.truncated, .corrupt].contains(input.status) || input.knownLines > 0
      hours = Self.trimmed(input.hours.hours)
      counts = hours.map(\.count).sorted()
      guard !hours.isEmpty else { return nil }
      name = input.source
      pattern = Self.pattern(of: input.source)
      for each in hours { names[each.hour] = name }
    }

    /// Leaves out one record in a thousand at either end, so that a wrong clock makes no silence.
    private static func trimmed(
      _ hours: [(hour: Int64, count: UInt64)]
    ) -> [(hour: Int64, count: UInt64)] {
      let spare = hours.reduce(0) { $0 + $1.count } / 1000
      var hours = hours[...]
      var left = spare
      while hours.count > 1, let first = hours.first, first.count <= left {
        left -= first.count
        hours.removeFirst()
      }
      left = spare
      while hours.count > 1, let last = hours.last, last.count <= left {
        left -= last.count
        hours.removeLast()
      }
      return Array(hours)
    }

    /// Returns the name without extensions and with `#` for digits: `logs/edge-a-#`.
    private static func pattern(of source: String) -> String {
      let name = source.split(separator: "/", omittingEmptySubsequences: false)
      var pattern: [Unicode.Scalar] = []
      for scalar in (name.dropLast() + [name.last?.prefix { $0 != "." } ?? ""])
        .joined(separator: "/").unicodeScalars
      {
        let isDigit = ("0"..."9").contains(scalar)
        if isDigit, pattern.last == "#" { continue }
        pattern.append(isDigit ? "#" : scalar)
      }
      return String(String.UnicodeScalarView(pattern))
    }

    /// Makes logs of files: each file is put behind the one that it continues.
    static func made(of inputs: some Sequence<InputRow>) -> [Log] {
      let files = inputs.compactMap { Log($0) }
        .sorted {
          ($0.pattern, $0.first, $0.last, $0.name) < ($1.pattern, $1.first, $1.last, $1.name)
        }
      var logs: [Log] = []
      var start = 0
      for file in files {
        if let pattern = logs.last?.pattern, pattern != file.pattern { start = logs.count }
        if let place = place(of: file, among: logs, from: start) {
          logs[place].add(file)
        } else {
          logs.append(file)
        }
      }
      return logs
    }

    /// Returns the place of the log that a file most likely continues, or nil.
    private static func place(of file: Log, among logs: [Log], from start: Int) -> Int? {
      var best: (place: Int, likeness: Int)?
      for place in start..<logs.count where logs[place].mayGoOn(in: file) {
        let likeness = logs[place].likeness(file)
        if let best, (best.likeness, logs[best.place].last) >= (likeness, logs[place].last) {
          continue
        }
        best = (place, likeness)
      }
      return best?.place
    }

    /// Returns whether `file` begins when this log ends. An hour of both may be half as full again.
    private func mayGoOn(in file: Log) -> Bool {
      guard let end = hours.last, let start = file.hours.first else { return false }
      if end.hour != start.hour { return end.hour < start.hour }
      return (end.count + start.count) * 2 <= max(usual, file.usual) * 3
    }

    /// Returns the number of characters with which both names begin.
    private func likeness(_ other: Log) -> Int {
      zip(name.unicodeScalars, other.name.unicodeScalars).prefix { $0 == $1 }.count
    }

    private mutating func add(_ file: Log) {
      var added = file.hours[...]
      counts += file.counts
      if let end = hours.last, let start = added.first, end.hour == start.hour {
        hours[hours.count - 1].count += start.count
        added.removeFirst()
        for count in [end.count, start.count] {
          if let place = counts.firstIndex(of: count) { counts.remove(at: place) }
        }
        counts.append(end.count + start.count)
      }
      hours += added
      counts.sort()
      isIncomplete = isIncomplete || file.isIncomplete
      names.merge(file.names) { _, later in later }
      name = file.name
    }

    /// Returns the silences between two hours of the whole audit.
    func silences(from start: Int64, to end: Int64) -> [InputSilence] {
      let usual = usual
      var found: [InputSilence] = []
      func note(_ from: Int64, _ to: Int64, _ source: String?) {
        let missing = usual.multipliedReportingOverflow(by: UInt64(max(0, to - from)))
        guard to > from, missing.overflow || missing.partialValue >= InputSilence.leastMissing,
          let source
        else { return }
        found.append(
          InputSilence(
            source: source, from: from * InputSilence.hour, to: to * InputSilence.hour, usual: usual
          ))
      }
      note(start, first, names[first])
      for (before, after) in zip(hours, hours.dropFirst()) {
        note(before.hour + 1, after.hour, names[before.hour])
      }
      note(last + 1, end + 1, names[last])
      return found
    }
  }
}
