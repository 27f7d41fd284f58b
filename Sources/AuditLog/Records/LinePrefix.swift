/// What comes before a line's JSON where a logger writes its own words there: a time, a level, a
/// process, or the head of a syslog message.
package enum LinePrefix {
  /// Where the object of a line begins: at the first brace behind which, spaces aside, a quote or the
  /// closing brace stands, as in every object and hardly ever in words; 0 where there is none.
  package static func length(_ line: UnsafeBufferPointer<UInt8>) -> Int {
    var at = 0
    while at < line.count {
      if unsafe line[at] == UInt8(ascii: "{"), unsafe beginsMember(line, at + 1) { return at }
      at += 1
    }
    return 0
  }

  /// Where the object begins that ends with a line, read from its end: of all braces only one can begin a
  /// whole object that reaches the end, whatever stands in front of it. Nil where there is none, or where
  /// another object ends right in front of it: two records that lost the line feed between them.
  ///
  /// What is returned has to be read to be known for an object.
  package static func lengthFromEnd(_ line: UnsafeBufferPointer<UInt8>) -> Int? {
    var at = line.count
    while at > 0, unsafe isSpace(line[at - 1]) { at -= 1 }
    guard at > 0, unsafe line[at - 1] == UInt8(ascii: "}") else { return nil }
    var depth = 0
    var isInString = false
    while at > 0 {
      at -= 1
      switch unsafe line[at] {
      case UInt8(ascii: "\""):
        // An odd number of backslashes in front of it makes it a part of a string.
        let quote = at
        while at > 0, unsafe line[at - 1] == UInt8(ascii: "\\") { at -= 1 }
        if (quote - at).isMultiple(of: 2) { isInString.toggle() }
      case UInt8(ascii: "}") where !isInString: depth += 1
      case UInt8(ascii: "{") where !isInString:
        depth -= 1
        guard depth == 0 else { continue }
        return unsafe at > 0 && line[at - 1] == UInt8(ascii: "}") ? nil : at
      default: continue
      }
    }
    return nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private static func beginsMember(_ line: UnsafeBufferPointer<UInt8>, _ start: Int) -> Bool {
    // Nothing puts more space than this between the two; with a bound no line is read twice.
    let end = min(line.count, start + 16)
    for at in start..<max(start, end) {
      switch unsafe line[at] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"): continue
      case UInt8(ascii: "\""), UInt8(ascii: "}"): return true
      default: return false
      }
    }
    return false
  }
}
