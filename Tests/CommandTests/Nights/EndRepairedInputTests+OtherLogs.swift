import Foundation
import TestSupport
import Testing

/// Other logs than the damaged one, that share lines with it.
extension EndRepairedInputTests {
  /// Returns lines that hold no token, and stand in the logs of all hosts.
  private func checks(_ count: Int) -> [String] {
    (1...count).map { "{\"check\":\"disk \($0)\",\"state\":\"fine\"}" }
  }

  /// Returns lines as one gzip member whose checksum fails.
  private func broken(_ lines: [String]) throws -> [UInt8] {
    var packed = try Packed.gzip(Array(lines.map { $0 + "\n" }.joined().utf8))
    packed[packed.count - 6] ^= 1
    return packed
  }

  @Test func `another log with the same checks of health is no whole copy`() throws {
    try put("a.gz", broken(checks(40) + day.lines))
    let first = try night(1, status: 2).findings
    #expect(first.contains("high stream.corrupt logs/a.gz:0"))
    let other =
      checks(40) + (1...100).map { "{\"check\":\"network \($0)\"}" }
      + [String](
        repeating: "{\"check\":\"" + String(repeating: "z", count: 1000) + "\"}", count: 40)
    try put("b.log", Array(other.map { $0 + "\n" }.joined().utf8))
    try clear("a.gz")
    let second = try night(2, status: 2)
    #expect(try CSVTable.rows(second.bytes("withdrawn.csv")).isEmpty)
  }

  @Test(arguments: [["a.log", "b.log"], ["b.log", "a.log"]])
  func `of two whole logs one is the copy of a damaged one, and the other is read whole`(
    _ names: [String]
  ) throws {
    try put("d.gz", broken(day.lines))
    _ = try night(1, status: 2)
    // The other log has most of the lines, and is longer.
    let most = day.lines.prefix(day.lines.count * 3 / 4)
    let other = most + checks(200)
    try put(names[0], day.log())
    try put(names[1], Array(other.map { $0 + "\n" }.joined().utf8))
    try clear("d.gz")
    let second = try night(2, status: 2)
    let withdrawn = try CSVTable.rows(second.bytes("withdrawn.csv"))
    #expect(withdrawn.count == 1, "the damage alone: \(withdrawn)")
    #expect(try !second.findings.contains { $0.contains("logs/\(names[0])") })
    #expect(try second.summary.records["lines"] == other.count)
  }

  /// Returns lines with which the logs of all hosts begin: long words that are no tokens.
  private func banner(_ count: Int) -> [String] {
    (1...count).map { "{\"key\":\"" + String(repeating: "a", count: 300) + "\($0)\"}" }
  }

  private static func isRequest(_ line: String) -> Bool {
    line.contains("\"payload\"") && !line.contains("\"platform\"")
  }

  private func log(_ lines: [String]) -> [UInt8] { Array(lines.map { $0 + "\n" }.joined().utf8) }

  /// Returns lines of another platform that hold a token: checks of the server itself.
  private func samples(_ count: Int) -> [String] {
    (1...count).map { "{\"platform\":\"none\",\"sample\":\"omlzaWduYXR1cmVYRjBEAiA\($0 + 1000)\"}" }
  }

  @Test(arguments: ["a.gz", "b.log"], ["banner", "checks", "samples"])
  func `another log of the next night withdraws nothing by what all logs begin with`(
    _ name: String, _ kind: String
  ) throws {
    let shared = kind == "banner" ? banner(60) : kind == "checks" ? checks(200) : samples(100)
    try put("a.gz", broken(shared + day.lines))
    #expect(try night(1, status: 2).findings.contains("high stream.corrupt logs/a.gz:0"))
    try clear("a.gz")
    let others = (1...100).map { "{\"time\":1,\"token\":\"omlzaWduYXR1cmVY\($0 + 1000)\"}" }
    let whole = log(shared + others + others)
    try put(name, name.hasSuffix("gz") ? try Packed.gzip(whole) : whole)
    let second = try night(2, status: nil)
    #expect(try CSVTable.rows(second.bytes("withdrawn.csv")).isEmpty)
    #expect(try second.summary.records["lines"] == shared.count + 200)
  }

  @Test(arguments: ["a.gz", "b.log"])
  func `one request in common withdraws nothing of many that have lost their tokens`(
    _ name: String
  ) throws {
    let at = try #require(day.lines.firstIndex { Self.isRequest($0) })
    let lost = (1...40).map { "{\"kind\":\"assertion\",\"time\":\($0 + 1_800_000_000_000)}" }
    try put("a.gz", broken([day.lines[at]] + lost))
    _ = try night(1, status: 2)
    try clear("a.gz")
    let whole = log([day.lines[at]] + day.lines[(at + 1)...])
    try put(name, name.hasSuffix("gz") ? try Packed.gzip(whole) : whole)
    #expect(try CSVTable.rows(night(2, status: nil).bytes("withdrawn.csv")).isEmpty)
  }

  @Test(arguments: [3, 10, 40])
  func `one request that is sent again to another host is told though its log is damaged`(
    _ count: Int
  ) throws {
    let at = try #require(day.lines.lastIndex { Self.isRequest($0) })
    let request = try day.line(at, ["requestId": nil])
    let whole = try Packed.gzip(log(banner(count) + day.lines[..<at] + [request]))
    try put("a.gz", whole + Array("\u{1}\u{2}junk".utf8))
    try put("b.log", log(banner(count) + checks(5) + [request]))
    let first = try night(1, status: 2).findings
    try put("a.gz", whole)
    let second = try night(2, status: nil).findings
    #expect((first + second).contains { $0.contains(" replay.assertion ") }, "\(first) \(second)")
  }
}
