internal import AppAttest
internal import AuditLog
internal import Glibc
internal import RowShuffle

/// The ledger of builds of one reducer: it counts verified events by build, and writes rows of the shuffle by
/// build. Used by one thread.
///
/// A row has the digest of the build, its class, and of a key or subject the digest: rows of one key or subject
/// may be several, and count once. Memory: ``cacheLimit`` builds.
final class BuildLedger {
  /// The digest of the build, the class, and the digest of a key or subject.
  static let keyLength = Digest256.byteCount + 1 + Digest128.byteCount

  enum Class: UInt8 {
    case counts, key, subject
  }

  /// The number of builds that are counted at a time.
  private static let cacheLimit = 4096

  /// A build by the place of its app.
  struct Identity: Hashable {
    var app: UInt16
    var platform: KeyPlatform?
    var token: TokenFacts
  }

  /// The counts of one build.
  struct Counts {
    var firstSeen = Int64.max
    var lastSeen = Int64.min
    var attestations: UInt64 = 0
    var assertions: UInt64 = 0
    var accepted: UInt64 = 0
    var rejected: UInt64 = 0
    var findings: UInt64 = 0
    var worst: Severity?

    /// Counts an event.
    mutating func add(_ event: EventRow) {
      firstSeen = min(firstSeen, event.time)
      lastSeen = max(lastSeen, event.time)
      if event.kind == .attestation { attestations += 1 } else { assertions += 1 }
      switch event.decision {
      case .accepted: accepted += 1
      case .rejected: rejected += 1
      case .unknown: break
      }
    }

    /// Counts a finding.
    mutating func add(_ severity: Severity) {
      findings += 1
      worst = max(worst ?? severity, severity)
    }
  }

  private let writer: RowWriter
  private let row: RowBuilder
  private let findings: FindingSink
  private var places: [Identity: Int] = [:]
  private var builds: [(identity: Identity, digest: Digest256, counts: Counts)] = []
  /// The place of the build of the last event, with the bytes of its token's facts.
  private var last: (place: Int, facts: [UInt8])?
  /// The last key and subject that were written, of that build.
  private var lastKey: Digest256?
  private var lastSubject: [UInt8]?

  init(_ context: ReduceContext) {
    writer = context.shuffles.builds.writer(context.reducer)
    row = RowBuilder(texts: context.shuffles.texts)
    findings = context.findings
  }

  /// Counts a verified event of a key, for which these codes were found so far.
  func add(
    _ event: EventRow, _ rest: EventRow.Rest, _ codes: CodeSet, _ platform: KeyPlatform?
  ) throws(AuditError) {
    let place = try place(of: event.app, platform, rest.texts)
    builds[place].counts.add(event)
    for code in codes.codes {
      builds[place].counts.add(findings.severity(code, event.decision))
    }
    if lastKey != event.keyID {
      lastKey = event.keyID
      try write(.key, event.keyID.firstHalf, of: builds[place].digest)
    }
    let subject = rest.subject
    guard !subject.isAbsent, !(lastSubject.map { subject.has(identity: $0) } ?? false) else {
      return
    }
    lastSubject = unsafe Array(subject.identity)
    try write(.subject, subject.digest.0, of: builds[place].digest)
  }

  /// Counts findings about a verified event that it was counted without.
  func add(
    _ added: CodeSet, _ event: JudgedEvent, _ platform: KeyPlatform?
  ) throws(AuditError) {
    guard !added.isEmpty else { return }
    let place = try place(of: event.row.app, platform, event.row.rest.texts)
    for code in added.codes {
      builds[place].counts.add(findings.severity(code, event.grading(code)))
    }
  }

  /// Writes all that is counted.
  func flush() throws(AuditError) {
    for build in builds {
      begin(.counts, Digest128(), of: build.digest)
      build.identity.write(row)
      build.counts.write(row)
      unsafe try writer.append(row.row)
    }
    places.removeAll(keepingCapacity: true)
    builds.removeAll(keepingCapacity: true)
    last = nil
    lastKey = nil
    lastSubject = nil
  }

  /// Returns the place of a build among those that are counted.
  private func place(
    of app: UInt16, _ platform: KeyPlatform?, _ texts: RowTexts
  ) throws(AuditError) -> Int {
    let facts = texts.tokenText
    if let last, builds[last.place].identity.app == app,
      builds[last.place].identity.platform == platform, facts.has(identity: last.facts)
    {
      return last.place
    }
    let identity = Identity(app: app, platform: platform, token: TokenFacts(facts).signed)
    if places[identity] == nil, builds.count >= Self.cacheLimit { try flush() }
    let place = places[identity] ?? builds.count
    if place == builds.count {
      places[identity] = place
      builds.append((identity, identity.digest, Counts()))
    }
    last = (place, unsafe Array(facts.identity))
    lastKey = nil
    lastSubject = nil
    return place
  }

  private func write(
    _ kind: Class, _ digest: Digest128, of build: Digest256
  ) throws(AuditError) {
    begin(kind, digest, of: build)
    unsafe try writer.append(row.row)
  }

  private func begin(_ kind: Class, _ digest: Digest128, of build: Digest256) {
    row.begin()
    row.put(build)
    row.put(kind.rawValue)
    row.put(digest)
  }
}

