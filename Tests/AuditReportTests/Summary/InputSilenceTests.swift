import AppAttest
import AuditLog
import Foundation
import Testing

@testable import AuditEngine
@testable import AuditReport

/// Hours in which inputs are silent.
struct InputSilenceTests {
  private static let hour: Int64 = 3_600_000

  /// An input with so many records in each of some hours.
  private static func input(_ name: String, _ hours: [Int64], each: Int = 20) -> InputRow {
    var row = InputRow(
      source: name, bytes: 0, decompressedBytes: 0, lines: 0, sha256: nil, status: .ok)
    for hour in hours {
      for number in 0..<each {
        row.hours.add(TimeBins.hour(of: hour * Self.hour + Int64(number) * 60_000), 0)
      }
    }
    return row
  }

  private static func found(_ inputs: [InputRow]) -> [String] {
    InputSilence.find(inputs).map { "\($0.source) \($0.from / hour)-\($0.to / hour) \($0.usual)" }
  }

  @Test func `hours without a record stand out among those with many`() {
    #expect(Self.found([Self.input("a", [0, 1, 2, 5, 6])]) == ["a 3-5 20"])
    #expect(Self.found([Self.input("a", [0, 1, 2, 3])]) == [])
    // Of a log with few records, hours without one say nothing.
    #expect(Self.found([Self.input("a", [0, 4, 9], each: 1)]) == [])
    #expect(Self.found([]) == [] && Self.found([Self.input("a", [])]) == [])
  }

  @Test func `a log that is rotated is one, a server that stops is told`() {
    let files = [
      Self.input("a-00.jsonl.gz", [0, 1]), Self.input("a-01.jsonl.gz", [2, 3]),
      Self.input("a-02.jsonl", [6, 7]),
    ]
    #expect(Self.found(files) == ["a-01.jsonl.gz 4-6 20"])
    #expect(
      Self.found(files + [Self.input("b.jsonl", [0, 1, 2, 3])]) == [
        "a-01.jsonl.gz 4-6 20", "b.jsonl 4-8 20",
      ])
    #expect(
      Self.found(files + [Self.input("b.jsonl", [4, 5, 6, 7])]) == [
        "b.jsonl 0-4 20", "a-01.jsonl.gz 4-6 20",
      ])
  }

  @Test func `a night that catches up accuses no log of hours that earlier nights read`() {
    let late = Self.input("b.jsonl", [0, 1, 2, 3, 4])
    let rest = Self.input("a.jsonl", [3, 4])
    #expect(Self.found([late, rest]) == ["a.jsonl 0-3 20"])
    #expect(InputSilence.find([late, rest], hasState: true).isEmpty)
    #expect(InputSilence.find([late, Self.input("a.jsonl", [0, 1])], hasState: true).count == 1)
    var grown = Self.input("a.jsonl", [0, 3, 4])
    #expect(Self.found([late, grown]) == ["a.jsonl 1-3 20"])
    grown.knownLines = 1
    #expect(Self.found([late, grown]) == [])
  }

  @Test func `servers that log at once are not taken for one log`() {
    var files: [InputRow] = []
    for server in 1...3 {
      for hour in 0..<8 where server != 2 || hour != 5 {
        files.append(Self.input("web\(server)/log-0\(hour).gz", [Int64(hour)]))
      }
    }
    #expect(Self.found(files) == ["web2/log-04.gz 5-6 20"])
    // Rotated within the hour.
    #expect(
      Self.found([
        Self.input("x.1", [0, 1], each: 40), Self.input("x.2", [2, 3], each: 40),
      ]) == [])
  }

  @Test func `one record of another century is no silence`() {
    var row = Self.input("a", Array(0..<60))
    row.hours.add(TimeBins.hour(of: 4_000_000_000_000), 0)
    row.hours.add(TimeBins.hour(of: .max), 0)
    row.hours.add(TimeBins.hour(of: .min), 0)
    #expect(Self.found([row]).count <= 1)
    var many = Self.input("a", Array(0..<200))
    many.hours.add(TimeBins.hour(of: 4_000_000_000_000), 0)
    #expect(Self.found([many]) == [])
  }

  @Test func `hours are counted in any order of parts, and too many are none`() {
    func part(_ times: [Int64]) -> TimeBins {
      var part = TimeBins(kinds: 1, limit: 10)
      for time in times { part.add(TimeBins.hour(of: time), 0) }
      return part
    }
    let parts = [part([0, 1, 2]), part([3_600_000, 5]), part([-1, 7_200_000, 0])]
    var (forth, back) = (part([]), part([]))
    for each in parts { forth.add(each) }
    for each in parts.reversed() { back.add(each) }
    #expect(forth == back)
    #expect(forth.hours.map(\.hour) == [-1, 0, 1, 2])
    #expect(forth.hours.map(\.count) == [1, 5, 1, 1])
    var full = part((0..<20).map { $0 * 3_600_000 })
    full.add(part([0]))
    #expect(full.hours.isEmpty && full.bins.count == 10)
  }
}
