internal import CZlib
import FindingCodes

/// A file that does not come from a server's hours. It is damaged, or has a line of absurd length.
struct DamagedFile: Sendable {
  /// The name below `logs/`. It sorts after the names of all whole files.
  var name: String
  var bytes: [UInt8]
  /// The expected findings. The line is 0 for those about the stream.
  var findings: [(code: FindingCode, line: Int)]
  /// The number of lines that can still be read.
  var lines: Int
}

/// The remains of a text after damage: pieces, with damage behind some of them.
struct DamagedText {
  private(set) var lines = 0
  private(set) var cutLines: [Int] = []
  /// The first of them in which the beginning of a token is left.
  private(set) var firstTokenLine: Int?
  /// The bytes of the open line.
  private var line: [UInt8] = []
  /// Whether the last piece ended within a line.
  private var isOpen = false
  /// Whether the open line has lost its beginning.
  private var hasLostBeginning = false

  /// Reads on in a piece. `begins` is true if its first byte begins a line of the log.
  mutating func read(_ piece: ArraySlice<UInt8>, begins: Bool) {
    guard !piece.isEmpty else { return }
    if !isOpen && !begins { hasLostBeginning = true }
    for byte in piece {
      if !isOpen {
        lines += 1
        isOpen = true
        if hasLostBeginning {
          cutLines.append(lines)
          hasLostBeginning = false
        }
      }
      line.append(byte)
      if byte == 0x0A { close() }
    }
  }

  /// How tokens begin in base64.
  private static let beginnings = [
    "o2NmbXR", "o2dhdHRTdG10", "o2hhdXRoRGF0Y", "omlzaWduYXR1cmV", "onFhdXRoZW50aWNhdG9yRGF0Y",
    "pGNmbXR",
  ].map { Array($0.utf8) }

  /// How an assertion with an unsigned code hash begins, the length of that in base64, and what
  /// follows.
  private static let codeHash = Array("o2ZjZEhhc2ii".utf8)
  private static let codeHashLength = 56
  private static let signature = Array("aXNpZ25hdHVyZ".utf8)

  private mutating func close() {
    isOpen = false
    defer { line = [] }
    guard cutLines.last == lines, firstTokenLine == nil else { return }
    let hasToken = line.indices.contains { start in
      Self.beginnings.contains { line[start...].starts(with: $0) }
        || line[start...].starts(with: Self.codeHash)
          && line[start...].dropFirst(Self.codeHashLength).starts(with: Self.signature)
    }
    if hasToken { firstTokenLine = lines }
  }

  /// Ends the line that the damage falls into.
  mutating func damage() {
    if isOpen && cutLines.last != lines { cutLines.append(lines) }
    if isOpen { close() }
  }
}

/// Gzip and zstd in fixed forms, for damage that has to hit an exact place.
package enum PlainContainers {
  /// Returns a gzip member of stored blocks (RFC 1951, 3.2.4), before anything is damaged.
  static func gzipMember(_ content: ArraySlice<UInt8>) -> [UInt8] {
    var member = gzipHeader
    var start = content.startIndex
    repeat {
      let end = min(start + 30_000, content.endIndex)
      member += storedBlock(content[start..<end], isLast: end == content.endIndex)
      start = end
    } while start < content.endIndex
    let sum = unsafe content.withUnsafeBufferPointer {
      unsafe crc32(0, $0.baseAddress, UInt32($0.count))
    }
    return member + littleEndian(UInt32(sum), 4) + littleEndian(UInt32(content.count), 4)
  }

  static let gzipHeader: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

  static func storedBlock(_ content: ArraySlice<UInt8>, isLast: Bool) -> [UInt8] {
    let length = UInt32(content.count)
    return [isLast ? 1 : 0] + littleEndian(length, 2) + littleEndian(length ^ 0xFFFF, 2) + content
  }

  /// Returns the offset of the first block of a zstd frame (RFC 8878, 3.1.1.1).
  package static func firstBlock(ofZstd frame: [UInt8]) -> Int {
    let descriptor = Int(frame[4])
    let isSingleSegment = descriptor >> 5 & 1 == 1
    let contentSize = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]
    return 5 + (isSingleSegment ? 0 : 1) + [0, 1, 2, 4][descriptor & 3] + contentSize
  }

  /// Returns a zstd frame of one raw block. Its header asks for a window of 2 to the `windowLog`.
  static func zstdFrame(_ content: ArraySlice<UInt8>, windowLog: Int) -> [UInt8] {
    let header = UInt32(content.count) << 3 | 1
    return [0x28, 0xB5, 0x2F, 0xFD, 0x00, UInt8((windowLog - 10) << 3)] + littleEndian(header, 3)
      + content
  }

  private static func littleEndian(_ value: UInt32, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
  }
}