extension BuildLedger.Identity {
  /// The digest that rows of the build have.
  var digest: Digest256 {
    var bytes: [UInt8] = []
    bytes.append(number: app)
    bytes.append(platform?.rawValue ?? .max)
    bytes.append(number: token.category.map { UInt64($0.rawValue) } ?? .max)
    bytes.append(number: UInt32(token.codeHash.count))
    bytes += token.codeHash
    bytes += token.bundleVersion.utf8
    return .sha256(bytes.span)
  }

  fileprivate func write(_ row: RowBuilder) {
    row.put(app)
    row.put(platform?.rawValue ?? UInt8.max)
    row.put(optional: token.category?.rawValue)
    row.put(UInt8(truncatingIfNeeded: token.codeHash.count))
    row.put(token.codeHash.span)
    let version = Array(token.bundleVersion.utf8)
    row.put(UInt8(truncatingIfNeeded: version.count))
    row.put(version.span)
  }
}

extension BuildLedger.Counts {
  fileprivate func write(_ row: RowBuilder) {
    row.put(firstSeen)
    row.put(lastSeen)
    for count in [attestations, assertions, accepted, rejected, findings] { row.put(count) }
    row.put(worst?.rawValue ?? UInt8.max)
  }

  /// Bytes of what ``write(_:)`` writes.
  static let byteCount = 2 * 8 + 5 * 8 + 1
}

// MARK: Reading

extension BuildRow {
  /// Reads the build of a row of counts.
  init(_ row: UnsafeRawBufferPointer, apps: [String]) throws(AuditError) {
    var cursor = unsafe RowCursor(row)
    cursor.skip(BuildLedger.keyLength)
    let app = Int(cursor.number(UInt16.self))
    let platform = KeyPlatform(rawValue: cursor.number())
    let category = cursor.optional(UInt32.self).map(ValidationCategory.init(rawValue:))
    let hash = unsafe Array(cursor.bytes(Int(cursor.number(UInt8.self))))
    let version = unsafe String(
      decoding: cursor.bytes(Int(cursor.number(UInt8.self))), as: UTF8.self)
    self.init(
      Build(
        appID: apps.indices.contains(app) ? apps[app] : "", platform: platform,
        category: category, bundleVersion: version, codeHash: hash))
    add(&cursor)
  }

  /// Adds a row of counts of the same build.
  mutating func add(counts row: UnsafeRawBufferPointer) {
    var cursor = unsafe RowCursor(row)
    cursor.skip(BuildLedger.keyLength + 3)
    _ = cursor.optional(UInt32.self)
    for _ in 0..<2 { cursor.skip(Int(cursor.number(UInt8.self))) }
    add(&cursor)
  }

  private mutating func add(_ cursor: inout RowCursor) {
    firstSeen = min(firstSeen, cursor.number())
    lastSeen = max(lastSeen, cursor.number())
    for count in [
      \BuildRow.attestations, \.assertions, \.accepted, \.rejected, \.findings,
    ] {
      self[keyPath: count] &+= cursor.number(UInt64.self)
    }
    let worst = Severity(rawValue: cursor.number())
    worstSeverity = [worstSeverity, worst].compactMap(\.self).max()
  }
}

/// The builds of a run, merged from the rows of all ledgers.
struct MergedBuilds {
  /// The builds, at most ``BuildRow/limit`` of them, each with the bytes by which it sorts.
  private var rows: [(key: [UInt8], row: BuildRow)] = []
  /// The number of builds beyond the limit.
  private(set) var others: UInt64 = 0

  init(_ sorter: RowSorter, apps: [String]) throws {
    let merged = try sorter.merged()
    var current: (digest: Digest256, row: BuildRow)?
    var last: [UInt8] = []
    while let bytes = unsafe try merged.next() {
      let digest = unsafe Digest256(copying: bytes.baseAddress.unsafelyUnwrapped)
      let kind = unsafe BuildLedger.Class(rawValue: bytes[Digest256.byteCount])
      switch kind {
      case .counts:
        if current?.digest == digest {
          unsafe current?.row.add(counts: bytes)
        } else {
          if let current { take(current.row) }
          current = (digest, unsafe try BuildRow(bytes, apps: apps))
          last = []
        }
      case .key, .subject:
        let key = unsafe Array(bytes.prefix(BuildLedger.keyLength))
        guard current?.digest == digest, key != last else { continue }
        last = key
        if kind == .key { current?.row.keys += 1 } else { current?.row.subjects += 1 }
      case nil: throw AuditError(.inconsistent, "a row of builds is not what was written to it")
      }
    }
    if let current { take(current.row) }
    rows.sort { $0.key.lexicographicallyPrecedes($1.key) }
  }

  /// Calls `body` with the builds in the order of their columns.
  func forEach(_ body: (BuildRow) throws -> Void) throws {
    for entry in rows { try body(entry.row) }
  }

  private mutating func take(_ row: BuildRow) {
    guard rows.count < BuildRow.limit else {
      others += 1
      return
    }
    rows.append((Array(row.build.texts.joined(separator: "\0").utf8), row))
  }
}
