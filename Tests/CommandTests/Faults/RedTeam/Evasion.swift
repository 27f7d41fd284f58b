import Foundation
import LogForge
import TestSupport

/// An attacked day written otherwise, as a lenient server would take it all the same: mostly the lines of
/// the attack alone, so that nothing else shows it.
struct Evasion {
  /// A change to a day as a whole.
  enum Move: String, CaseIterable {
    /// All lines are written otherwise, and not those of the attack alone.
    case everywhere
    /// The server had refused the attack when it came first.
    case refused
    case shuffled, lineEnds, blanks, mark, twice, apart, late, cut
  }

  let nights: [Int]
  private let day: AttackedDay
  private let moves: Set<Move>
  private var random: Generator
  private var writer: EvasiveWriter

  init(of day: AttackedDay, _ random: Generator) {
    var random = random
    self.day = day
    nights = Array(0..<(random.once(in: 3) ? 2 : 1))
    moves = Set(Move.allCases.filter { _ in random.once(in: 4) })
    writer = EvasiveWriter(schema: day.schema, &random)
    self.random = random
  }

  /// The changes that were drawn, for messages.
  var summary: String {
    "\(writer.tricks.map(\.rawValue)), \(moves.map(\.rawValue).sorted()), \(nights.count) nights"
  }

  /// Writes a folder for each night, in place of what lies there.
  mutating func write(to folder: String) throws {
    try? FileManager.default.removeItem(atPath: folder)
    var lines: [(text: String, isAttack: Bool)] = []
    for (index, line) in day.lines.enumerated() {
      let isAttack = day.attacks.contains(index)
      let isChanged = isAttack || moves.contains(.everywhere)
      if isAttack, moves.contains(.refused), let refused = try writer.refused(line, &random) {
        lines.append((refused, true))
      }
      lines.append((isChanged ? try writer.rewrite(line, &random) : line, isAttack))
    }
    if moves.contains(.shuffled) { lines.shuffle(using: &random) }
    let count = 1 + random.below(3)
    for night in nights {
      // The first night, or the last one, has the attack.
      let ofAttack = moves.contains(.late) ? nights.count - 1 : 0
      let share = lines.enumerated().filter { index, line in
        line.isAttack && nights.count > 1 && moves.contains(.apart)
          ? night == ofAttack : index % nights.count == night
      }.map(\.element)
      for file in 0..<count {
        let own = share.enumerated().filter { index, line in
          line.isAttack && moves.contains(.apart) ? file == 0 : index % count == file
        }.map(\.element.text)
        try write(own, to: "\(folder)/\(night)", "\(random.below(1000))-\(file).jsonl")
      }
    }
  }

  private mutating func write(_ lines: [String], to folder: String, _ name: String) throws {
    let end = moves.contains(.lineEnds) ? "\r\n" : "\n"
    var text = moves.contains(.mark) ? "\u{FEFF}" : ""
    for line in lines {
      if moves.contains(.blanks), random.once(in: 5) { text += " \t" + end }
      text += line + end
    }
    var bytes = Array(text.utf8)
    switch random.below(3) {
    case 0: bytes = Packed.zstd(bytes)
    case 1: bytes = Packed.gzip(bytes)
    // A plain file that ends early has a line that cannot be read, and is told as that alone.
    default: return try put(bytes, folder, name)
    }
    if moves.contains(.cut), !lines.isEmpty { bytes.removeLast(1 + random.below(bytes.count / 2)) }
    try put(bytes, folder, name)
  }

  private func put(_ bytes: [UInt8], _ folder: String, _ name: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for name in moves.contains(.twice) ? [name, "copy-" + name] : [name] {
      try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
    }
  }
}
