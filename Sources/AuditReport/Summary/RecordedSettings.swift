internal import AppAttest
package import AuditEngine
internal import Basics
internal import OpenSSL

extension JSONTree {
  /// The lines that the page shows for the value of a setting, one for each element of a list.
  fileprivate var lines: [String] {
    switch self {
    case .string(let text): [text]
    case .array(let elements): elements.flatMap(\.lines)
    case .object(let members):
      [members.map { "\($0) \($1.lines.joined(separator: " "))" }.joined(separator: ", ")]
    default: []
    }
  }

  fileprivate init(stored: StoredValue) {
    if let text = stored.string {
      self = .string(text)
    } else if stored.members.isEmpty {
      self = .array(stored.elements.map(JSONTree.init(stored:)))
    } else {
      self = .object(
        stored.members.map {
          (String(decoding: $0.name, as: UTF8.self), JSONTree(stored: $0.value))
        })
    }
  }
}

/// The settings that decide what is found, whole, as `summary.json` keeps them under `run.settings`.
package struct RecordedSettings: Sendable, Equatable {
  /// The folder that relative paths of the run, including its inputs, are relative to.
  package var folder = ""
  package var schema = ""
  /// The schema file's YAML, or nil for a schema that comes with the program.
  package var schemaText: String?
  /// The certificates, DER in hex.
  package var trustAnchors: [String] = []
  package var receiptAnchors: [String] = []
  /// The list of known keys as it was named, and the number of keys in it.
  package var keys: String?
  package var knownKeys: UInt64 = 0
  package var state: String?
  /// The other settings, by their names in the table of settings: an object of names.
  package var values: JSONTree

  package init(values: JSONTree) { self.values = values }

  /// Reads `run.settings`, or returns nil if it is another object.
  init?(stored: StoredValue) {
    guard let values = stored["values"] else { return nil }
    self.init(values: JSONTree(stored: values))
    guard SummaryColumns.settings.read(stored, into: &self) == nil else { return nil }
  }

  var tree: JSONTree { .object(SummaryColumns.settings.members(of: self) + [("values", values)]) }

  /// The values as the text of a pipeline file whose keys are the full names of the settings.
  package var valuesText: String { values.text }

  private func value(_ name: String) -> JSONTree? {
    guard case .object(let members) = values else { return nil }
    return members.first { $0.0 == name }?.1
  }

  /// How far apart events could be logged in the wrong order, in milliseconds.
  var reorderTolerance: Int64 {
    guard case .string(let text) = value("detect.reorderTolerance") else {
      return DetectionPolicy().reorderTolerance
    }
    return DurationText.milliseconds(text) ?? DetectionPolicy().reorderTolerance
  }

  var fixedCodes: Set<FindingCode> {
    guard case .object(let members) = value("severity") else { return [] }
    return Set(members.compactMap { FindingCode(name: $0.0) })
  }

  var listed: [(String, String)] {
    func digest(_ certificate: String) -> String {
      let der = Hex.bytes(certificate.utf8) ?? []
      return Digest256.sha256(der.span).hex
    }
    var list = [("schema", schema)]
    list += trustAnchors.map { ("trust anchor, SHA-256", digest($0)) }
    list += receiptAnchors.map { ("receipt anchor, SHA-256", digest($0)) }
    list.append(("known keys", String(knownKeys)))
    guard case .object(let members) = values else { return list }
    return list + members.flatMap { name, value in value.lines.map { (name, $0) } }
  }
}

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
