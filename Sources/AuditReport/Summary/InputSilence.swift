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

  var length: Int64 { to &- from }

  static let limit = 200
  /// The smallest number of records that would be missing in a silence.
  private static let leastMissing: UInt64 = 12
  private static let fileLimit = 5_000
  private static let hour: Int64 = 3_600_000

  /// Returns the longest silences in order of time. `hasState`: earlier runs can have read earlier hours.
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
    /// An hour with records, since 1970, and the file that holds the last of them.
    private struct Hour {
      let hour: Int64
      var count: UInt64
      var file: String
    }

    private let pattern: String
    private var hours: [Hour]
    /// Whether a silence may be lost records, which have a finding, or hours that an earlier run audited.
    private(set) var isIncomplete: Bool

    var first: Int64 { hours.first?.hour ?? 0 }
    var last: Int64 { hours.last?.hour ?? 0 }
    private var name: String { hours.last?.file ?? "" }
    private var usual: UInt64 {
      let counts = hours.map(\.count).sorted()
      return counts.isEmpty ? 0 : counts[counts.count / 2]
    }

    init?(_ input: InputRow) {
      isIncomplete = [.truncated, .corrupt].contains(input.status) || input.knownLines > 0
      hours = Self.trimmed(
        input.hours.hours.map { Hour(hour: $0.hour, count: $0.count, file: input.source) })
      guard !hours.isEmpty else { return nil }
      pattern = Self.pattern(of: input.source)
    }

    /// Leaves out one record in a thousand at either end, so that a wrong clock makes no silence.
    private static func trimmed(_ hours: [Hour]) -> [Hour] {
      let spare = hours.reduce(0) { $0 + $1.count } / 1000
      var hours = hours
      for _ in 0..<2 {
        var left = spare
        while hours.count > 1, let last = hours.last, last.count <= left {
          left -= last.count
          hours.removeLast()
        }
        hours.reverse()
      }
      return hours
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
      let files = inputs.compactMap { Log($0) }.sorted {
        ($0.pattern, $0.first, $0.last, $0.name) < ($1.pattern, $1.first, $1.last, $1.name)
      }
      var logs: [Log] = []
      var start = 0
      for file in files {
        if let pattern = logs.last?.pattern, pattern != file.pattern { start = logs.count }
        // The log that the file most likely continues.
        let place = logs.indices[start...].filter { logs[$0].mayGoOn(in: file) }.max { a, b in
          (logs[a].likeness(file), logs[a].last, b) < (logs[b].likeness(file), logs[b].last, a)
        }
        if let place { logs[place].add(file) } else { logs.append(file) }
      }
      return logs
    }

    /// Returns whether `file` begins when this log ends. An hour of both may be half as full again.
    private func mayGoOn(in file: Log) -> Bool {
      guard let end = hours.last, let start = file.hours.first else { return false }
      if end.hour != start.hour { return end.hour < start.hour }
      return (end.count + start.count) * 2 <= max(usual, file.usual) * 3
    }

    private func likeness(_ other: Log) -> Int {
      zip(name.unicodeScalars, other.name.unicodeScalars).prefix { $0 == $1 }.count
    }

    private mutating func add(_ file: Log) {
      var added = file.hours
      if let end = hours.last, end.hour == file.first {
        added[0].count += end.count
        hours.removeLast()
      }
      hours += added
      isIncomplete = isIncomplete || file.isIncomplete
    }

    /// Returns the silences between two hours of the whole audit.
    func silences(from start: Int64, to end: Int64) -> [InputSilence] {
      guard let first = hours.first, let last = hours.last else { return [] }
      let usual = usual
      let gaps =
        [(start, first.hour, first.file)]
        + zip(hours, hours.dropFirst()).map { ($0.hour + 1, $1.hour, $0.file) }
        + [(last.hour + 1, end + 1, last.file)]
      return gaps.compactMap { from, to, source in
        let missing = usual.multipliedReportingOverflow(by: UInt64(max(0, to - from)))
        guard to > from, missing.overflow || missing.partialValue >= InputSilence.leastMissing
        else { return nil }
        return InputSilence(
          source: source, from: from * InputSilence.hour, to: to * InputSilence.hour, usual: usual)
      }
    }
  }
}
