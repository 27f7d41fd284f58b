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
}
