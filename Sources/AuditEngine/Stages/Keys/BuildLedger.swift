internal import AppAttest
internal import AuditLog
internal import Glibc
internal import RowShuffle

/// The ledger of builds of one reducer: it counts events by build, and writes rows of the shuffle by build.
/// Events are verified, or fail nothing but the policy on builds: only the report page counts these.
/// Used by one thread.
///
/// Events of one key and one build follow each other: they are counted as one part. The parts of the first
/// ``heldLimit`` builds add up here, and any other part is written as a row. Rows of one key or subject may be
/// several, and count once.
struct BuildLedger {
  /// The digest of the build, the class, and the digest of a key or subject.
  static let keyLength = Digest256.byteCount + 1 + Digest128.byteCount
  /// The most builds whose parts add up here.
  private static let heldLimit = 256
  /// The most hours of a part.
  private static let hourLimit = 256

  /// The class of a row. The first row of a build has its identity.
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

  /// The counts of one build, by its digest.
  private struct Counted {
    var digest = Digest256()
    var identity = Identity()
    var part = BuildPart()
  }

  /// The content of a row of a build or a key.
  struct Content: CodedRow {
    var isVerified = false
    /// The part, or nil if it is held.
    var part: BuildPart?
    var identity = Identity()

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.flag(&isVerified)
      try coder.optional(&part)
      if part != nil { try identity.fields(&coder) }
    }
  }

  private let writer: RowWriter
  private let row: RowBuilder
  private let findings: FindingSink
  /// The part that is being counted.
  private var current = Counted()
  /// The key of the part, or nil if it has nothing but findings.
  private var key: Digest256?
  /// The bytes of the facts about its tokens, and the last subject of its build.
  private var facts: [UInt8] = []
  private var subject: [UInt8] = []
  /// The place of its build among those that are held, or nil if it is not.
  private var place: Int?
  private var places: [Digest256: Int] = [:]
  private var held: [Counted] = []

  /// Makes the ledger of a run. Returns nil in a simulation, which reports no builds.
  init?(_ context: ReduceContext) {
    guard context.verdicts.simulation == nil else { return nil }
    writer = context.shuffles.builds.writer(context.reducer)
    row = RowBuilder(texts: context.shuffles.texts)
    findings = context.findings
  }

  /// Counts an event of a key by what was found of it so far.
  mutating func add(
    _ event: EventRow, _ rest: EventRow.Rest, _ now: KeyOpinion, _ platform: KeyPlatform?
  ) throws(AuditError) {
    let (isVerified, isOutside) = (now.verifies(event), now.isOutsidePolicy)
    guard isVerified || isOutside && now.signatureHolds else { return }
    try begin(event.app, platform, rest.texts.tokenText, of: event.keyID)
    if isOutside { current.part.counts[.outside] += 1 }
    current.part.hours.add(TimeBins.hour(of: event.time), Int(event.decision.rawValue))
    guard isVerified else { return }
    current.part.counts.add(event)
    for code in now.codes.codes {
      current.part.counts.add(findings.severity(code, event.decision))
    }
    let subject = rest.subject
    guard !subject.isAbsent, !subject.has(identity: self.subject) else { return }
    self.subject = subject.identity
    row.begin(.subject, subject.digest.0, of: current.digest)
    unsafe try writer.append(row.row)
  }

  /// Counts findings about a verified event that it was counted without.
  mutating func add(
    _ added: CodeSet, _ event: JudgedEvent, _ platform: KeyPlatform?
  ) throws(AuditError) {
    guard !added.isEmpty else { return }
    try begin(event.row.app, platform, event.row.rest.texts.tokenText, of: nil)
    for code in added.codes {
      current.part.counts.add(findings.severity(code, event.grading(code)))
    }
  }

  /// Writes all that is counted.
  mutating func flush() throws(AuditError) {
    try endPart()
    for build in held { try write(.build, build) }
    facts = []
    places = [:]
    held = []
  }

  /// Begins another part, unless the event belongs to the last one.
  private mutating func begin(
    _ app: UInt16, _ platform: KeyPlatform?, _ token: RowText, of key: Digest256?
  ) throws(AuditError) {
    let isSame =
      current.identity.app == app && current.identity.platform == platform
      && token.has(identity: facts)
    if isSame, self.key == key, current.part.hours.count < Self.hourLimit { return }
    try endPart()
    self.key = key
    guard !isSame else { return }
    current.identity = Identity(app: app, platform: platform, token: TokenFacts(token).signed)
    current.digest = current.identity.digest
    facts = token.identity
    subject = []
    place = places[current.digest]
    guard place == nil, held.count < Self.heldLimit else { return }
    place = held.count
    places[current.digest] = place
    held.append(Counted(digest: current.digest, identity: current.identity))
  }

  /// Adds the part to its build's if that is held, or else writes it.
  private mutating func endPart() throws(AuditError) {
    guard !current.part.isEmpty else { return }
    if place == nil || key != nil {
      try write(key == nil ? .build : .key, current, hasPart: place == nil)
    }
    if let place {
      held[place].part.add(current.part)
      if held[place].part.hours.count > Self.hourLimit {
        try write(.build, held[place])
        held[place].part.removeAll()
      }
    }
    current.part.removeAll()
  }

  private func write(
    _ kind: Class, _ build: Counted, hasPart: Bool = true
  ) throws(AuditError) {
    row.begin(kind, kind == .key ? key?.firstHalf ?? Digest128() : Digest128(), of: build.digest)
    row.put(
      Content(
        isVerified: build.part.counts.verified > 0, part: hasPart ? build.part : nil,
        identity: build.identity))
    unsafe try writer.append(row.row)
  }
}

