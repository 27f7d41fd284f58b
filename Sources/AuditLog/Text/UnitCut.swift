/// Text as Node's `Buffer.from` reads it: of each UTF-16 unit it takes the lower eight bits, so that a
/// character outside ASCII stands for one of base64.
enum UnitCut {
  /// Returns the lower eight bits of each UTF-16 unit of UTF-8; what is none becomes U+FFFD.
  static func lowerBits(of text: [UInt8]) -> [UInt8] {
    String(decoding: text, as: UTF8.self).utf16.map(UInt8.init(truncatingIfNeeded:))
  }

  /// Returns a line in which each unit from 0x80 on is the character of its lower eight bits, whether it
  /// stands there itself, as an escape of JSON at any depth, or percent-encoded. A unit that is no character of
  /// base64 then is a `!`, which all lenient decoders pass over. Nil if the line has no such unit.
  ///
  /// - Parameter padding: The number of zeros behind the line.
  static func cut(_ line: Span<UInt8>, padding: Int) -> [UInt8]? {
    guard hasUnits(line) else { return nil }
    var output: [UInt8] = []
    output.reserveCapacity(line.count + padding)
    func append(_ text: [UInt8]) {
      for bits in lowerBits(of: text) { output.append(character(bits)) }
    }
    var at = 0
    while at < line.count {
      var end = at + 1
      switch line[at] {
      case 0x80...:
        while end < line.count, line[end] >= 0x80 { end += 1 }
        append((at..<end).map { line[$0] })
      case UInt8(ascii: "\\"):
        while end < line.count, line[end] == UInt8(ascii: "\\") { end += 1 }
        if let unit = escape(line, at: end) {
          output.append(character(UInt8(truncatingIfNeeded: unit)))
          end += 5
        } else {
          for index in at..<end { output.append(line[index]) }
        }
      case UInt8(ascii: "%") where percentByte(line, at: at) != nil:
        end = at
        var bytes: [UInt8] = []
        while let byte = percentByte(line, at: end) {
          bytes.append(byte)
          end += 3
        }
        append(bytes)
      default:
        output.append(line[at])
      }
      at = end
    }
    output += repeatElement(0, count: padding)
    return output
  }

  /// Returns whether a line has a unit from 0x80 on. Most have none, and are not copied.
  private static func hasUnits(_ line: Span<UInt8>) -> Bool {
    for at in line.indices {
      switch line[at] {
      case 0x80...: return true
      case UInt8(ascii: "\\"): if escape(line, at: at + 1) != nil { return true }
      case UInt8(ascii: "%"): if percentByte(line, at: at) != nil { return true }
      default: continue
      }
    }
    return false
  }

  /// Returns the unit from 0x80 on whose `u` and four hex digits stand at a place, or nil if none does.
  private static func escape(_ line: Span<UInt8>, at place: Int) -> UInt16? {
    guard line.count - place > 4, line[place] == UInt8(ascii: "u"),
      let high = PercentCode.byte(line[place + 1], line[place + 2]),
      let low = PercentCode.byte(line[place + 3], line[place + 4])
    else { return nil }
    let unit = UInt16(high) << 8 | UInt16(low)
    return unit >= 0x80 ? unit : nil
  }

  /// Returns the byte from 0x80 on that a percent sign at a place encodes, or nil if none does.
  private static func percentByte(_ line: Span<UInt8>, at place: Int) -> UInt8? {
    guard line.count - place > 2, line[place] == UInt8(ascii: "%"),
      let byte = PercentCode.byte(line[place + 1], line[place + 2]), byte >= 0x80
    else { return nil }
    return byte
  }

  /// Returns the character of base64, or the space, that eight bits are, or else `!`.
  private static func character(_ bits: UInt8) -> UInt8 {
    switch bits {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"),
      UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: " "), UInt8(ascii: "="):
      bits
    default: UInt8(ascii: "!")
    }
  }
}
