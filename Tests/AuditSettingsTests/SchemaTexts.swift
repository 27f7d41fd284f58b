import TestSupport

@testable import AuditSettings

extension Scratch {
  /// Returns what a schema file with this text says.
  func readSchema(_ text: String) throws -> SchemaFile {
    try write("s.yaml", text)
    return try SchemaFile.named(
      "s.yaml", origin: "--schema", key: "", folder: path + "/",
      substitution: Substitution(date: "2026-03-01", environment: ["APP": "A.b"]))
  }

  /// Returns the error of a schema file with this text, without its folder.
  func schemaComplaint(_ text: String) -> CommandError? {
    complaint(in: self) { _ = try readSchema(text) }
  }
}

/// The fields of a rule for assertions, in YAML.
let assertionFields = "fields: {time: /t, keyId: /k, token: /o, clientData: /d}"
