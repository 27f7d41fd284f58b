import AuditSettings

extension TypedFlags {
  /// Returns everything that flags and pipeline file say, resolved; `now` is milliseconds since 1970.
  func settings(
    now: Int64, environment: [String: String]
  ) throws(CommandError) -> RunSettings {
    let day = try FlagReader.day(self) ?? AuditDay.yesterday(of: now)
    let substitution = Substitution(date: day, environment: environment)
    var layer = try FlagReader(flags: self, substitution: substitution).layer()
    if let file = layer.pipeline {
      layer = layer.over(try PipelineFile.read(file, substitution: substitution))
    }
    return try SettingsResolver(layer: layer, environment: environment, day: day).resolve()
  }
}
