import Foundation
import TestSupport
import Testing

/// Nights of inputs that appear again: copied, grown, cut, damaged, repaired, exported with an overlap, joined
/// (`records.R97` to `records.R103`). Each case is a sequence of files and what is found.
struct EndReadOnceTests: InputNights {
  let scratch: Scratch
  let day: SyntheticDay

  init() throws {
    scratch = try Scratch()
    day = try SyntheticDay(keys: 4, assertions: 60, seed: 31)
    try day.writeSettings(to: scratch)
  }

  /// A file of a night: parts of the day in tenths, packed in frames of a tenth each.
  struct File: Sendable {
    enum Form: Sendable { case plain, zstd, gzip }
    enum Damage: Sendable {
      case none
      /// A tenth cannot be decoded, or its checksum is wrong.
      case lost(Int)
      case checksum(Int)
      /// Only so many tenths arrived whole, and half of the next one.
      case cut(Int)
    }
    var name: String
    var tenths: [Int]
    var form = Form.zstd
    var damage = Damage.none
  }

  struct Night: Sendable {
    var files: [File]
    /// The codes of the findings, and of those that are withdrawn.
    var findings: [String] = []
    var withdrawn: [String] = []
    /// The tenths that were read before.
    var known = 0
    var status: Int32 = 0
  }

  struct Sequence: Sendable, CustomTestStringConvertible {
    var name: String
    var nights: [Night]
    var testDescription: String { name }
  }

  static let all = Array(0..<10)

  static let sequences = [
    Sequence(
      name: "a copy in another form and folder",
      nights: [
        Night(files: [File(name: "app.log", tenths: all, form: .plain)]),
        Night(files: [File(name: "copy/app.gz", tenths: all, form: .gzip)], known: 10),
      ]),
    Sequence(
      name: "a copy beside it, in one night",
      nights: [
        Night(
          files: [
            File(name: "a.zst", tenths: all), File(name: "b.log", tenths: all, form: .plain),
          ],
          known: 10)
      ]),
    Sequence(
      name: "a log that grows and is renamed",
      nights: [
        Night(files: [File(name: "app.log", tenths: [0, 1], form: .plain)]),
        Night(files: [File(name: "app.log.1.gz", tenths: Array(0..<6), form: .gzip)], known: 2),
        Night(files: [File(name: "app.log.2.zst", tenths: all)], known: 6),
      ]),
    Sequence(
      name: "A: a damaged copy, a night later in another folder",
      nights: [
        Night(files: [File(name: "n1/app.zst", tenths: all)]),
        Night(files: [File(name: "n2/app.zst", tenths: all, damage: .lost(4))], known: 9),
      ]),
    Sequence(
      name: "A: a damaged copy beside a whole one",
      nights: [
        Night(
          files: [
            File(name: "a.zst", tenths: all), File(name: "b.zst", tenths: all, damage: .lost(4)),
          ], known: 9)
      ]),
    Sequence(
      name: "B: damaged one night, whole the next",
      nights: [
        Night(
          files: [File(name: "app.zst", tenths: all, damage: .lost(4))],
          findings: ["stream.corrupt"], status: 2),
        Night(files: [File(name: "app.zst", tenths: all)], withdrawn: ["stream.corrupt"], known: 9),
      ]),
    Sequence(
      name: "B: a wrong checksum one night, a right one the next",
      nights: [
        Night(
          files: [File(name: "app.gz", tenths: all, form: .gzip, damage: .checksum(9))],
          findings: ["stream.corrupt"], status: 2),
        Night(
          files: [File(name: "app.gz", tenths: all, form: .gzip)], withdrawn: ["stream.corrupt"],
          known: 10),
      ]),
    Sequence(
      name: "C: a copy that is cut, a night later",
      nights: [
        Night(files: [File(name: "app.zst", tenths: all)]),
        Night(files: [File(name: "app.zst", tenths: all, damage: .cut(6))], known: 6),
      ]),
    Sequence(
      name: "two damaged copies, then the whole one",
      nights: [
        Night(
          files: [File(name: "a.zst", tenths: all, damage: .lost(2))],
          findings: ["stream.corrupt"], status: 2),
        Night(
          files: [File(name: "b.zst", tenths: all, damage: .lost(7))],
          withdrawn: ["stream.corrupt"], known: 8),
        Night(files: [File(name: "c.zst", tenths: all)], known: 10),
      ]),
    Sequence(
      name: "D: exports that overlap",
      nights: [
        Night(files: [File(name: "one.zst", tenths: Array(0..<7))]),
        Night(files: [File(name: "two.zst", tenths: Array(4..<10))], known: 3),
        Night(files: [File(name: "three.zst", tenths: Array(2..<10))], known: 8),
      ]),
    Sequence(
      name: "E: known files joined in another order",
      nights: [
        Night(
          files: [
            File(name: "a.zst", tenths: [0, 1, 2]), File(name: "b.zst", tenths: [3, 4, 5, 6]),
            File(name: "c.zst", tenths: [7, 8, 9]),
          ]),
        Night(
          files: [File(name: "joined.zst", tenths: [7, 8, 9, 0, 1, 2, 3, 4, 5, 6])], known: 10),
      ]),
  ]

  @Test(arguments: Self.sequences)
  func `each line is read once`(_ sequence: Sequence) throws {
    for (number, night) in sequence.nights.enumerated() {
      try? FileManager.default.removeItem(atPath: scratch.path + "/logs")
      for file in night.files { try put(file.name, pack(file)) }
      let report = try self.night(number, status: night.status)
      let comment = Comment("night \(number + 1) of \(sequence.name)")
      #expect(try report.findingRows.compactMap { $0["code"] } == night.findings, comment)
      let withdrawn = try CSVTable.rows(report.bytes("withdrawn.csv")).compactMap { $0["code"] }
      #expect(withdrawn == night.withdrawn, comment)
      let known = try report.summary.records["known"] ?? 0
      let expected = try night.known * tenth
      #expect(abs(known - expected) <= (night.known > 0 ? 9 : 0), comment)
    }
  }

  /// The lines that are not blank, without request identifiers, so that nothing else tells two requests apart.
  private var lines: [String] {
    get throws {
      try day.lines.indices.filter { !day.lines[$0].isEmpty }.map { index in
        guard day.lines[index].hasPrefix("{"), !day.lines[index].contains("\"platform\"") else {
          return day.lines[index]
        }
        return try day.line(index, ["requestId": nil])
      }
    }
  }

  private var tenth: Int { get throws { try lines.count / 10 } }

  private func pack(_ file: File) throws -> [UInt8] {
    let (lines, tenth) = (try lines, try tenth)
    var frames = try file.tenths.map { part in
      let end = part == 9 ? lines.count : (part + 1) * tenth
      let text = Array(lines[(part * tenth)..<end].map { $0 + "\n" }.joined().utf8)
      return switch file.form {
      case .plain: text
      case .zstd: try Packed.zstd(text)
      case .gzip: try Packed.gzip(text)
      }
    }
    switch file.damage {
    case .none: break
    case .lost(let part):
      for place in frames[part].count / 3..<frames[part].count { frames[part][place] ^= 0xA5 }
    case .checksum(let part):
      frames[part][frames[part].count - (file.form == .gzip ? 6 : 1)] ^= 1
    case .cut(let count):
      frames.removeLast(frames.count - count - 1)
      frames[count].removeLast(frames[count].count / 2)
    }
    return frames.flatMap(\.self)
  }
}
