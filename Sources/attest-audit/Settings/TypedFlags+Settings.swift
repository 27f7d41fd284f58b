import AuditEngine
import AuditReport
import AuditSettings
import Basics
import Foundation
import Glibc

extension TypedFlags {
  /// Returns the resolved settings of flags and pipeline file. `now` is in milliseconds since 1970.
  func settings(
    now: Int64 = Clock.now,
    environment: [String: String] = ProcessInfo.processInfo.environment
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
    _ file: String?, changes: [String]
  ) throws(CommandError) -> RunSettings {
    let environment = ProcessInfo.processInfo.environment
    let day = try FlagReader.day(self) ?? AuditDay.yesterday(of: Clock.now)
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

/// The two clocks of a run.
enum Clock {
  /// The milliseconds since 1970 according to the machine.
  static var now: Int64 { read(CLOCK_REALTIME) }

  /// The milliseconds of the monotonic clock.
  static var steady: Int64 { read(CLOCK_MONOTONIC) }

  /// Returns an identifier such as `20260301T120000Z-1f2e3d4c`: the start, and a random suffix.
  static func identifier(_ started: Int64) -> String {
    let time = CivilTime(milliseconds: started).text.prefix(19).filter { $0 != "-" && $0 != ":" }
    let random = String(UInt32.random(in: 0...UInt32.max), radix: 16).zeroPadded(to: 8)
    return "\(time)Z-\(random)"
  }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}

extension AuditDay {
  /// Returns the day before the one that `now` (milliseconds since 1970) falls in, UTC.
  static func yesterday(of now: Int64) -> String {
    CivilTime(milliseconds: now - 86_400_000).dateText
  }
}
