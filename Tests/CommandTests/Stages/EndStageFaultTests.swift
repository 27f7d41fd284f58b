import Foundation
import LogForge
import TestSupport
import Testing

/// Streams of rows that are not as they should be: cut, changed, of other settings. No stage takes them
/// for whole, and none is brought down by them.
struct EndStageFaultTests {
  private let day: ForgedDay
  private let play: StagePlay

  init() throws {
    day = ForgedDay()
    try day.forge([
      "--attacks", "all", "--seed", "3", "--keys", "4", "--assertions", "40", "--files", "2",
    ])
    play = StagePlay(day: day, parts: 1)
  }

  /// Returns the input of each stage in this day.
  private func inputs() throws -> [(stage: String, stream: RowStream)] {
    let (sources, mapped) = try play.mapped()
    let keys = StagePlay.input(sources, mapped)
    let hashes = StagePlay.input(sources, try play.stream("keys", keys).rows)
    let report = StagePlay.input(sources, try play.stream("hashes", hashes).rows)
    return [("map", sources), ("keys", keys), ("hashes", hashes), ("report", report)]
  }

  @Test func `a stream that breaks off, or goes on, is never taken for whole`() throws {
    var random = Generator(7)
    for (stage, stream) in try inputs() {
      let bytes = stream.bytes()
      let places = [0, 1, 47, 48, 55, bytes.count - 28, bytes.count - 4, bytes.count - 1]
      for end in places + (0..<2).map({ _ in random.below(bytes.count) }) {
        try play.expectRefused(
          stage, Array(bytes[..<end]), "the stream of rows on standard input is broken: ")
      }
      try play.expectRefused(stage, bytes + [0], "something follows its trailer")
    }
  }

  @Test func `a byte that changed on its way is noticed`() throws {
    var random = Generator(8)
    for (stage, stream) in try inputs() {
      for _ in 0..<3 {
        var bytes = stream.bytes()
        bytes[48 + random.below(bytes.count - 48)] ^= UInt8(1 << random.below(8))
        try play.expectRefused(stage, bytes)
      }
    }
  }

  @Test func `no row brings a stage down`() throws {
    var random = Generator(9)
    for (stage, stream) in try inputs() {
      let firstRow = stage == "map" ? 0 : stream.rows.firstIndex { $0[0] != 0 } ?? 0
      for _ in 0..<8 {
        let outcome = try play.run(stage, stream.changed(from: firstRow, &random).bytes())
        #expect([0, 1, 2, 70].contains(outcome.status), "\(stage): \(outcome.errors)")
        try? FileManager.default.removeItem(atPath: day.scratch.path + "/staged")
      }
    }
  }

  @Test func `rows out of order, and rows that occur twice, are refused`() throws {
    let inputs = try inputs()
    for (stage, stream) in inputs {
      var turned = stream
      // Equal parts of a build can follow each other.
      let last = try #require(
        stream.rows.indices.dropFirst().last { stream.rows[$0] != stream.rows[$0 - 1] })
      turned.rows.swapAt(last, last - 1)
      try play.expectRefused(stage, turned.bytes(), "not in order")
      // Several findings may have one key, and are no less one row.
      for forms: [UInt8] in stage == "report" ? [[7, 8, 11], [9], [10]] : [[0, 7, 8, 11]] {
        var doubled = stream
        let index = stream.rows.firstIndex { forms.contains($0[0]) } ?? 0
        doubled.rows.insert(stream.rows[index], at: index)
        try play.expectRefused(stage, doubled.bytes(), "occurs in it twice")
      }
    }
  }

  @Test func `rows of another stage, and a lost source, are refused`() throws {
    let inputs = try inputs()
    for (stage, other) in [("hashes", inputs[1]), ("report", inputs[2]), ("map", inputs[1])] {
      try play.expectRefused(stage, other.stream.bytes(), "it contains rows of another stage")
    }
    for (stage, stream) in inputs where stage != "map" {
      var fewer = stream
      fewer.rows.remove(at: 0)
      try play.expectRefused(stage, fewer.bytes(), "a source is missing")
    }
  }

  /// An input that no child read is a hole in the audit; so are totals and rows that an engine loses.
  @Test(
    arguments: [
      (3, "no task read "), (4, "were counted and"),
      (9, "findings were counted, but there are rows of "),
      (10, "keys were counted, but there are rows of "),
      (11, "rejects were counted, but there are rows of "),
    ] as [(UInt8, String)])
  func `a row that the report needs is missed`(_ form: UInt8, _ words: String) throws {
    var report = try #require(try inputs().last?.stream)
    report.rows.remove(at: try #require(report.rows.firstIndex { $0[0] == form }))
    try play.expectRefused("report", report.bytes(), words)
  }

  /// Tests that a sum of sizes does not overflow.
  @Test func `sources of an impossible size are refused`() throws {
    var sources = try play.stream("plan", nil)
    for index in sources.rows.indices {
      sources.rows[index].replaceSubrange(6..<14, with: RowStream.little(UInt64.max >> 1))
    }
    try play.expectRefused("map", sources.bytes(), "a source's row is not as it should be")
  }

  @Test func `stages with other settings do not understand each other`() throws {
    for (stage, stream) in try inputs() {
      try play.expectRefused(
        stage, stream.bytes(),
        "attest-audit: error: the stream on standard input was made with other settings than "
          + "these\nhint: use the same pipeline file, flags and program for all stages\n",
        status: 65, ["--counter-gap", "7"])
    }
  }
}
