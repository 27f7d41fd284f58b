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
  struct Identity: CodedRow, Hashable {
    var app = EventRow.noApp
    var platform: KeyPlatform?
    var token = TokenFacts()

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.app(&app)
      try coder.require(coder.bounds == nil || app != EventRow.noApp)
      try coder.value(&platform)
      try token.fields(&coder)
    }
  }

  /// The counts of one build.
  struct Counts: CodedRow {
    var firstSeen = Int64.max
    var lastSeen = Int64.min
    var attestations: UInt64 = 0
    var assertions: UInt64 = 0
    var accepted: UInt64 = 0
    var rejected: UInt64 = 0
    var findings: UInt64 = 0
    var worst: Severity?

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.number(&firstSeen)
      try coder.number(&lastSeen)
      try coder.count(&attestations)
      try coder.count(&assertions)
      try coder.count(&accepted)
      try coder.count(&rejected)
      try coder.count(&findings)
      try coder.value(&worst)
    }

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
      row.put(build.identity)
      row.put(build.counts)
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
}

// MARK: Reading

extension BuildLedger {
  /// Checks a row from another process.
  static func check(_ row: inout RowDecoder) throws(AuditError) {
    var kind = Class.key
    try row.skip(Digest256.byteCount)
    try row.value(&kind)
    try row.skip(Digest128.byteCount)
    guard kind == .counts else { return }
    try row.check(Identity.self)
    try row.check(Counts.self)
  }

  /// Reads a row of counts.
  fileprivate static func read(
    _ row: UnsafeRawBufferPointer
  ) throws(AuditError) -> (Identity, Counts) {
    var (decoder, identity, counts) = (unsafe RowDecoder(row), Identity(), Counts())
    try decoder.skip(keyLength)
    try identity.fields(&decoder)
    try counts.fields(&decoder)
    return (identity, counts)
  }
}

extension BuildRow {
  /// Reads the build of a row of counts.
  init(_ row: UnsafeRawBufferPointer, apps: [String]) throws(AuditError) {
    let (identity, counts) = unsafe try BuildLedger.read(row)
    let (app, token) = (Int(identity.app), identity.token)
    self.init(
      Build(
        appID: apps.indices.contains(app) ? apps[app] : "", platform: identity.platform,
        category: token.category, bundleVersion: token.bundleVersion, codeHash: token.codeHash))
    add(counts)
  }

  /// Adds a row of counts of the same build.
  mutating func add(counts row: UnsafeRawBufferPointer) throws(AuditError) {
    add(unsafe try BuildLedger.read(row).1)
  }

  private mutating func add(_ counts: BuildLedger.Counts) {
    firstSeen = min(firstSeen, counts.firstSeen)
    lastSeen = max(lastSeen, counts.lastSeen)
    attestations &+= counts.attestations
    assertions &+= counts.assertions
    accepted &+= counts.accepted
    rejected &+= counts.rejected
    findings &+= counts.findings
    worstSeverity = [worstSeverity, counts.worst].compactMap(\.self).max()
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
          unsafe try current?.row.add(counts: bytes)
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
