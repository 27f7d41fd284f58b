internal import AuditLog

/// Names of device identifiers in sentences.
enum DeviceText {
  /// Returns the field that names devices, with its pointers: `deviceId (/device, /id)`.
  static func field(of schema: LogSchema) -> String {
    let name = LogField.deviceId.name
    let pointers = schema.pointers(of: .deviceId).map(\.text)
    return pointers.isEmpty ? name : "\(name) (\(pointers.joined(separator: ", ")))"
  }
}
