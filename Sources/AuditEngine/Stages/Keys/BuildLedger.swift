internal import AppAttest
internal import AuditLog
internal import RowShuffle

/// The ledger of builds of one reducer: it counts events by build, and writes rows of the shuffle by build.
/// Events are verified, or fail nothing but the policy on builds: only the report page counts these.
/// Used by one thread.
///
/// Events of one key and one build follow each other: they are one part, and one row. Rows of one key or
/// subject may be several, and count once.
struct BuildLedger {
  /// The digest of the build, the class, and the digest of a key or subject.
  static let keyLength = Digest256.byteCount + 1 + Digest128.byteCount
  private static let hourLimit = 256

  /// The class of a row. One of the class `build` counts findings of any keys.
  fileprivate enum Class: UInt8 {
    case build, key, subject
  }

  /// A build by the place of its app.
  struct Identity: CodedRow {
    var app = EventRow.noApp
    var platform: KeyPlatform?
    var token = TokenFacts()

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.app(&app)
      try coder.require(coder.bounds == nil || app != EventRow.noApp)
      try coder.value(&platform)
      try token.fields(&coder)
    }

    /// The digest that rows of the build have.
    fileprivate var digest: Digest256 {
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

  /// The content of a row of a build or a key.
  struct Content: CodedRow {
    var identity = Identity()
    var part = BuildPart()

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try identity.fields(&coder)
      try part.fields(&coder)
    }
  }

  private let writer: RowWriter
  private let row: RowBuilder
  private let findings: FindingSink
  /// The part that is being counted, and the digest of its build.
  private var current = Content()
  private var build = Digest256()
  /// The key of the part, or nil if it has nothing but findings.
  private var key: Digest256?
  /// The bytes of the facts about its tokens, and the last subject of its build.
  private var facts: [UInt8] = []
  private var subject: [UInt8] = []

  /// Makes the ledger of a run. Returns nil in a simulation, which reports no builds.
  init?(_ context: ReduceContext) {
    guard context.verdicts.simulation == nil else { return nil }
    writer = context.shuffles.builds.writer(context.reducer)
    row = RowBuilder(texts: context.shuffles.texts)
    findings = context.findings
  }

  /// Counts an event of a key by what was found of it so far.
  mutating func add(
    _ event: EventRow, _ rest: EventRow.Rest, _ now: KeyOpinion
  ) throws(AuditError) {
    let (isVerified, isOutside) = (now.verifies(event), now.isOutsidePolicy)
    guard isVerified || isOutside && now.signatureHolds else { return }
    try begin(event.app, now.platform, rest.texts.tokenText, of: event.keyID)
    if isOutside { current.part.counts[.outside] += 1 }
    current.part.hours.add(TimeBins.hour(of: event.time), Int(event.decision.rawValue))
    guard isVerified else { return }
    current.part.counts.add(event)
    for code in now.codes.codes {
      current.part.counts.add(findings.policy.severity(code, event.decision))
    }
    let subject = rest.subject
    guard !subject.isAbsent, !subject.has(identity: self.subject) else { return }
    self.subject = subject.identity
    begin(.subject, subject.digest.0)
    unsafe try writer.append(row.row)
  }

  /// Counts findings about a verified event that it was counted without. Those of `graded` were counted as less severe.
  mutating func add(
    _ added: CodeSet, _ event: JudgedEvent, graded: CodeSet
  ) throws(AuditError) {
    let all = added.union(graded)
    guard !all.isEmpty else { return }
    try begin(event.row.app, event.row.platform, event.row.rest.texts.tokenText, of: nil)
    current.part.counts[.findings] += UInt64(added.bits.nonzeroBitCount)
    for code in all.codes {
      current.part.counts.raise(findings.policy.severity(code, event.grading(code)))
    }
  }

  /// Writes the part that is being counted.
  mutating func flush() throws(AuditError) {
    guard !current.part.isEmpty else { return }
    begin(key == nil ? .build : .key, key?.firstHalf ?? Digest128())
    row.put(current)
    unsafe try writer.append(row.row)
    current.part.removeAll()
  }

