package import AppAttest
package import AuditEngine
package import AuditReport
package import AuditSettings

/// The settings by which tokens and records are judged, from a report or from the command line.
package struct JudgingSettings: Sendable {
  package var configuration: AuditConfiguration
  /// The folder for temporary files.
  package var temporaryFolder: String

  package init(configuration: AuditConfiguration, temporaryFolder: String) {
    self.configuration = configuration
    self.temporaryFolder = temporaryFolder
  }

  /// Takes the settings that a report keeps. Keys that were known before are not among them.
  package init(
    _ recorded: RecordedSettings, environment: [String: String]
  ) throws(CommandError) {
    temporaryFolder = Machine.temporaryFolder(environment)
    var configuration = AuditConfiguration(
      inputs: [], apps: recorded.apps.map(\.policy),
      trustAnchors: recorded.trustAnchors.compactMap(KeyTexts.hex),
      receiptAnchors: recorded.receiptAnchors.compactMap(KeyTexts.hex),
      limits: AuditLimits(
        memory: Machine.defaultMemory, jobs: Machine.cores, tempDirectory: temporaryFolder))
    configuration.schema = try Self.schema(recorded).compiled
    configuration.receipts = ReceiptPolicy(rawValue: recorded.receipts) ?? .verify
    configuration.macOSAccessControl =
      MacOSAccessControlPolicy(rawValue: recorded.macOSAccessControl) ?? .verify
    configuration.attestationMaxAge = Int64(clamping: recorded.attestationMaxAge)
    configuration.detection = recorded.detection
    for text in recorded.severities {
      let parts = text.split(separator: "=")
      guard parts.count == 2, let code = FindingCode(name: String(parts[0])),
        let severity = Severity.allCases.first(where: { $0.name == parts[1] })
      else { continue }
      configuration.severities[code] = severity
    }
    configuration.limits.lineBytes = Int(clamping: recorded.lineBytes)
    configuration.limits.zstdWindowBytes = Int(clamping: recorded.zstdWindowBytes)
    self.configuration = configuration
  }

  private static func schema(_ recorded: RecordedSettings) throws(CommandError) -> SchemaFile {
    let substitution = Substitution(date: "", environment: [:])
    guard let text = recorded.schemaText else {
      return try SchemaFile.named(
        recorded.schema, origin: "--report", key: "", folder: "", substitution: substitution)
    }
    let context = PipelineNode.Context(
      file: "summary.json: schemaText", substitution: substitution)
    guard let root = try YAMLFile.read(text, context: context) else {
      throw CommandError(.invalidFile, "the report's schema is empty")
    }
    return try SchemaFileReader.read(root, name: recorded.schema)
  }

  /// Makes a verifier with these settings.
  package func verifier() throws(CommandError) -> AttestationVerifier {
    do throws(TrustAnchorError) {
      return try AttestationVerifier(
        apps: ConfiguredApps(configuration.apps), trustAnchors: configuration.trustAnchors,
        receiptAnchors: configuration.receiptAnchors, receipts: configuration.receipts,
        macOSAccessControl: configuration.macOSAccessControl,
        attestationMaxAge: configuration.attestationMaxAge, caching: false)
    } catch {
      throw CommandError(.invalidFile, error.context)
    }
  }
}

extension RecordedSettings.App {
  /// The app in the form that the verifier takes.
  fileprivate var policy: AppPolicy {
    AppPolicy(
      id: id,
      environments: Set(AttestEnvironment.allCases.filter { environments.contains($0.name) }),
      categories: Set(
        categories.compactMap { text in
          ValidationCategory(name: text) ?? UInt32(text).map { .init(rawValue: $0) }
        }),
      bundleVersions: Set(bundleVersions), codeHashes: codeHashes.compactMap(CodeHash.init(hex:)),
      requires: Set(requires.compactMap(SignedValue.init(rawValue:))))
  }
}
