import Foundation
import LogForge
import TestSupport
import Testing

/// A clean log that is rotated every night, renamed, and compressed the night after, audited from
/// its folder with a state: nothing is ever found, and nothing is audited twice.
struct EndCleanWeekTests {
  private static let nights = 7

  /// The lines of a server's nights, decompressed.
  private func plain(_ day: ForgedDay, _ server: String) throws -> [[UInt8]] {
    let folder = ReportFolder(path: day.scratch.path + "/day/logs")
    return try folder.names.sorted().filter { $0.hasPrefix("edge-\(server)-") }.map {
      try Packed.unpack(day.scratch.bytes("day/logs/" + $0))
    }
  }

  /// The folder as logrotate leaves it after `night`: the youngest log plain, the one before it
  /// renamed, older ones compressed, all of them named again.
  private func rotate(_ parts: [[UInt8]], of server: String, night: Int, in scratch: Scratch)
    throws
  {
    for (number, bytes) in parts[...night].enumerated() {
      let age = night - number
      let name = "live/\(server).log" + (age == 0 ? "" : ".\(age)")
      let written: String =
        switch age {
        case 0, 1: try scratch.write(name, bytes)
        case _ where server == "a": try scratch.write(name + ".gz", Packed.gzip(bytes))
        default: try scratch.write(name + ".zst", Packed.zstd(bytes))
        }
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: written)
    }
  }

  @Test(arguments: [ForgedSchema.default, .envoy, .headerAssertion, .cloudwatch])
  func `a clean week of rotated logs is silent`(_ schema: ForgedSchema) throws {
    let day = try ForgedDay()
    try day.forge([
      "--clean", "--schema", schema.rawValue, "--seed", "71", "--keys", "14", "--assertions",
      "420", "--files", "\(2 * Self.nights)",
    ])
    let servers = [("a", try plain(day, "a")), ("b", try plain(day, "b"))]
    var records = [String: Int]()
    for night in 0..<Self.nights {
      try? FileManager.default.removeItem(atPath: day.scratch.path + "/live")
      for (server, parts) in servers {
        #expect(parts.count == Self.nights)
        try rotate(parts, of: server, night: night, in: day.scratch)
      }
      let outcome = try Program.run(
        [
          "audit", "live", "--pipeline", "day/pipeline.yaml", "--state", "state", "--state-mode",
          "advance", "--out", "report-\(night)", "--date", "2026-03-\(10 + night)", "--fail-on",
          "info",
        ], in: day.scratch.path)
      #expect(outcome.status == 0, "night \(night): \(outcome.errors)")
      #expect(outcome.output == "", "night \(night)")
      // That the logs of earlier nights are known is all there is to say.
      let notices = outcome.errors.split(separator: "\n")
      #expect(
        notices.allSatisfy { $0.contains("not changed since") || $0.contains("read before") },
        "night \(night): \(outcome.errors)")
      let report = day.scratch.report("report-\(night)")
      #expect(try report.findingRows.isEmpty, "night \(night)")
      records.merge(try report.summary.records, uniquingKeysWith: +)
    }
    #expect(records["attestations"] == 14)
    #expect(records["assertions"] == 420)
  }
}
