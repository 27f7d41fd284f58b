import Foundation
import TestSupport
import Testing

/// Streams with random damage: never a crash, never a lost line, and the same report whatever the
/// number of threads.
struct EndMutationTests {
  /// The day as plain text, as frames and as members.
  private static let streams: [[UInt8]] = made {
    let day = SyntheticDay.shared
    let pieces = stride(from: 0, to: 33, by: 11).map { day.log($0..<$0 + 11) }
    return [
      day.log(), try Packed.zstd(frames: pieces), try Packed.gzip(members: pieces),
    ]
  }

  private static func mutated(_ stream: [UInt8], _ generator: inout Generator) -> [UInt8] {
    var bytes = stream
    for _ in 0..<[1, 1, 2, 8].randomElement(using: &generator)! {
      let at = Int.random(in: 0..<max(bytes.count, 1), using: &generator)
      guard at < bytes.count else { return bytes }
      let count = Int.random(in: 1...200, using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: bytes[at] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes[at] ^= 1 << UInt8.random(in: 0...7, using: &generator)
      case 2: bytes.removeSubrange(at..<min(at + count, bytes.count))
      case 3: bytes.insert(contentsOf: [UInt8](repeating: 0, count: count), at: at)
      case 4: bytes.insert(contentsOf: stream[(at / 2)...].prefix(10 * count), at: at)
      default: bytes.removeSubrange(at...)
      }
    }
    return bytes
  }

  @Test(arguments: 1...6)
  func `random damage is reported, and the report does not depend on threads`(
    _ seed: Int
  ) throws {
    var generator = Generator(UInt64(seed))
    let audit = try EndAudit()
    for _ in 0..<3 {
      for (index, stream) in Self.streams.enumerated() {
        try audit.scratch.write("logs/\(index)", Self.mutated(stream, &generator))
      }
      var reports: [[String: String]] = []
      for jobs in ["1", "5"] {
        let outcome = try audit.run(
          "logs", "--verdicts", "--quiet", "--log-level", "error", "--jobs", jobs)
        #expect((0...2).contains(outcome.status))
        #expect(outcome.errors == "")
        reports.append(try audit.report.lasting)
        let records = try audit.report.summary.records
        let counted = [
          "blank", "known", "attestations", "assertions", "challenges", "deviceCheckTokens",
          "skipped", "unreadable",
        ]
        #expect(records["lines"] == counted.reduce(0) { $0 + (records[$1] ?? 0) })
      }
      #expect(reports[0] == reports[1])
    }
  }
}
