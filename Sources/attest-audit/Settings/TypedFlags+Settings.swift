import AuditEngine
import AuditReport
import AuditSettings
import Basics
import Foundation
import Glibc

/// The flags of a command, and the day and the environment by which its files of settings are read.
struct SettingsSource {
  let flags: SettingsLayer
  let substitution: Substitution

  /// Reads the flags. `now` is in milliseconds since 1970.
  init(
    _ typed: TypedFlags, now: Int64 = Clock.now,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(CommandError) {
    let day = try typed.day() ?? CivilTime(milliseconds: now - 86_400_000).dateText
    substitution = Substitution(date: day, environment: environment)
    flags = try typed.layer(substitution)
  }

  func pipeline() throws(CommandError) -> SettingsLayer? {
    guard let path = flags.pipeline else { return nil }
    return try PipelineFile.read(path, substitution: substitution)
  }

  func resolve(_ layer: SettingsLayer) throws(CommandError) -> RunSettings {
    try SettingsResolver(
      layer: layer, environment: substitution.environment, day: substitution.date
    ).resolve()
  }
}

extension TypedFlags {
  /// Returns the resolved settings of flags and pipeline file. `now` is in milliseconds since 1970.
  func settings(
    now: Int64 = Clock.now,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(CommandError) -> RunSettings {
    let source = try SettingsSource(self, now: now, environment: environment)
    guard let file = try source.pipeline() else { return try source.resolve(source.flags) }
    do throws(CommandError) { return try source.resolve(source.flags.over(file)) } catch {
      do throws(CommandError) { _ = try source.resolve(file) } catch let own where own == error {
        throw error.ofFile(source.flags.pipeline?.path ?? "")
      } catch {}
      throw error
    }
  }

  /// Returns the settings of a candidate policy: those of a pipeline file, or else of the one that the
  /// flags name, with `changes` of the form `key=value`. Lines are read by the schema of `current`.
  func candidate(_ file: String?, changes: [String]) throws(CommandError) -> RunSettings {
    let source = try SettingsSource(self)
    let current = try source.pipeline()
    var layer = current ?? SettingsLayer()
    if let file {
      layer = try PipelineFile.read(
        NamedPath(path: file, origin: file), substitution: source.substitution)
      layer.schema = current == nil ? layer.schema : current?.schema
    }
    for change in changes {
      layer = try SettingChange.read(change, substitution: source.substitution).over(layer)
    }
    do throws(CommandError) {
      let settings = try source.resolve(source.flags.over(layer))
      try CommandError.require(
        !settings.configuration.apps.isEmpty, "no app is given",
        hint: "name the apps of the candidate under 'apps'")
      return settings
    } catch {
      guard let file else { throw error }
      throw error.ofFile(file)
    }
  }
}

enum Clock {
  static var now: Int64 { read(CLOCK_REALTIME) }

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