extension RowBuilder {
  /// Starts a row of a build's.
  fileprivate func begin(_ kind: BuildLedger.Class, _ digest: Digest128, of build: Digest256) {
    begin()
    put(build)
    put(kind.rawValue)
    put(digest)
  }
}

/// The counts of events of one build.
struct BuildPart: CodedRow {
  var counts = BuildCounts()
  /// The events by hour and `Decision.rawValue`.
  var hours = TimeBins(kinds: 3, limit: .max)

  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try counts.fields(&coder)
    try hours.fields(&coder)
  }

  var isEmpty: Bool { hours.count == 0 && counts[.findings] == 0 }

  mutating func add(_ other: BuildPart) {
    counts.add(other.counts)
    hours.add(other.hours)
  }

  /// Removes all that is counted.
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

  /// The key of a row.
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
  /// A build while its rows are read.
  private struct Entry {
    let digest: Digest256
    let identity: BuildLedger.Identity
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

  /// The length of a category's name.
  private static let categoryLength = 11
  /// The App ID's place in order, the platform, and the other columns, each with its length after it.
  private static let keyLength =
    2 + 1 + categoryLength + TokenFacts.versionLimit + 1 + TokenFacts.hashLimit + 1

  private let apps: [String]
  /// The places of the apps in the order of their identifiers, from 1.
  private let ranks: [UInt16]
  private let row: RowBuilder
  /// The builds in order, at most ``BuildRow/limit`` of them.
  private let listed: RowSorter
  /// The totals of all builds, and the builds that the report page draws.
  private(set) var totals = BuildTotals()

  init(_ shuffles: Shuffles) throws {
    let apps = shuffles.apps
    self.apps = apps
    row = RowBuilder(texts: shuffles.texts)
    listed = shuffles.builds.another(keyLength: Self.keyLength)
    var ranks = [UInt16](repeating: 0, count: apps.count)
    let order = apps.indices.sorted { apps[$0].utf8.lexicographicallyPrecedes(apps[$1].utf8) }
    for (rank, app) in order.enumerated() {
      ranks[app] = UInt16(clamping: rank + 1)
    }
    self.ranks = ranks
    let merged = try shuffles.builds.merged()
    var current: Entry?
    while let bytes = unsafe try merged.next() {
      var decoder = unsafe RowDecoder(bytes)
      let key = try BuildLedger.Key(&decoder)
      if key.kind == .subject {
        if current?.digest == key.build { current?.add(subject: key.digest) }
        continue
      }
      var isVerified = false
      var part: BuildPart?
      try decoder.flag(&isVerified)
      try decoder.optional(&part)
      if current?.digest != key.build {
        if let current { try take(current) }
        var identity = BuildLedger.Identity()
        try identity.fields(&decoder)
        current = Entry(
          digest: key.build, identity: identity, use: BuildUse(Build(identity, apps: apps)))
      }
      if key.kind == .key { current?.add(key: key.digest, isVerified: isVerified) }
      guard let part else { continue }
      current?.counts.add(part.counts)
      current?.use.hours.add(part.hours)
    }
    if let current { try take(current) }
    totals.finish()
  }

  /// Calls `body` with the builds in the order of their columns.
  func forEach(_ body: (BuildRow) throws -> Void) throws {
    defer { listed.release() }
    let merged = try listed.merged()
    while let bytes = unsafe try merged.next() {
      var (identity, counts) = (BuildLedger.Identity(), BuildCounts())
      var decoder = unsafe RowDecoder(bytes)
      try decoder.skip(Self.keyLength)
      try identity.fields(&decoder)
      try counts.fields(&decoder)
      try body(BuildRow(Build(identity, apps: apps), counts))
    }
  }

  private mutating func take(_ entry: Entry) throws(AuditError) {
    let counts = entry.counts
    var use = entry.use
    use.outside = counts[.outside]
    totals.add(use)
    guard counts.verified > 0 else { return }
    totals.add(use.build, records: counts.verified)
    guard totals.builds <= BuildRow.limit else {
      totals.unlisted += 1
      return
    }
    let (app, token) = (Int(entry.identity.app), entry.identity.token)
    row.begin()
    row.big(ranks.indices.contains(app) ? ranks[app] : 0)
    row.put(entry.identity.platform.map { $0.rawValue + 1 } ?? 0)
    put(Array((token.category?.name ?? "").utf8), most: Self.categoryLength)
    put(Array(token.bundleVersion.utf8), most: TokenFacts.versionLimit)
    row.put(UInt8(clamping: token.bundleVersion.utf8.count))
    put(token.codeHash, most: TokenFacts.hashLimit)
    row.put(UInt8(clamping: token.codeHash.count))
    row.put(entry.identity)
    row.put(counts)
    unsafe try listed.writer(0).append(row.row)
  }

  /// Adds bytes of the key, filled up with zeros.
  private func put(_ bytes: [UInt8], most: Int) {
    let filled = bytes + repeatElement(0, count: most)
    row.put(filled.span.extracting(first: most))
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
