/// The settings of the forged pipeline that attacks aim at. Durations are in milliseconds.
enum AttackSettings {
  /// The default of `detect.reorderTolerance`.
  static let reorderTolerance: Int64 = 30_000
  static let retryTolerance: Int64 = 2_000
  static let counterGap: UInt32 = 1_000
  static let challengeTTL: Int64 = 300_000
}
