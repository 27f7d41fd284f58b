import AuditEngine
import AuditSettings

extension TypedFlags {
  /// Returns the resolved settings of flags and pipeline file. `now` is in milliseconds since 1970.
  func settings(
    now: Int64, environment: [String: String]
  ) throws(CommandError) -> RunSettings {
    let day = try FlagReader.day(self) ?? AuditDay.yesterday(of: now)
    let substitution = Substitution(date: day, environment: environment)
    let flags = try FlagReader(flags: self, substitution: substitution).layer()
    guard let path = flags.pipeline else {
      return try SettingsResolver(layer: flags, environment: environment, day: day).resolve()
    }
    let file = try PipelineFile.read(path, substitution: substitution)
    do throws(CommandError) {
      return try SettingsResolver(layer: flags.over(file), environment: environment, day: day)
        .resolve()
    } catch {
      do throws(CommandError) {
        _ = try SettingsResolver(layer: file, environment: environment, day: day).resolve()
      } catch let own where own == error {
        throw error.ofFile(path.path)
      } catch {}
      throw error
    }
  }
  /// Returns the settings of a candidate policy: those of a pipeline file, or else of the one that the
  /// flags name, with `changes` of the form `key=value`. Lines are read by the schema of `current`.
  func candidate(
    _ file: String?, changes: [String], now: Int64, environment: [String: String]
  ) throws(CommandError) -> RunSettings {
    let day = try FlagReader.day(self) ?? AuditDay.yesterday(of: now)
    let substitution = Substitution(date: day, environment: environment)
    let flags = try FlagReader(flags: self, substitution: substitution).layer()
    let current = try flags.pipeline.map { path throws(CommandError) in
      try PipelineFile.read(path, substitution: substitution)
    }
    var layer = current ?? SettingsLayer()
    if let file {
      layer = try PipelineFile.read(NamedPath(path: file, origin: file), substitution: substitution)
      layer.schema = current == nil ? layer.schema : current?.schema
    }
    for change in changes {
      layer = try SettingChange.read(change, substitution: substitution).over(layer)
    }
    do throws(CommandError) {
      let settings = try SettingsResolver(
        layer: flags.over(layer), environment: environment, day: day
      ).resolve()
      guard !settings.configuration.apps.isEmpty else {
        throw CommandError(
          .usage, "no app is given", hint: "name the apps of the candidate under 'apps'")
      }
      return settings
    } catch {
      guard let file else { throw error }
      throw error.ofFile(file)
    }
  }
}
