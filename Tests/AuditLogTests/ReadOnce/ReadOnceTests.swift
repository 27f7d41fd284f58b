import Compression
import Foundation
import TestSupport
import Testing

@testable import AuditLog

/// The rule "a line is read once" (`records.R97` to `records.R103`), on tables of lines.
@Suite struct `A line is read once` {
  // MARK: Against the model

  /// A sequence of inputs that the model made, with what the model decides: `prototype/lines`.
  struct Sequence: Decodable, CustomTestStringConvertible {
    struct Input: Decodable {
      var run: Int
      var name: String
      var plain: Bool
      var lines: [UInt64]
      /// One letter a line: a request, another object, or anything else.
      var kinds: String
      /// The times of the requests.
      var times: [Int64]
      /// Bounds of ranges of lines.
      var doubtful: [Int]
      var lost: [Int]
      var cut: [Int]
      /// The lines that are not read when the input arrives, and those that are superseded in the end.
      var unread: [Int]
      var superseded: [Int]

      var table: LineTable {
        var table = LineTable()
        var times = times[...]
        for (digest, kind) in zip(lines, kinds) {
          let kind: LineKind = kind == "r" ? .request : kind == "o" ? .object : .other
          table.append(
            LineDigest(digest << 3, kind),
            times: kind == .request ? times.prefix(1) : [])
          if kind == .request { times = times.dropFirst() }
        }
        table.damage.doubtful = ranges(doubtful)
        table.damage.cut = ranges(cut)
        table.damage.lost = lost
        table.damage.isCompressed = !plain
        table.damage.openBytes = plain && !doubtful.isEmpty ? 1 : 0
        if !plain {
          table.damage.places = [
            LineDamage.Place(kind: .corrupt, byteOffset: 0, lines: 0..<0, line: 0)
          ]
        }
        return table
      }
    }
    var name: String
    var inputs: [Input]

    var testDescription: String { name }
  }

  static let sequences: [Sequence] = {
    let file = Repository.folder.appending(path: "testdata/lines/sequences.json")
    return (try? JSONDecoder().decode([Sequence].self, from: Data(contentsOf: file))) ?? []
  }()

