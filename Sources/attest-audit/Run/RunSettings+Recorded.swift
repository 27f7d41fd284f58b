import AuditReport
import AuditSettings
import Files

extension RunSettings {
  /// What `summary.json` keeps of the settings.
  var recorded: RecordedSettings {
    RecordedSettings(
      configuration, folder: PathText.currentFolder, schemaText: schemaText,
      keys: keysFile, state: state?.dir)
  }
}
