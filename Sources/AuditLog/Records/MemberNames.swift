/// The names of a line's members.
enum MemberNames {
  /// Returns the names of the outermost object's members in their order, as they stand, with commas
  /// between them. The line must be known to be one JSON object.
  static func list(_ line: Span<UInt8>) -> [UInt8] {
    var names: [UInt8] = []
    var depth = 0
    var at = 0
    // Whether the next string of the outermost object is a name.
    var isAtName = false
    while at < line.count {
      switch line[at] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        isAtName = depth == 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ","): isAtName = depth == 1
      case UInt8(ascii: "\""):
        let end = endOfString(line, from: at + 1)
        if isAtName {
          if !names.isEmpty { names.append(UInt8(ascii: ",")) }
          for index in (at + 1)..<end { names.append(line[index]) }
          isAtName = false
        }
        at = end
      default: break
      }
      at += 1
    }
    return names
  }

  /// Returns the offset of the quote that ends a string.
  private static func endOfString(_ line: Span<UInt8>, from start: Int) -> Int {
    var at = start
    while at < line.count, line[at] != UInt8(ascii: "\"") {
      at += line[at] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(at, line.count)
  }
}
