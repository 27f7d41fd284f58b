internal import AppAttest

/// The signed values about an event's app, and whether its client data may be lost
/// (`verification.R42`). Layout: 1 byte of ``Parts``; the category, 4 bytes; 1 byte of length and
/// the code hash; the bundle version.
struct TokenFacts: Hashable {
  /// The most of a code hash that is kept, in bytes: more than any genuine one has.
  static let hashLimit = 64
  /// The most of a bundle version that is kept, in bytes of UTF-8.
  static let versionLimit = 128

  private struct Parts: OptionSet {
    let rawValue: UInt8
    static let lossy = Parts(rawValue: 1)
    static let category = Parts(rawValue: 2)
    static let codeHash = Parts(rawValue: 4)
  }

  private(set) var isLossy = false
  private(set) var category: ValidationCategory?
  /// The code hash, or empty if the token has none.
  private(set) var codeHash: [UInt8] = []
  /// The bundle version in UTF-8, or empty: as text, two spellings of Unicode would be one build.
  private var version: [UInt8] = []

  /// The bundle version, or empty if the token has none.
  var bundleVersion: String { String(decoding: version, as: UTF8.self) }

  init() {}

  /// Reads what ``write(_:isLossy:_:)`` wrote. Anything else gives no facts, or some of them.
  init(_ text: RowText) {
    guard let bytes = unsafe text.inline, let first = unsafe bytes.first else { return }
    let parts = Parts(rawValue: first)
    var rest = unsafe bytes.dropFirst()
    isLossy = parts.contains(.lossy)
    if parts.contains(.category) {
      guard unsafe rest.count >= 4 else { return }
      category = ValidationCategory(
        rawValue: unsafe rest.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) })
      unsafe rest = rest.dropFirst(4)
    }
    if parts.contains(.codeHash) {
      guard let count = unsafe rest.first, unsafe rest.count > Int(count) else { return }
      codeHash = unsafe Array(rest.dropFirst().prefix(Int(count)))
      unsafe rest = rest.dropFirst(1 + Int(count))
    }
    version = unsafe Array(rest)
  }

  /// The values that Apple's system signed, only.
  var signed: TokenFacts {
    var signed = self
    signed.isLossy = false
    return signed
  }

  /// Returns whether there is anything to keep.
  static func isNeeded(_ extensions: AuthenticatorExtensions, isLossy: Bool) -> Bool {
    isLossy || extensions.category.value != nil || extensions.bundleVersion.value != nil
      || extensions.codeHash.value != nil
  }

  static func write(_ extensions: AuthenticatorExtensions, isLossy: Bool, _ row: RowBuilder) {
    let (category, hash) = (extensions.category.value?.rawValue, extensions.codeHash.value)
    var version = extensions.bundleVersion.value ?? ""
    let versionCount = min(version.utf8.count, versionLimit)
    let hashCount = min(hash?.byteCount ?? 0, hashLimit)
    var parts: Parts = isLossy ? .lossy : []
    if category != nil { parts.insert(.category) }
    if hash != nil { parts.insert(.codeHash) }
    row.put(
      UInt16(1 + (category == nil ? 0 : 4) + (hash == nil ? 0 : 1 + hashCount) + versionCount))
    row.put(parts.rawValue)
    if let category { row.put(category.littleEndian) }
    if let hash {
      row.put(UInt8(hashCount))
      hash.withSpan { row.put($0.extracting(first: hashCount)) }
    }
    version.withUTF8 {
      unsafe row.put(
        copying: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0)[..<versionCount]))
    }
  }
}

extension TokenFacts: CodedRow {
  /// Codes the values that Apple's system signed.
  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.optional(&category)
    try coder.counted(&codeHash)
    try coder.counted(&version)
  }
}
