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
  /// bytes are missing, and `[` is where the lines of that place begin.
  private static func table(_ text: some StringProtocol) -> LineTable {
    var table = LineTable()
    var doubtful: [Range<Int>] = []
    var start: Int?
    for letter in text {
      switch letter {
      case "!": doubtful.append(table.count - 1..<table.count)
      case "|": table.damage.lost.append(table.count)
      case "[": start = table.count
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
      let lost = table.damage.lost.first ?? 0
      table.damage.places = [
        LineDamage.Place(
          kind: .corrupt, byteOffset: 7, lines: start.map { $0..<lost } ?? 0..<0, line: lost)
      ]
    }
    return table
  }

  /// Inputs, of which those behind `<` are of an earlier run, and what is decided of each: the lines that are not read and
  /// those that are superseded, from 1; whether a damaged place is repaired; and whether it is another log, with more than
  /// a tenth of unreadable lines.
  @Test(arguments: TextCase.read("read-once"))
  func `what is read of each input`(_ one: TextCase) {
    let inputs = one.lines.map { line in
      let isEarlier = line.hasPrefix("<")
      let text = line.dropFirst(isEarlier ? 1 : 0)
      return ComparedInput(Self.table(text), name: String(text), isEarlier: isEarlier)
    }
    let pairs = CommonRequests(inputs, firstNew: inputs.count(where: \.isEarlier)).pairs
    let decision = ReadOnce(inputs, candidates: pairs, rejectRate: 0.1)
    let decided = inputs.indices.map { index in
      let lines = [
        ("unread", decision.unread(index)), ("superseded", decision.superseded(index)),
      ].filter { !$1.isEmpty }.map { name, lines in
        "\(name) "
          + lines.ranges.map { "\($0.lowerBound + 1)-\($0.upperBound)" }.joined(separator: " ")
      }
      let words =
        lines + (decision.repaired(index).isEmpty ? [] : ["repaired"])
        + (decision.isSetAside(index) ? ["another log"] : [])
      return words.isEmpty ? "-" : words.joined(separator: ", ")
    }
    #expect(decided.joined(separator: " / ") == one.message, "\(one.text)")
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
