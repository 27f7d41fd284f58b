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
