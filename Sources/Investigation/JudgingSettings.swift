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
    configuration = try RunSettings(recorded, environment: environment).configuration
    temporaryFolder = configuration.limits.tempDirectory
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
