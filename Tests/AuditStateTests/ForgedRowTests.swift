import Foundation
import TestSupport
import Testing

@testable import AuditState

/// Rows of a state that hold what no run wrote, with checksums that are right: whoever reads them ends
/// with an error or a report, never by a trap, and in good time.
struct ForgedRowTests {
  /// The number of states that are forged: many at night.
  private static let rounds =
    ProcessInfo.processInfo.environment["ATTEST_AUDIT_FORGED_ROWS"].flatMap { Int($0) } ?? 24

  private static let tables = [
    KeyTable.table, DeviceTable.table, FindingTable.table, InputTable.inputs, InputTable.sources,
    InputTable.lines, InputTable.stamps, RunTable.table, MetaTable.table, SegmentTable.table,
  ]

  private let scratch: Scratch
  private let commands: [[String]]

  /// Writes the settings and the logs of two nights.
  init() throws {
    scratch = try Scratch()
    let day = SyntheticDay.shared
    try day.writeSettings(to: scratch)
    try scratch.write("a.jsonl", day.log(0..<20) + Array("x\n".utf8))
    try scratch.write("b.jsonl", day.log(12..<33))
    commands = [
      [
        "audit", "b.jsonl", "--pipeline", "pipeline.yaml", "--out", "report", "--quiet",
        "--verdicts", "--state", "forged", "--state-mode", "advance", "--settle", "0s",
      ],
      ["state", "verify", "forged"], ["state", "info", "forged"], ["state", "keys", "forged"],
      ["state", "findings", "forged"], ["state", "export", "forged"],
    ]
    let outcome = try Program.run(
      commands[0].map { $0 == "b.jsonl" ? "a.jsonl" : $0 == "forged" ? "state" : $0 },
      in: scratch.path)
    try #require(outcome.status < 64, "\(outcome.errors)")
  }

  @Test func `whatever stands in a row, nothing traps`() throws {
    var random = Generator(17)
    for round in 0..<Self.rounds {
      for name in ["forged", "report"] {
        try? FileManager.default.removeItem(atPath: "\(scratch.path)/\(name)")
      }
      try FileManager.default.copyItem(
        atPath: scratch.path + "/state", toPath: scratch.path + "/forged")
      var forged: [String] = []
      let database = try StateDatabase(
        path: scratch.path + "/forged/state.sqlite", readOnly: false)
      for _ in 0...Int.random(in: 0..<3, using: &random) {
        // What the schema itself refuses was not forged.
        if let change = try? Self.forge(database, &random) { forged.append(change) }
      }
      database.mergeLog()
      database.close()
      // Reading first: an audit changes the state.
      for command in commands.reversed() {
        let outcome = try Program.run(command, in: scratch.path)
        #expect(
          [0, 1, 2, 65, 70, 73].contains(outcome.status),
          "\(round) \(forged) \(command[0...1]): \(outcome.status) \(outcome.errors.suffix(400))")
      }
    }
  }

  /// Puts something else into some columns of a row, and returns the place of the change.
  private static func forge(
    _ database: StateDatabase, _ random: inout Generator
  ) throws -> String {
    for _ in 0..<40 {
      guard let table = tables.randomElement(using: &random) else { continue }
      var rows: [[SQLValue]] = []
      try table.eachValues(database) { rows.append($0) }
      guard var row = rows.randomElement(using: &random), row.count > table.keyCount else {
        continue
      }
      let column = Int.random(in: table.keyCount..<row.count, using: &random)
      row[column] = value(instead: row[column], &random)
      try table.put(database, values: row)
      return "\(table.name), column \(column)"
    }
    return "nothing"
  }

  private static func value(instead old: SQLValue, _ random: inout Generator) -> SQLValue {
    let numbers: [Int64] = [
      .min, .min + 1, -1 << 53, -1, 0, 1, 1 << 31, 1 << 32, 1 << 52, 1 << 53, 1 << 60, .max - 1,
      .max,
    ]
    switch (old, Int.random(in: 0..<8, using: &random)) {
    case (_, 0): return .null
    case (_, 1): return .integer(numbers.randomElement(using: &random) ?? 0)
    case (_, 2):
      return .text(String(repeating: "\u{0}é=", count: .random(in: 0..<100_000, using: &random)))
    case (_, 3):
      return .blob(random.bytes(random.below(70)))
    case (.integer, _): return .integer(numbers.randomElement(using: &random) ?? 0)
    case (.text(let text), _): return .text(text + String(repeating: "x", count: 70_000))
    case (.blob(var bytes), _):
      for _ in 0...3 where !bytes.isEmpty {
        bytes[random.below(bytes.count)] = random.byte()
      }
      return .blob(bytes)
    case (.null, _): return .text("x")
    }
  }
}
