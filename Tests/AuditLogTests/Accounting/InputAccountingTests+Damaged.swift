import Foundation
import TestSupport
import Testing

@testable import AuditLog

/// Damaged files and whole ones with the same lines.
extension `Input accounting` {
  /// Returns texts as one zstd frame each, the last with a checksum that fails.
  private func broken(_ texts: [String]) throws -> [UInt8] {
    var packed = try zstd(texts.map { Array($0.utf8) })
    packed[packed.count - 1] ^= 1
    return packed
  }

  @Test(arguments: [true, false])
  func `of a log that grew, lines that were read twice are replaced, those passed over are not`(
    _ isDamagedFirst: Bool
  ) throws {
    let garbled = records(10..<11) + "{\"n\":garbled}\n" + records(12..<20)
    let damaged = try scratch.write("a.zst", broken([records(0..<10), garbled]))
    let log = try scratch.write("b", records(0..<16) + "{\"half\":")
    let nights = Nights(keepsLines: true)
    let beingWritten = milliseconds(Date())
    if isDamagedFirst {
      _ = try nights.run([damaged])
      let night = try nights.run([log], now: beingWritten)
      #expect(night.lines.filter { $0.state != .passed }.map(\.number) == [12])
    } else {
      #expect(try nights.run([log], now: beingWritten).lines.count == 16)
      #expect(try nights.run([damaged]).lines.count == 20)
    }
    try scratch.write("b", records(0..<30))
    let night = try nights.run([log])
    #expect(night.accounted.replaced.map(\.source) == [isDamagedFirst ? 0 : 1])
    #expect(night.accounted.replaced.map(\.lines) == [isDamagedFirst ? [12] : Array(1...16)])
  }

  @Test func `a short copy with all bytes of a known input is no known one where it is damaged`()
    throws
  {
    let nights = Nights()
    _ = try nights.run([scratch.write("a", records(0..<3))])
    let night = try nights.run([scratch.write("b.zst", broken([records(0..<3)]))])
    #expect(night.origins == [.file(path: scratch.path + "/b.zst")])
    #expect(night.lines.allSatisfy { $0.state == .passed })
  }

  @Test func `a line that damage cut behind a whole frame is no line that the whole copy lacks`()
    throws
  {
    let bytes = Array(records(0..<20).utf8)
    // The checksum of a frame without content fails: it cuts the line that the frame before it began.
    var frames = try [bytes[..<700], [], bytes[700...]].map { try zstd([Array($0)]) }
    frames[1][frames[1].count - 1] ^= 1
    let nights = Nights(keepsLines: true)
    let damaged = try nights.run([scratch.write("a.zst", Array(frames.joined()))])
    let cut = try #require(damaged.lines.first { $0.state == .cut }).number
    #expect(try DamagedLines(kept: nights.lines(of: 0)).doubtful == [cut...cut + 1])
    let whole = try nights.run([scratch.write("b", bytes)])
    #expect(whole.accounted.replaced.map(\.source) == [0])
  }

  @Test func `a copy in which damage made one line very long is known by the number of lines`()
    throws
  {
    let whole = try scratch.write("a", records(0..<20))
    let long = String(repeating: "garbled ", count: 2000) + "\n"
    let copy = try scratch.write("b.zst", broken([records(0..<9) + long + records(10..<20)]))
    for inputs in [[whole, copy], [copy, whole]] {
      #expect(try Nights().run(inputs).lines.count { $0.state != .passed } == 21)
    }
  }

  @Test func `a copy with more lines, a long one that damage cut in two, is known by its bytes`()
    throws
  {
    var random = Generator(1)
    let long = random.bytes(6000).map { String($0) }.joined(separator: " ")
    let text = records(0..<10) + long + "\n" + records(10..<20)
    let whole = try scratch.write("a", text)
    // The frame that holds the middle of the long line cannot be decoded.
    let bytes = Array(text.utf8)
    var frames = try [bytes[..<2000], bytes[2000..<20000], bytes[20000...]].map {
      try zstd([Array($0)])
    }
    for at in frames[1].count / 2..<frames[1].count { frames[1][at] ^= 0xA5 }
    let copy = try scratch.write("b.zst", Array(frames.joined()))
    // The two parts of that line are read.
    for inputs in [[whole, copy], [copy, whole]] {
      let night = try Nights().run(inputs)
      #expect(night.lines.count { $0.state != .passed } == 23)
    }
  }
}
