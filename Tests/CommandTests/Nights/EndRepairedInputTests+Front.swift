import Foundation
import TestSupport
import Testing

/// Files of which nothing, or little, could be read before they came whole.
extension EndRepairedInputTests {
  private func isOpen(_ code: String) throws -> Bool {
    try Program.run(["state", "findings", "state"], in: scratch.path).output.contains(code)
  }

  /// Another log, of other requests.
  private func other() throws -> [UInt8] {
    try SyntheticDay(keys: 2, assertions: 20, seed: 32).log()
  }

  @Test(arguments: ["zst", "gz"])
  func `a file of which nothing was read is known by its front`(_ format: String) throws {
    func pack(_ bytes: [UInt8]) throws -> [UInt8] {
      try format == "gz" ? Packed.gzip(bytes) : Packed.zstd(bytes)
    }
    let whole = try pack(day.log())
    let cut = Array(whole.prefix(200))
    for (number, name) in ["a.\(format)", "b/a.1.\(format)"].enumerated() {
      try put("a.\(format)", cut)
      #expect(
        try night(10 * number + 1, status: 2).findings.contains(
          "high stream.truncated logs/a.\(format):0"))
      try FileManager.default.removeItem(atPath: scratch.path + "/logs/a.\(format)")
      // Neither another log in the same form in its place, nor any other one, is the file.
      try put("a.\(format)", pack(other()))
      try put("x.log", try SyntheticDay(keys: 1, assertions: 9, seed: 33).log())
      _ = try night(10 * number + 2, status: nil)
      #expect(try isOpen("stream.truncated"))
      for name in ["a.\(format)", "x.log"] {
        try FileManager.default.removeItem(atPath: scratch.path + "/logs/" + name)
      }
      try put(name, whole)
      _ = try night(10 * number + 3, status: nil)
      #expect(try !isOpen("stream.truncated"), "\(name)")
      try FileManager.default.removeItem(atPath: scratch.path + "/logs/" + name)
      try FileManager.default.removeItem(atPath: scratch.path + "/state")
    }
  }

  @Test
  func `one bit that garbled most lines is forgotten with the whole file, grown or elsewhere`()
    throws
  {
    let whole = try Packed.gzip(day.log())
    // Three of five lines, the first and the last among them, as what refers back to a flipped bit has it.
    let lines = day.lines.enumerated().map { index, line in
      [0, 1, 3].contains(index % 5) || index == day.lines.count - 1 ? "x" + line.dropFirst() : line
    }
    let garbled = Array(lines.map { $0 + "\n" }.joined().utf8)
    let broken = try Packed.gzip(garbled).dropLast(8) + whole.suffix(8)
    for (number, name) in ["a.gz", "rotated/a.1.gz"].enumerated() {
      try put("a.gz", Array(broken))
      _ = try night(10 * number + 1, status: 2)
      try FileManager.default.removeItem(atPath: scratch.path + "/logs/a.gz")
      try put(name, number == 0 ? Packed.gzip(day.log() + Array("\n\n".utf8)) : whole)
      #expect(try night(10 * number + 2).findings == [])
      let open = try Program.run(["state", "findings", "state"], in: scratch.path)
      #expect(open.output == "no open findings\n", "\(open)")
      try FileManager.default.removeItem(atPath: scratch.path + "/logs/" + name)
      try FileManager.default.removeItem(atPath: scratch.path + "/state")
    }
  }
}
