import AuditReport
import AuditSettings
import Files

extension RunSettings {
  /// The settings that `summary.json` keeps.
  var recorded: RecordedSettings {
    RecordedSettings(
      configuration, folder: PathText.currentFolder, schemaText: schemaText,
      keys: keysFile, state: state?.dir)
  }
}
