internal import Basics
import FindingCodes

/// One log file of the forged days: its server and hours, and its form.
struct FilePlan: Sendable {
  enum Format: Sendable, CaseIterable {
    case zstd, gzip, plain
  }

  /// The name below `logs/`. The byte order of the names is the order of the files.
  let name: String
  let format: Format
  /// The times that the file holds, in milliseconds since 1970. The first file of a server also
  /// holds the lines from before the day, the last those from after it.
  let range: Range<Int64>
  /// The index of the server that wrote it, among `servers`.
  let server: Int
  /// The number of servers that were up in these hours.
  let servers: Int
  /// The end of the last day.
  let end: Int64
  /// Whether lines end in CRLF.
  let usesCRLF: Bool
  /// Whether the stream begins with a byte order mark.
  let hasBOM: Bool

  /// Returns the files of the days until `end`, in the order of their names.
  static func files(count: Int, end: Int64 = TrafficPlan.dayEnd) -> [FilePlan] {
    let servers = count > 1 ? 2 : 1
    let slots = (count + servers - 1) / servers
    let length = (end - TrafficPlan.dayStart) / Int64(slots)
    var plans = [FilePlan]()
    for server in 0..<servers {
      for slot in 0..<slots where slot * servers + server < count {
        let number = slot * servers + server
        let start = TrafficPlan.dayStart + Int64(slot) * length
        let isLast = slot == slots - 1
        // A few names have an extension that does not give the format.
        let format = Format.allCases[number % 3]
        let suffix = number % 7 == 3 ? ".log" : format.suffix
        plans.append(
          FilePlan(
            name: "edge-\(server == 0 ? "a" : "b")-" + "\(slot)".zeroPadded(to: 5) + suffix,
            format: format,
            range: (slot == 0 ? .min / 4 : start)..<(isLast ? .max / 4 : start + length),
            server: server, servers: min(servers, count - slot * servers), end: end,
            usesCRLF: number % 5 == 2, hasBOM: number % 4 == 1))
      }
    }
    return plans
  }

  /// Returns whether an attacker's line belongs in the file.
  func holds(_ line: ForgedLine) -> Bool {
    range.contains(line.time) && line.server % servers == server
  }

  /// The part of the days in which honest traffic falls into the file.
  var traffic: Range<Int64> {
    max(
      range.lowerBound, TrafficPlan.dayStart - TrafficPlan.challengeLead)..<min(
        range.upperBound, end)
  }
}

extension FilePlan.Format {
  /// The usual end of a file's name.
  var suffix: String {
    switch self {
    case .zstd: ".jsonl.zst"
    case .gzip: ".jsonl.gz"
    case .plain: ".jsonl"
    }
  }
}
