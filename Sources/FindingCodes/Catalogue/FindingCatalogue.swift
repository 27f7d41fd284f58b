/// The catalogue of finding codes: one entry for each, in the order of ``FindingCode``.
package enum FindingCatalogue {
  /// All entries. The index of each is the raw value of its code.
  package static let entries: [FindingEntry] =
    assertion + attestation + challenge + counter + decision + key + record + replay + stream
}

extension FindingCode {
  /// The entry of the catalogue.
  package var entry: FindingEntry { FindingCatalogue.entries[Int(rawValue)] }

  /// The public code.
  package var name: String { entry.name }

  /// The severity before the server's decision and the pipeline file are considered.
  package var defaultSeverity: Severity { entry.severity }

  /// Whether the server's own decision raises or lowers the severity.
  package var followsDecision: Bool { entry.decision == .follows }

  /// Whether the finding keeps a request out of the audit that the server may have accepted. Its
  /// severity is then raised, and never lowered.
  package var hidesAcceptedRequest: Bool { entry.decision == .hides }

  /// Finds the code of a name, or nil if no code has it.
  package init?(name: String) {
    guard let match = FindingCatalogue.entries.first(where: { $0.name == name }) else { return nil }
    self = match.code
  }
}
