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
    day = try ForgedDay()
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

  private var hasReport: Bool {
    FileManager.default.fileExists(atPath: day.scratch.path + "/staged")
  }

  @Test func `a stream that breaks off is never taken for whole`() throws {
    var random = Generator(7)
    for (stage, stream) in try inputs() {
      let bytes = stream.bytes()
      let places = [0, 1, 47, 48, 55, bytes.count - 28, bytes.count - 4, bytes.count - 1]
      for end in places + (0..<2).map({ _ in random.below(bytes.count) }) {
        let outcome = try play.run(stage, Array(bytes[..<end]))
        #expect(outcome.status == 70, "\(stage) of \(end) bytes: \(outcome.errors)")
        #expect(outcome.errors.contains("the stream of rows on standard input is broken: "))
        #expect(outcome.errors.contains("\nhint: "))
        #expect(outcome.stream == nil)
        #expect(!hasReport)
      }
    }
  }

  @Test func `a byte that changed on its way is noticed`() throws {
    var random = Generator(8)
    for (stage, stream) in try inputs() {
      for _ in 0..<3 {
        var bytes = stream.bytes()
        let place = 48 + random.below(bytes.count - 48)
        bytes[place] ^= UInt8(1 << random.below(8))
        let outcome = try play.run(stage, bytes)
        #expect(outcome.status == 70, "\(stage), byte \(place): \(outcome.errors)")
        #expect(outcome.stream == nil)
        #expect(!hasReport)
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
    for (stage, stream) in try inputs() {
      var turned = stream
      // Equal parts of a build can follow each other.
      let last = try #require(
        stream.rows.indices.dropFirst().last { stream.rows[$0] != stream.rows[$0 - 1] })
      turned.rows.swapAt(last, last - 1)
      var doubled = stream
      let index = stream.rows.firstIndex { [0, 7, 8, 11].contains($0[0]) } ?? 0
      doubled.rows.insert(stream.rows[index], at: index)
      for (words, changed) in [("not in order", turned), ("occurs in it twice", doubled)] {
        let outcome = try play.run(stage, changed.bytes())
        #expect(outcome.status == 70, "\(stage): \(words)")
        #expect(outcome.errors.contains(words), "\(stage): \(outcome.errors)")
        #expect(!hasReport)
      }
    }
    // Several findings may have one key, and are no less one row.
    let report = try #require(try inputs().last?.stream)
    for form: UInt8 in [9, 10] {
      var doubled = report
      let index = try #require(report.rows.firstIndex { $0[0] == form })
      doubled.rows.insert(report.rows[index], at: index)
      let outcome = try play.run("report", doubled.bytes())
      #expect(outcome.status == 70 && outcome.errors.contains("occurs in it twice"))
    }
  }

  @Test func `rows of another stage, and a lost source, are refused`() throws {
    let inputs = try inputs()
    for (stage, other) in [("hashes", inputs[1]), ("report", inputs[2]), ("map", inputs[1])] {
      let outcome = try play.run(stage, other.stream.bytes())
      #expect(outcome.status == 70)
      #expect(outcome.errors.contains("it contains rows of another stage"), "\(stage)")
    }
    for (stage, stream) in inputs where stage != "map" {
      var fewer = stream
      fewer.rows.remove(at: 0)
      #expect(try play.run(stage, fewer.bytes()).errors.contains("a source is missing"), "\(stage)")
    }
    // An input that no child read is a hole in the audit.
    var report = inputs[3].stream
    report.rows.remove(at: try #require(report.rows.firstIndex { $0[0] == 3 }))
    #expect(try play.run("report", report.bytes()).errors.contains("no task read "))
    // So are totals that are lost.
    report = inputs[3].stream
    report.rows.remove(at: try #require(report.rows.firstIndex { $0[0] == 4 }))
    #expect(try play.run("report", report.bytes()).errors.contains("were counted and"))
    #expect(!hasReport)
  }

  @Test func `a row of the report that an engine loses is missed`() throws {
    let report = try #require(try inputs().last?.stream)
    for (form, name): (UInt8, String) in [(9, "findings"), (10, "keys"), (11, "rejects")] {
      var fewer = report
      fewer.rows.remove(at: try #require(report.rows.firstIndex { $0[0] == form }))
      let outcome = try play.run("report", fewer.bytes())
      #expect(outcome.status == 70, "\(name)")
      #expect(outcome.errors.contains("\(name) were counted, but there are rows of "), "\(outcome)")
      #expect(!hasReport)
    }
  }

  /// Tests that a sum of sizes does not overflow.
  @Test func `sources of an impossible size are refused`() throws {
    var sources = try play.stream("plan", nil)
    for index in sources.rows.indices {
      sources.rows[index].replaceSubrange(6..<14, with: RowStream.little(UInt64.max >> 1))
    }
    let outcome = try play.run("map", sources.bytes())
    #expect(outcome.status == 70)
    #expect(outcome.errors.contains("a source's row is not as it should be"))
  }

  @Test func `what follows the trailer is refused`() throws {
    for (stage, stream) in try inputs() {
      let outcome = try play.run(stage, stream.bytes() + [0])
      #expect(outcome.errors.contains("something follows its trailer"), "\(stage)")
      #expect(!hasReport)
    }
  }

  @Test func `stages with other settings do not understand each other`() throws {
    for (stage, stream) in try inputs() {
      let outcome = try play.run(stage, stream.bytes(), ["--counter-gap", "7"])
      #expect(outcome.status == 65, "\(stage): \(outcome.errors)")
      #expect(
        outcome.errors
          == "attest-audit: error: the stream on standard input was made with other settings than "
          + "these\nhint: use the same pipeline file, flags and program for all stages\n")
      #expect(!hasReport)
    }
  }
}
