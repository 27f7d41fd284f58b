import AuditReport
import AuditSettings
import Foundation

extension RunSettings {
  /// What `summary.json` keeps of the settings.
  var recorded: RecordedSettings {
    RecordedSettings(
      configuration, folder: FileManager.default.currentDirectoryPath, schemaText: schemaText,
      keys: keysFile, state: state?.dir)
  }
}
