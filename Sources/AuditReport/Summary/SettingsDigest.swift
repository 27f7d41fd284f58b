internal import AppAttest
package import AuditEngine
internal import AuditLog
internal import OpenSSL

/// A digest of the settings that decide what is found. The stages of one audit have to agree on it.
package enum SettingsDigest {
  /// Returns 32 bytes. Paths make no difference. `state` describes its windows, or is nil.
  package static func bytes(
    _ configuration: AuditConfiguration, recorded: RecordedSettings, state: String? = nil
  ) -> [UInt8] {
    var recorded = recorded
    recorded.folder = ""
    recorded.keys = nil
    recorded.state = nil
    var rows = RowBuffer()
    rows.append(json: Tool.version)
    recorded.tree.write(to: &rows)
    rows.append(ascii: configuration.verdicts ? "verdicts" : "no verdicts")
    for entry in configuration.accepted {
      rows.append(
        json: "\(entry.target.text)\n\(entry.severity.name)\n\(entry.reason)\n\(entry.expires)")
    }
    rows.append(json: "\(configuration.day) \(configuration.acceptanceDay)")
    if let state { rows.append(json: state) }
    var hash = SHA256Stream()
    func add(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe hash.update($0) } }
    add(rows.bytes)
    for key in configuration.knownKeys {
      add(key.keyID.bytes)
      var text = RowBuffer()
      text.append(json: key.appID)
      let numbers = [
        key.environment.map { Int64($0.rawValue) }, key.attestedAt,
        key.lastCounter.map(Int64.init), key.lastCounterTime,
      ]
      text.append(json: numbers.map { $0.map(String.init) ?? "-" }.joined(separator: " "))
      text.append(json: key.subject ?? "")
      text.append(json: key.deviceID ?? "")
      add(text.bytes)
    }
    return hash.digest()
  }
}
