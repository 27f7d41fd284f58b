import FindingCodes
import Foundation
import Testing

@testable import LogForge

struct LogForgeTests {
  private func truth(_ files: [String: Data]) throws -> [[String: String]] {
    let text = String(decoding: try #require(files["truth.jsonl"]), as: UTF8.self)
    return try text.split(separator: "\n").map { line in
      let row = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      return row.mapValues { "\($0)" }
    }
  }

  private func options(seed: UInt64, attacks: String) throws -> ForgeOptions {
    ForgeOptions(
      keys: 12, assertions: 120, files: 5, seed: seed,
      attacks: try FindingCode.parse(attacks))
  }

  @Test func `the same seed gives the same bytes and another seed gives others`() throws {
    let first = try forge(options(seed: 5, attacks: "all"))
    let again = try forge(options(seed: 5, attacks: "all"))
    let other = try forge(options(seed: 6, attacks: "all"))
    #expect(first == again)
    #expect(first["logs/edge-a-00000.jsonl.zst"] != other["logs/edge-a-00000.jsonl.zst"])
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `all attacks bring every code about`(seed: UInt64) throws {
    let rows = try truth(forge(options(seed: seed, attacks: "all")))
    let codes = Set(rows.compactMap { $0["code"] })
    #expect(codes == Set(ForgedSchema.default.codes.map(\.name)))
  }

  @Test(arguments: ForgedSchema.default.codes.sorted { $0.rawValue < $1.rawValue })
  func `an attack by itself brings its code about`(code: FindingCode) throws {
    let files = try forge(options(seed: 11, attacks: code.name))
    let rows = try truth(files)
    #expect(rows.contains { $0["code"] == code.name })
    for row in rows {
      #expect(files[try #require(row["source"])] != nil)
    }
  }

  @Test func `every variant of every attack can be played`() throws {
    let authority = try Minted.authority.get()
    var options = try options(seed: 1, attacks: "all")
    for _ in 0..<16 {
      options.seed += 1
      let outcome = try AttackCatalog.play(options, authority: authority)
      let found = Set(
        outcome.lines.flatMap(\.findings) + outcome.damagedFiles.flatMap { $0.findings.map(\.code) }
      )
      #expect(found == ForgedSchema.default.codes)
      #expect(outcome.lines.allSatisfy { $0.time >= TrafficPlan.dayStart })
      #expect(outcome.lines.allSatisfy { $0.time < TrafficPlan.dayEnd })
    }
  }

  @Test func `without attacks there is nothing to find`() throws {
    let files = try forge(options(seed: 5, attacks: "none"))
    #expect(files["truth.jsonl"] == Data())
    #expect(files["known-keys.csv"] == nil)
    #expect(files.keys.count { $0.hasPrefix("logs/") } == 5)
  }

  @Test func `logs are not written among others`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("forge-" + UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let forge = try LogForge(options(seed: 5, attacks: "none"))
    _ = try forge.write(to: folder.path)
    #expect(throws: ForgeError(.file(EEXIST), folder.path + "/logs")) {
      try forge.write(to: folder.path)
    }
  }

  @Test func `options that make no sense are refused`() {
    for (keys, assertions, files) in [(0, 1, 1), (1, -1, 1), (1, 1, 0), (1, 1, 10_001)] {
      #expect(throws: ForgeError.self) {
        try LogForge(ForgeOptions(keys: keys, assertions: assertions, files: files, seed: 1))
      }
    }
  }
}
