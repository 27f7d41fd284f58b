/// Characters that could control a terminal, or change the order of letters (reports.R25).
package enum ControlCharacters {
  package static func contains(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Returns whether a text has any.
  package static func areIn(_ text: String) -> Bool {
    // These bytes begin all of them in UTF-8.
    text.utf8.contains { byte in
      byte < 0x20 || byte == 0x7F || byte == 0xC2 || byte == 0xD8 || byte == 0xE2
    } && text.unicodeScalars.contains(where: contains)
  }

  /// Returns the text with each of them shown as `\u001b` and the like.
  package static func shown(_ text: String) -> String {
    areIn(text) ? text.replacing(contains, OneLine.escape) : text
  }

  /// Returns lines of output with each of them shown so, except colours if it `hasColors`.
  package static func shown(lines text: String, hasColors: Bool) -> String {
    guard areIn(text) else { return text }
    var shown = ""
    shown.reserveCapacity(text.utf8.count)
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "\n" || scalar == "\r" && rest.first == "\n" {
        shown.unicodeScalars.append(scalar)
      } else if hasColors, scalar == "\u{1B}", let end = endOfColor(rest) {
        shown.unicodeScalars.append(scalar)
        shown.unicodeScalars.append(contentsOf: rest[...end])
        rest = rest[rest.index(after: end)...]
      } else if contains(scalar) {
        shown += OneLine.escape(scalar)
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  /// Returns the position of the `m` that ends a sequence like `[1;31m`, or nil for other text.
  private static func endOfColor(_ text: Substring.UnicodeScalarView) -> String.Index? {
    guard text.first == "[" else { return nil }
    let end = text.dropFirst().prefix(8).firstIndex { !("0"..."9").contains($0) && $0 != ";" }
    return end.flatMap { text[$0] == "m" ? $0 : nil }
  }
}
