@usableFromInline
struct FieldSet: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt32

  @usableFromInline init(rawValue: UInt32) { self.rawValue = rawValue }
  init(bits: UInt32) { rawValue = bits }
  @inline(__always) init(_ field: LogField) { rawValue = 1 << UInt32(field.rawValue) }

  static let time = FieldSet(.time)
  static let kind = FieldSet(.kind)
  static let keyId = FieldSet(.keyId)
  static let token = FieldSet(.token)
  static let challenge = FieldSet(.challenge)
  static let payload = FieldSet(.payload)
  static let clientData = FieldSet(.clientData)
  static let clientDataHash = FieldSet(.clientDataHash)
  static let appId = FieldSet(.appId)
  static let subject = FieldSet(.subject)
  static let requestId = FieldSet(.requestId)
  static let decision = FieldSet(.decision)
  static let platform = FieldSet(.platform)
  static let format = FieldSet(.format)
  static let duration = FieldSet(.duration)
  static let deviceId = FieldSet(.deviceId)
  static let serverCounter = FieldSet(.serverCounter)
}

/// The kinds of the fields of a line. A field in none of the first three sets is absent or `null`.
struct FieldKinds {
  var strings: FieldSet
  var numbers: FieldSet
  /// `true`, `false`, objects and arrays.
  var others: FieldSet
  /// Fields that stand in the line as `null`, or under a name that differs from theirs in case.
  var shadows: FieldSet = []
  /// Fields among the strings whose bytes are written as an array of numbers.
  var arrays: FieldSet = []

  /// The fields that stand in the line with something other than `null`.
  var present: FieldSet { strings.union(numbers).union(others) }
}
