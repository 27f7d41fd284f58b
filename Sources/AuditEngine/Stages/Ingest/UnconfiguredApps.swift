internal import AppAttest

/// The apps that no setting names, and how many records, without rejected ones, each has. Beyond
/// ``limit`` those with the smallest hashes are kept, whoever counts them in which order.
package struct UnconfiguredApps: Sendable, Equatable {
  package struct App: Sendable, Equatable {
    /// The App ID, the beginning of one that is too long to be one, or nil if no record says it.
    package var id: String?
    package var records: UInt64
  }

  static let limit = 256
  /// The longest App ID that is kept whole, in bytes of UTF-8. Apple's end at 155.
  static let idBytes = 255

  /// Records of all such apps, the ones that are not told apart too.
  package private(set) var records: UInt64 = 0
  private var apps: [Digest256: App] = [:]

  package init() {}

  /// Counts a record of the app with that SHA-256 of its App ID; `id` is asked for once an app.
  mutating func count(_ hash: Digest256, records count: UInt64 = 1, id: () -> String?) {
    records += count
    if apps[hash] != nil {
      apps[hash]?.records += count
      if apps[hash]?.id == nil { apps[hash]?.id = Self.kept(id()) }
      return
    }
    if apps.count == Self.limit {
      guard let largest = apps.keys.max(), hash < largest else { return }
      apps[largest] = nil
    }
    apps[hash] = App(id: Self.kept(id()), records: count)
  }

  /// Returns an App ID as it is kept.
  private static func kept(_ id: String?) -> String? {
    guard let id, id.utf8.count > idBytes else { return id }
    return DetailText.beginning(of: Array(id.utf8), bytes: idBytes)
  }

  static func += (sum: inout UnconfiguredApps, other: UnconfiguredApps) {
    let told = other.apps.values.reduce(0) { $0 + $1.records }
    for (hash, app) in other.apps.sorted(by: { $0.key < $1.key }) {
      sum.count(hash, records: app.records) { app.id }
    }
    sum.records += other.records - told
  }

  /// The apps by the hashes of their App IDs, those with the most records first.
  var ranked: [(key: Digest256, value: App)] {
    apps.sorted { ($1.value.records, $0.key) < ($0.value.records, $1.key) }
  }

  /// Returns whether an App ID is known, or so many records suggest that a setting is missing.
  func areWorthNotice(of requests: UInt64) -> Bool {
    let many: UInt64 = 20
    let leastPart: UInt64 = 20
    return apps.values.contains { $0.id != nil } || records >= many
      || (records > 0 && records * leastPart >= requests)
  }

  /// Returns those of which nobody has said that they are known.
  func removing(_ isKnown: (_ appID: String?) -> Bool) -> UnconfiguredApps {
    var rest = self
    for (hash, app) in apps where isKnown(app.id) {
      rest.apps[hash] = nil
      rest.records -= app.records
    }
    return rest
  }

  /// One line for people, or nil if every record is of a configured app.
  var notice: String? {
    guard records > 0 else { return nil }
    let shown = 3
    let ranked = ranked
    func name(_ hash: Digest256, _ app: App) -> String {
      guard let id = app.id else { return "the one with rpIdHash \(hash.hex.prefix(8))…" }
      return id.isEmpty ? "an empty App ID" : id
    }
    var words = ranked.prefix(shown).map { "\(name($0.key, $0.value)) (\($0.value.records))" }
    if ranked.count > shown { words.append("\(ranked.count - shown) more") }
    return "\(records) \(records == 1 ? "record is" : "records are") of apps that are not "
      + "configured: \(words.joined(separator: ", ")); if an app is yours, add it under apps in "
      + "the pipeline file; --app-id replaces all that are there"
  }

  // MARK: Streams

  /// Codes records, how many apps, and of each the hash, the records, and the App ID, if known.
  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.count(&records)
    var entries = apps.sorted { $0.key < $1.key }
    var count = UInt32(entries.count)
    try coder.number(&count)
    try coder.require(count <= Self.limit)
    if coder.isReading {
      apps = [:]
      entries = Array(repeating: (Digest256(), App(id: nil, records: 0)), count: Int(count))
    }
    for var (hash, app) in entries {
      try coder.digest(&hash)
      try coder.count(&app.records)
      var id = Array((app.id ?? "").utf8)
      var length = app.id == nil ? .max : UInt32(id.count)
      try coder.number(&length)
      try coder.bytes(&id, count: length == .max ? 0 : Int(length))
      app.id = length == .max ? nil : String(decoding: id, as: UTF8.self)
      if coder.isReading { apps[hash] = app }
    }
    try coder.require(apps.values.reduce(0) { $0 + $1.records } <= records)
  }
}
