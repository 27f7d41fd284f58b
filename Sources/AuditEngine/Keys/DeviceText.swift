/// Device identifiers as sentences show them.
enum DeviceText {
  /// The most of an identifier that is shown, in Unicode scalars.
  private static let longest = 100

  /// The identifier in quotation marks, its end left out where it is long.
  static func quoted(_ device: String) -> String {
    let head = device.unicodeScalars.prefix(longest)
    guard head.endIndex < device.unicodeScalars.endIndex else { return "\"\(device)\"" }
    var text = String(String.UnicodeScalarView(head))
    text.append("…")
    return "\"\(text)\""
  }
}
