internal import AuditLog

/// Device identifiers as sentences show them.
enum DeviceText {
  /// Returns the field that names devices, with its pointers: `deviceId (/device, /id)`.
  static func field(of schema: LogSchema) -> String {
    let name = LogField.deviceId.name
    let pointers = schema.pointers(of: .deviceId).map(\.text)
    return pointers.isEmpty ? name : "\(name) (\(pointers.joined(separator: ", ")))"
  }

  /// The most of an identifier that is shown, in Unicode scalars.
  private static let longest = 100

  /// Returns the identifier in quotation marks, its end left out where it is long.
  static func quoted(_ device: String) -> String {
    let head = device.unicodeScalars.prefix(longest)
    guard head.endIndex < device.unicodeScalars.endIndex else { return "\"\(device)\"" }
    var text = String(String.UnicodeScalarView(head))
    text.append("…")
    return "\"\(text)\""
  }
}