  @Test func `there are sequences`() { #expect(Self.sequences.count > 200) }

  @Test(arguments: Self.sequences)
  func `decides as the model does, night by night`(_ sequence: Sequence) {
    let inputs = sequence.inputs
    var superseded = inputs.map { _ in LineRanges() }
    for run in Set(inputs.map(\.run)).sorted() {
      let upTo = inputs.indices.filter { inputs[$0].run <= run }
      // A line beside a last one without an end begins with it.
      let open = upTo.map { inputs[$0].table }.filter { $0.damage.openBytes > 0 }
      let beginnings = open.map {
        LineBeginning(
          line: $0.count - 1, bytes: 1, content: $0.digests.last?.content ?? 0)
      }
      let compared = upTo.map { index in
        var table = inputs[index].table
        table.beginnings = Set(beginnings.filter { $0.line < table.count })
        return ComparedInput(
          table, name: inputs[index].name.components(separatedBy: "/").last ?? "",
          isEarlier: inputs[index].run < run, superseded: superseded[index])
      }
      let decision = ReadOnce(
        compared,
        candidates: CommonRequests(
          compared, firstNew: upTo.count { inputs[$0].run < run }
        ).pairs)
      for (place, index) in upTo.enumerated() {
        superseded[index] = decision.superseded(place)
        if inputs[index].run == run {
          #expect(decision.unread(place) == ranges(inputs[index].unread), "input \(index)")
        }
      }
    }
    for index in inputs.indices {
      #expect(superseded[index] == ranges(inputs[index].superseded), "input \(index)")
    }
  }

  // MARK: Single cases

  /// An input as text: a request for each letter, at a time of its own, that of its place in the alphabet; a digit is a
  /// line with four requests of different times (`records.R97`, `records.R98`); `·` is an
  /// object without a token, `?` a line that is not an object. `!` after a line makes it doubtful, `|` is a place where
  /// bytes are missing.
  private static func table(_ text: String) -> LineTable {
    var table = LineTable()
    var doubtful: [Range<Int>] = []
    for letter in text {
      switch letter {
      case "!": doubtful.append(table.count - 1..<table.count)
      case "|": table.damage.lost.append(table.count)
      case "·": table.append(LineDigest(1 << 20, .object))
      case "?": table.append(LineDigest(1 << 21, .other), isUnreadable: true)
      default:
        let number = UInt64(letter.unicodeScalars.first?.value ?? 0)
        // Lower case: the time of the upper case letter.
        let time = Int64(letter.uppercased().unicodeScalars.first?.value ?? 0) << 4
        let isSeveral = letter.isNumber
        table.append(
          LineDigest(number << 8, .request), times: time..<(time + (isSeveral ? 4 : 1)))
      }
    }
    table.damage.doubtful = LineRanges(doubtful)
    table.damage.isCompressed = !table.damage.lost.isEmpty || !doubtful.isEmpty
    if table.damage.isCompressed {
      table.damage.places = [
        LineDamage.Place(
          kind: .corrupt, byteOffset: 7, lines: 0..<0, line: table.damage.lost.first ?? 0)
      ]
    }
    return table
  }

  /// Inputs, the first one of an earlier run if `isLater`, and the lines of the second that are not read, from 1.
  static let cases: [(String, String, isLater: Bool, unread: [Int], why: String)] = [
    ("ABCDEFGH", "ABCDEFGH", false, Array(1...8), "a copy of 8 times"),
    ("ABCDEFG", "ABCDEFG", false, [], "7 times are too few in one run"),
    ("ABCDEFGg", "ABCDEFGg", false, [], "8 requests of 7 times"),
    ("X12", "12Y", false, [1, 2], "two lines with four requests each have 8 times"),
    ("X1A", "1AY", false, [], "two lines with five requests of 5 times"),
    ("ABC", "ABC", true, [1, 2, 3], "the same input on a later night"),
    ("ABC", "ABCD", true, [1, 2, 3], "an input that has grown"),
    ("ABC", "DABC", true, [], "a short row that does not begin the input"),
    ("··", "··", false, [1, 2], "equal inputs without a request"),
    ("ABCDEFGHIJKL", "EFGHIJKLMNOP", false, Array(1...8), "exports that overlap"),
    ("ABCDEFGHIJKLMNOP", "IJKLMNOPABCDEFGH", false, Array(1...16), "joined in another order"),
    ("XABCDEFGHY", "ZABCDEFGHW", false, [], "own lines of both on both sides"),
    ("XABCDEFGHY", "ABCDEFGHW", false, [], "own lines of both on one side"),
    ("ABCDEFGHY", "ZABCDEFGH", false, Array(2...9), "on each side one of the two ends"),
    ("XABCDEFGHY", "?ABCDEFGH?", false, Array(2...9), "what is not an object is nobody's own"),
    ("ABCDEFGHIJ", "ABCDEFGHx!J", true, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "a damaged copy, later"),
    ("ABCDEFGH", "ABCDEFGH|", true, Array(1...8), "a copy that is cut"),
  ]

  @Test(arguments: Self.cases)
  func `which lines are not read`(
    _ one: (first: String, second: String, isLater: Bool, unread: [Int], why: String)
  ) {
    let inputs = [(one.first, one.isLater), (one.second, false)].map { text, isEarlier in
      ComparedInput(Self.table(text), name: text, isEarlier: isEarlier)
    }
    let decision = ReadOnce(
      inputs, candidates: CommonRequests(inputs, firstNew: one.isLater ? 1 : 0).pairs)
    #expect(decision.unread(1).ranges.joined().map { $0 + 1 } == one.unread, "\(one.why)")
    #expect(decision.unread(0).isEmpty, "\(one.why)")
  }

  /// A damaged input of an earlier run, another input, the lines of the first that are superseded, and whether its
  /// damaged place is repaired.
  static let repairs: [(String, String, superseded: [Int], isRepaired: Bool, why: String)] = [
    ("ABCDEFGHx!|JKL", "ABCDEFGHIJKL", [9], true, "one line was garbled"),
    ("ABCDEFGH|JKL", "ABCDEFGHIJKL", [], true, "one line is missing"),
    (
      "ABCDEFGHx!|JKL", "ABCDEFGHJKL", [], true,
      "the other input has no line there: it is a different input"
    ),
    ("ABCDEFGH|", "ABCDEFGHIJKL", [], true, "the other input goes on"),
    ("ABCDEFGH|", "ABCDEFGH", [], false, "the other input is only as long"),
    ("|ABCDEFGH", "ABCDEFGH", [], false, "the other input begins with the same line"),
    ("|ABCDEFGH", "XABCDEFGH", [], true, "the other input has a line before"),
    ("A|BC", "ABC", [], true, "three lines, all of them sound, and one request is enough"),
    ("A|BC", "ADC", [], false, "a sound line is missing"),
    ("ABCDEFGHx!|JKL", "ABCDEFGH|JKL", [], false, "both are damaged in one place"),
  ]

  @Test(arguments: Self.repairs)
  func `what a later input explains`(
    _ one: (first: String, second: String, superseded: [Int], isRepaired: Bool, why: String)
  ) {
    let inputs = [(one.first, true), (one.second, false)].map { text, isEarlier in
      ComparedInput(Self.table(text), name: text, isEarlier: isEarlier)
    }
    let decision = ReadOnce(inputs, candidates: CommonRequests(inputs, firstNew: 1).pairs)
    #expect(decision.superseded(0).ranges.joined().map { $0 + 1 } == one.superseded, "\(one.why)")
    #expect(decision.repaired(0).isEmpty != one.isRepaired, "\(one.why)")
  }

  @Test(arguments: [
    ("ABCDEFGHx!|JKL", "ABCDEFGHJKL", false), ("ABCDEFGHx!y!|JKL", "ABCDEFGHIJKL", false),
    ("ABCDEFGH?!?!|JKL", "ABCDEFGHIJKL", true),
  ])
  func `a damaged place with an object that no other input explains is not repaired (records.R102)`(
    _ text: String, _ other: String, _ isRepaired: Bool
  ) {
    var damaged = Self.table(text)
    damaged.damage.places[0].lines = 8..<damaged.damage.lost[0]
    let inputs = [(damaged, true), (Self.table(other), false)].map {
      ComparedInput($0, name: "", isEarlier: $1)
    }
    let decision = ReadOnce(inputs, candidates: CommonRequests(inputs, firstNew: 1).pairs)
    #expect(decision.repaired(0).isEmpty != isRepaired && decision.superseded(0).isEmpty)
  }

  /// Inputs of one run, of each the lines that are read, from 1, and whether it is another log: with more than a tenth of
  /// unreadable lines.
  static let others: [([String], read: [[Int]], isOther: [Bool], why: String)] = [
    (
      ["ABCDEFGH??", "ABCDEFGH"], [[9, 10], Array(1...8)], [true, false],
      "it stands behind its sound copy"
    ),
    (
      ["ABCDEFGH??", "ABCDEFGH??"], [Array(1...10), []], [true, true],
      "a copy of another log is another log"
    ),
    (
      ["ABCDEFGH?", "ABCDEFGH?IJKLMNOPQRSTUVWXYZ"], [[], Array(1...27)], [false, false],
      "all of it was read in an input behind it"
    ),
    (
      ["ABCDEFGHx!|JKLMNOPQ", "ABCDEFGHIJKLMNOPQ??"],
      [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17], [9, 18, 19]], [false, true],
      "it explains nothing of an input that is accounted for"
    ),
  ]

