internal import AppAttest

/// The apps of records that no setting names, and how many records each has. Requests that the
/// server rejected do not count: it did what it should.
///
/// Of more than ``limit`` apps those with the smallest hashes are kept, so that what is kept
/// depends on the records alone, and not on who counted them in which order.
package struct UnconfiguredApps: Sendable, Equatable {
  package struct App: Sendable, Equatable {
    /// The App ID, the beginning of one that is too long to be one, or nil if no record says it.
    package var id: String?
    package var records: UInt64
  }

  /// The most apps that are told apart.
  static let limit = 256
  /// The longest App ID that is kept whole, in bytes of UTF-8. Apple's bundle identifiers end at
  /// 155.
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

  /// Adds what another worker counted.
  mutating func add(_ other: UnconfiguredApps) {
    let told = other.apps.values.reduce(0) { $0 + $1.records }
    for (hash, app) in other.apps.sorted(by: { $0.key < $1.key }) {
      count(hash, records: app.records) { app.id }
    }
    records += other.records - told
  }

  /// The apps, those with the most records first.
  package var ranked: [App] {
    apps.sorted { ($1.value.records, $0.key) < ($0.value.records, $1.key) }.map(\.value)
  }

  /// Returns whether to speak of them: an App ID is known, or there are so many records among all
  /// requests that it is more likely a setting that is missing than an attacker, whose records have
  /// findings of their own.
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
    func name(_ app: App) -> String {
      guard let id = app.id else { return "an unnamed one" }
      return id.isEmpty ? "an empty App ID" : id
    }
    var words = ranked.prefix(shown).map { "\(name($0)) (\($0.records))" }
    if ranked.count > shown { words.append("\(ranked.count - shown) more") }
    return "\(records) \(records == 1 ? "record is" : "records are") of apps that are not "
      + "configured: \(words.joined(separator: ", ")); if an app is yours, name it with --app-id, "
      + "or under apps in the pipeline file"
  }

  // MARK: Streams

  /// Writes them into a row of a stream: records, how many apps, and of each the hash, the records,
  /// and the App ID behind its length, or the length of none.
  func write(to row: inout [UInt8]) {
    row.append(number: records)
    row.append(number: UInt32(apps.count))
    for (hash, app) in apps.sorted(by: { $0.key < $1.key }) {
      row += hash.bytes
      row.append(number: app.records)
      row.append(number: app.id.map { UInt32($0.utf8.count) } ?? .max)
      row += Array((app.id ?? "").utf8)
    }
  }

  /// Reads what was written; the walk says whether it was there.
  init(_ walk: inout RowWalk) throws(AuditError) {
    records = walk.count()
    let count = Int(walk.number(UInt32.self))
    walk.require(count <= Self.limit)
    guard walk.isSound else { return }
    for _ in 0..<count {
      let hash = walk.digest()
      let records = walk.count()
      let length = walk.number(UInt32.self)
      let id = unsafe String(
        decoding: walk.bytes(length == .max ? 0 : Int(length)), as: UTF8.self)
      guard walk.isSound else { return }
      apps[hash] = App(id: length == .max ? nil : id, records: records)
    }
  }
}