  /// Begins another part, unless the event belongs to the last one.
  private mutating func begin(
    _ app: UInt16, _ platform: KeyPlatform?, _ token: RowText, of key: Digest256?
  ) throws(AuditError) {
    let isSame =
      current.identity.app == app && current.identity.platform == platform
      && token.has(identity: facts)
    if isSame, self.key == key, current.part.hours.count < Self.hourLimit { return }
    try flush()
    self.key = key
    guard !isSame else { return }
    current.identity = Identity(app: app, platform: platform, token: TokenFacts(token).signed)
    build = current.identity.digest
    facts = token.identity
    subject = []
  }

  private func begin(_ kind: Class, _ digest: Digest128) {
    row.begin()
    row.put(build)
    row.put(kind.rawValue)
    row.put(digest)
  }
}

struct BuildPart: CodedRow {
  var counts = BuildCounts()
  /// The events by hour and `Decision.rawValue`.
  var hours = TimeBins(kinds: 3, limit: .max)

  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try counts.fields(&coder)
    try hours.fields(&coder)
  }

  var isEmpty: Bool { hours.count == 0 && counts.worst == nil }

  mutating func removeAll() {
    counts = BuildCounts()
    hours.removeAll()
  }
}

// MARK: Reading

extension BuildLedger {
  /// Checks a row from another process.
  static func check(_ row: inout RowDecoder) throws(AuditError) {
    if try Key(&row).kind != .subject { try row.check(Content.self) }
  }

  fileprivate struct Key {
    var build = Digest256()
    var kind = Class.build
    var digest = Digest128()

    init(_ row: inout RowDecoder) throws(AuditError) {
      try row.digest(&build)
      try row.value(&kind)
      try row.digest(&digest)
    }
  }
}

/// The builds of a run, merged from the rows of all ledgers.
struct MergedBuilds {
  private struct Entry {
    let digest: Digest256
    var use: BuildUse
    var counts = BuildCounts()
    /// The last key, and whether it was counted as one of verified events.
    var lastKey: (digest: Digest128, isCounted: Bool)?
    var lastSubject: Digest128?

    mutating func add(key: Digest128, isVerified: Bool) {
      if lastKey?.digest != key {
        lastKey = (key, false)
        use.add(key: key)
      }
      guard isVerified, lastKey?.isCounted == false else { return }
      lastKey?.isCounted = true
      counts[.keys] += 1
    }

    mutating func add(subject: Digest128) {
      if lastSubject != subject { counts[.subjects] += 1 }
      lastSubject = subject
    }
  }

  /// The builds in order, at most ``BuildRow/limit`` of them.
  private(set) var rows: [BuildRow] = []
  /// The totals of all builds, and the builds that the report page draws.
  private(set) var totals = BuildTotals()

  init(_ shuffles: Shuffles) throws {
    let merged = try shuffles.builds.merged()
    var current: Entry?
    while let bytes = unsafe try merged.next() {
      var decoder = unsafe RowDecoder(bytes)
      let key = try BuildLedger.Key(&decoder)
      if key.kind == .subject {
        if current?.digest == key.build { current?.add(subject: key.digest) }
        continue
      }
      var content = BuildLedger.Content()
      try content.fields(&decoder)
      if current?.digest != key.build {
        if let current { take(current) }
        current = Entry(
          digest: key.build, use: BuildUse(Build(content.identity, apps: shuffles.apps)))
      }
      if key.kind == .key {
        current?.add(key: key.digest, isVerified: content.part.counts.verified > 0)
      }
      current?.counts.add(content.part.counts)
      current?.use.hours.add(content.part.hours)
    }
    if let current { take(current) }
    rows.sort { $0.build < $1.build }
    totals.finish()
  }

  private mutating func take(_ entry: Entry) {
    let counts = entry.counts
    var use = entry.use
    use.outside = counts[.outside]
    totals.add(use)
    guard counts.verified > 0 else { return }
    totals.add(use.build, records: counts.verified)
    if totals.builds <= BuildRow.limit {
      rows.append(BuildRow(use.build, counts))
    } else {
      totals.unlisted += 1
    }
  }
}

extension Build {
  fileprivate init(_ identity: BuildLedger.Identity, apps: [String]) {
    let (app, token) = (Int(identity.app), identity.token)
    self.init(
      appID: apps.indices.contains(app) ? apps[app] : "", platform: identity.platform,
      category: token.category, bundleVersion: token.bundleVersion, codeHash: token.codeHash)
  }
}