  @Test(arguments: others)
  func `another log comes last`(
    _ one: ([String], read: [[Int]], isOther: [Bool], why: String)
  ) {
    let inputs = one.0.map { ComparedInput(Self.table($0), name: $0, isEarlier: false) }
    let decision = ReadOnce(
      inputs, candidates: CommonRequests(inputs, firstNew: 0).pairs, rejectRate: 0.1)
    for (index, input) in inputs.enumerated() {
      let unread = decision.unread(index)
      let read = (0..<input.count).filter { !unread.contains($0) }.map { $0 + 1 }
      #expect(read == one.read[index], "\(one.why): \(index)")
      #expect(decision.isSetAside(index) == one.isOther[index], "\(one.why): \(index)")
    }
  }

  @Test func `a line that very many inputs have makes few pairs`() {
    let inputs = (0x4E00..<0x4E00 + 300).compactMap(UnicodeScalar.init).map {
      ComparedInput(Self.table("\($0)A"), name: "\($0)", isEarlier: false)
    }
    let pairs = CommonRequests(inputs, firstNew: 0, least: 1).pairs
    #expect(pairs.count > 299 && pairs.count < 300 * 66)
  }

  @Test(arguments: [(true, 2..<4), (false, 2..<5)])
  func `what follows lost bytes is the rest of a line unless it is an object`(
    isObject: Bool, doubtful: Range<Int>
  ) {
    var damage = SourceDamage(kind: .corrupt, byteOffset: 7, detail: "")
    damage.doubtful = 3..<5
    let found = LineDamage([damage], lines: 6, openBytes: 0) { _ in isObject }
    #expect(found.doubtful.ranges == [doubtful] && found.lost == [4])
    #expect(found.cut.ranges == (isObject ? [] : [4..<5]))
  }

  // MARK: Digests

  @Test(arguments: [
    (0, 0xabac_0158_050f_c4dc as UInt64), (1, 0xc9f4_9bf3_7d57_ca93), (8, 0x3690_9511_8d29_9a8e),
    (15, 0xd320_d86d_2a51_9956), (63, 0x9d19_9062_b7bb_b3a8),
  ])
  func `the digest is SipHash-1-3`(_ count: Int, _ digest: UInt64) {
    let key = LineKey(0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908)
    let bytes = (0..<count).map { UInt8($0) }
    #expect(unsafe bytes.withUnsafeBytes { unsafe key.digest($0) } == digest)
  }
}

/// Returns the lines between pairs of bounds.
private func ranges(_ bounds: [Int]) -> LineRanges {
  LineRanges(stride(from: 0, to: bounds.count, by: 2).map { bounds[$0]..<bounds[$0 + 1] })
}
