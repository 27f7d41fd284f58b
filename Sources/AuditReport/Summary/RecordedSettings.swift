internal import AppAttest
internal import AuditEngine
internal import Basics

/// A value of a setting as a report keeps it, in the form that a pipeline file has for it.
package indirect enum RecordedValue: Sendable, Equatable {
  case text(String)
  case list([RecordedValue])
  case members([String], [RecordedValue])

  /// Whether it has neither elements nor members.
  package var isEmpty: Bool {
    switch self {
    case .text: false
    case .list(let elements): elements.isEmpty
    case .members(let names, _): names.isEmpty
    }
  }

  /// The value as a part of `summary.json`.
  var tree: JSONTree {
    switch self {
    case .text(let text): .string(text)
    case .list(let elements): .array(elements.map(\.tree))
    case .members(let names, let values): .object(Array(zip(names, values.map(\.tree))))
    }
  }

  /// The lines that the page shows for it, one for each element of a list.
  var lines: [String] {
    switch self {
    case .text(let text): [text]
    case .list(let elements): elements.flatMap(\.lines)
    case .members(let names, let values):
      [
        zip(names, values).map { "\($0) \($1.lines.joined(separator: " "))" }
          .joined(separator: ", ")
      ]
    }
  }

  init(stored: StoredValue) {
    if let text = stored.string {
      self = .text(text)
    } else if stored.members.isEmpty {
      self = .list(stored.elements.map(RecordedValue.init(stored:)))
    } else {
      self = .members(
        stored.members.map { String(decoding: $0.name, as: UTF8.self) },
        stored.members.map { RecordedValue(stored: $0.value) })
    }
  }
}

/// The settings that decide what is found, as `summary.json` keeps them under `run.settings`. They
/// are complete, so that a finding can be judged again without the files that the run was given.
package struct RecordedSettings: Sendable, Equatable {
  /// The folder that relative paths of the run, including its inputs, are relative to.
  package var folder: String
  /// The schema's name.
  package var schema: String
  /// The schema file's YAML, or nil for a schema that comes with the program.
  package var schemaText: String?
  /// The certificates, DER in hex.
  package var trustAnchors: [String]
  package var receiptAnchors: [String]
  /// The list of known keys as it was named, and the number of keys in it.
  package var keys: String?
  package var knownKeys: UInt64
  /// The state directory.
  package var state: String?
  /// The other settings, by their names in the table of settings: an object of names.
  package var values: RecordedValue

  package init(
    folder: String, schema: String, schemaText: String?, trustAnchors: [[UInt8]],
    receiptAnchors: [[UInt8]], keys: String?, knownKeys: Int, state: String?, values: RecordedValue
  ) {
    self.folder = folder
    self.schema = schema
    self.schemaText = schemaText
    self.trustAnchors = trustAnchors.map { Hex.text($0) }
    self.receiptAnchors = receiptAnchors.map { Hex.text($0) }
    self.keys = keys
    self.knownKeys = UInt64(knownKeys)
    self.state = state
    self.values = values
  }

  /// Reads `run.settings`, or returns nil if it is another object.
  init?(stored: StoredValue) {
    guard let values = stored["values"] else { return nil }
    self.init(
      folder: "", schema: "", schemaText: nil, trustAnchors: [], receiptAnchors: [], keys: nil,
      knownKeys: 0, state: nil, values: RecordedValue(stored: values))
    guard SummaryColumns.settings.read(stored, into: &self) == nil else { return nil }
  }

  /// The settings as a part of `summary.json`.
  var tree: JSONTree {
    .object(SummaryColumns.settings.members(of: self) + [("values", values.tree)])
  }

  /// The values as the text of a pipeline file whose keys are the full names of the settings.
  package var valuesText: String {
    var rows = RowBuffer()
    values.tree.write(to: &rows)
    return rows.text
  }

  private func value(_ name: String) -> RecordedValue? {
    guard case .members(let names, let values) = values else { return nil }
    return names.firstIndex(of: name).map { values[$0] }
  }

  /// How far apart events could be logged in the wrong order, in milliseconds.
  var reorderTolerance: Int64 {
    guard case .text(let text) = value("detect.reorderTolerance") else {
      return DetectionPolicy().reorderTolerance
    }
    return DurationText.milliseconds(text) ?? DetectionPolicy().reorderTolerance
  }

  /// The codes whose severity the settings fix.
  var fixedCodes: Set<FindingCode> {
    guard case .members(let names, _) = value("severity") else { return [] }
    return Set(names.compactMap(FindingCode.init(name:)))
  }

  /// The settings as the page lists them.
  var listed: [PageSetting] {
    func digest(_ certificate: String) -> String {
      let der = Hex.bytes(certificate.utf8) ?? []
      return Digest256.sha256(der.span).hex
    }
    var list = [PageSetting(name: "schema", value: schema)]
    list += trustAnchors.map { PageSetting(name: "trust anchor, SHA-256", value: digest($0)) }
    list += receiptAnchors.map { PageSetting(name: "receipt anchor, SHA-256", value: digest($0)) }
    list.append(PageSetting(name: "known keys", value: String(knownKeys)))
    guard case .members(let names, let values) = values else { return list }
    return list
      + zip(names, values).flatMap { name, value in
        value.lines.map { PageSetting(name: name, value: $0) }
      }
  }
}
