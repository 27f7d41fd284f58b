/// The words before a line's JSON: a time, a level, a process, or the head of a syslog message.
package enum LinePrefix {
  /// Returns the offset at which the object of a line begins. That is the first brace behind which,
  /// spaces aside, a quote or the closing brace stands, as in every object and hardly ever in
  /// words. Returns 0 if there is no such brace.
  package static func length(_ line: UnsafeBufferPointer<UInt8>) -> Int {
    var at = 0
    while at < line.count {
      if unsafe line[at] == UInt8(ascii: "{"), unsafe beginsMember(line, at + 1) { return at }
      at += 1
    }
    return 0
  }

  /// Returns the offset at which the object begins that ends with a line, read from its end. Of all
  /// braces only one can begin a whole object that reaches the end, whatever comes before it.
  /// Returns nil if there is no such brace, or if another object or a CR is right before it: two
  /// records that lost the line feed between them.
  ///
  /// The part from there on has to be read to know that it is an object.
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
        let isNext = unsafe at > 0 && (line[at - 1] == UInt8(ascii: "}") || line[at - 1] == 0x0D)
        return isNext ? nil : at
      default: continue
      }
    }
    return nil
  }

  static func isSpace(_ byte: UInt8) -> Bool {
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
