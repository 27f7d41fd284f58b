/// Text for a terminal's line: control characters, which could end the line or drive the terminal,
/// are shown as escapes.
enum OneLine {
  static func escape(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var safe = ""
    for scalar in text.unicodeScalars {
      if isControl(scalar) {
        safe += scalar.escaped(asASCII: true)
      } else {
        safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
