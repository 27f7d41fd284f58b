internal import AppAttest
internal import AuditLog
internal import Glibc
internal import RowShuffle

/// The ledger of builds of one reducer: it counts events by build, and writes rows of the shuffle by build.
/// Events are verified, or fail nothing but the policy on builds: only the report page counts these.
/// Used by one thread.
///
/// A row has the digest of the build, its class, and the digest of a key or subject, or the hour: rows of one
/// key or subject may be several, and count once. Memory: ``cacheLimit`` builds and ``hourLimit`` hours of
/// builds.
struct BuildLedger {
  /// The digest of the build, the class, and the digest of a key or subject.
  static let keyLength = Digest256.byteCount + 1 + Digest128.byteCount

  enum Class: UInt8 {
    case counts, key, subject, hour
  }

  /// The number of builds that are counted at a time.
  private static let cacheLimit = 4096
  /// The number of hours of builds that are counted at a time.
  private static let hourLimit = 16_384

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
    /// The events that are outside the policy on builds, verified or not.
    var outside: UInt64 = 0

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.number(&firstSeen)
      try coder.number(&lastSeen)
      try coder.count(&attestations)
      try coder.count(&assertions)
      try coder.count(&accepted)
      try coder.count(&rejected)
      try coder.count(&findings)
      try coder.value(&worst)
      try coder.count(&outside)
    }

    /// Counts a verified event.
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

    mutating func add(_ other: Counts) {
      firstSeen = min(firstSeen, other.firstSeen)
      lastSeen = max(lastSeen, other.lastSeen)
      attestations &+= other.attestations
      assertions &+= other.assertions
      accepted &+= other.accepted
      rejected &+= other.rejected
      findings &+= other.findings
      worst = [worst, other.worst].compactMap(\.self).max()
      outside &+= other.outside
    }
  }

  /// The events of one hour of a build, by `Decision.rawValue`.
  struct HourCounts: CodedRow {
    var decisions: (UInt64, UInt64, UInt64) = (0, 0, 0)

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.count(&decisions.0)
      try coder.count(&decisions.1)
      try coder.count(&decisions.2)
    }

    fileprivate mutating func add(_ decision: Decision) {
      switch decision {
      case .unknown: decisions.0 += 1
      case .accepted: decisions.1 += 1
      case .rejected: decisions.2 += 1
      }
    }
  }

  private struct Hour: Hashable {
    var place: Int
    var hour: Int64
  }

  /// The build of the last event, as its row has it, and the last key and subject of it that were written.
  private struct Last {
    var place = 0
    var app = EventRow.noApp
    var platform: KeyPlatform?
    /// The bytes of the token's facts.
    var facts: [UInt8] = []
    var key = Digest256()
    var isVerified: Bool?
    var subject: [UInt8] = []
  }

  private let writer: RowWriter
  private let row: RowBuilder
  private let findings: FindingSink
  private var places: [Digest256: Int] = [:]
  /// The builds that are counted, and the counts of each.
  private var builds: [(identity: Identity, digest: Digest256)] = []
  private var counts: [Counts] = []
  private var hourPlaces: [Hour: Int] = [:]
  private var hours: [(hour: Hour, counts: HourCounts)] = []
  private var lastHour = 0
  private var last = Last()

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
    if hours.count >= Self.hourLimit { try flush() }
    let place = try place(of: event.app, platform, rest.texts)
    if isOutside { counts[place].outside += 1 }
    let hour = self.place(of: Hour(place: place, hour: TimeBins.hour(of: event.time)))
    hours[hour].counts.add(event.decision)
    if last.key != event.keyID || last.isVerified != isVerified {
      (last.key, last.isVerified) = (event.keyID, isVerified)
      row.begin(.key, event.keyID.firstHalf, of: builds[place].digest)
      row.put(UInt8(isVerified ? 1 : 0))
      unsafe try writer.append(row.row)
    }
    guard isVerified else { return }
    counts[place].add(event)
    for code in now.codes.codes {
      counts[place].add(findings.severity(code, event.decision))
    }
    let subject = rest.subject
    guard !subject.isAbsent, !subject.has(identity: last.subject) else { return }
    last.subject = subject.identity
    row.begin(.subject, subject.digest.0, of: builds[place].digest)
    unsafe try writer.append(row.row)
  }

  /// Counts findings about a verified event that it was counted without.
  mutating func add(
    _ added: CodeSet, _ event: JudgedEvent, _ platform: KeyPlatform?
  ) throws(AuditError) {
    guard !added.isEmpty else { return }
    let place = try place(of: event.row.app, platform, event.row.rest.texts)
    for code in added.codes {
      counts[place].add(findings.severity(code, event.grading(code)))
    }
  }

  /// Writes all that is counted.
  mutating func flush() throws(AuditError) {
    for (build, counts) in zip(builds, counts) {
      row.begin(.counts, Digest128(), of: build.digest)
      row.put(build.identity)
      row.put(counts)
      unsafe try writer.append(row.row)
    }
    for (hour, counts) in hours {
      let key = Digest128(prefix: UInt64(bitPattern: hour.hour) ^ 1 << 63)
      row.begin(.hour, key, of: builds[hour.place].digest)
      row.put(counts)
      unsafe try writer.append(row.row)
    }
    hourPlaces.removeAll(keepingCapacity: true)
    hours.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    builds.removeAll(keepingCapacity: true)
    counts.removeAll(keepingCapacity: true)
  }

  /// Returns the place of an hour of a build among those that are counted.
  private mutating func place(of hour: Hour) -> Int {
    if lastHour < hours.count, hours[lastHour].hour == hour { return lastHour }
    lastHour = hourPlaces[hour] ?? hours.count
    if lastHour == hours.count {
      hourPlaces[hour] = lastHour
      hours.append((hour, HourCounts()))
    }
    return lastHour
  }

  /// Returns the place of a build among those that are counted.
  private mutating func place(
    of app: UInt16, _ platform: KeyPlatform?, _ texts: RowTexts
  ) throws(AuditError) -> Int {
    let facts = texts.tokenText
    if last.app == app, last.platform == platform, last.place < builds.count,
      facts.has(identity: last.facts)
    {
      return last.place
    }
    let identity = Identity(app: app, platform: platform, token: TokenFacts(facts).signed)
    let digest = identity.digest
    let known = places[digest]
    if known == nil, builds.count >= Self.cacheLimit { try flush() }
    let place = known ?? builds.count
    if known == nil {
      places[digest] = place
      builds.append((identity, digest))
      counts.append(Counts())
    }
    last = Last(place: place, app: app, platform: platform, facts: facts.identity)
    return place
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
    switch kind {
    case .counts:
      try row.check(Identity.self)
      try row.check(Counts.self)
    case .key:
      var isVerified = false
      try row.flag(&isVerified)
    case .subject: break
    case .hour: try row.check(HourCounts.self)
    }
  }

  /// A row of the shuffle.
  fileprivate enum Row {
    case counts(Identity, Counts)
    case key(Digest128, isVerified: Bool)
    case subject(Digest128)
    case hour(Int64, HourCounts)

    init(_ row: UnsafeRawBufferPointer) throws(AuditError) {
      var (decoder, kind) = (unsafe RowDecoder(row), Class.key)
      var digest = Digest128()
      try decoder.skip(Digest256.byteCount)
      try decoder.value(&kind)
      try decoder.digest(&digest)
      switch kind {
      case .counts:
        var (identity, counts) = (Identity(), Counts())
        try identity.fields(&decoder)
        try counts.fields(&decoder)
        self = .counts(identity, counts)
      case .key:
        var isVerified = false
        try decoder.flag(&isVerified)
        self = .key(digest, isVerified: isVerified)
      case .subject: self = .subject(digest)
      case .hour:
        var counts = HourCounts()
        try counts.fields(&decoder)
        self = .hour(Int64(bitPattern: digest.words.0 ^ 1 << 63), counts)
      }
    }
  }
}

/// The builds of a run, merged from the rows of all ledgers.
struct MergedBuilds {
  /// A build of ``BuildRow/limit``, in a row of which the key sorts as the columns of `builds.csv` do.
  fileprivate struct Listed: CodedRow {
    var identity = BuildLedger.Identity()
    var counts = BuildLedger.Counts()
    var keys: UInt64 = 0
    var subjects: UInt64 = 0

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try identity.fields(&coder)
      try counts.fields(&coder)
      try coder.count(&keys)
      try coder.count(&subjects)
    }
  }

  /// A build while its rows are read.
  private struct Entry {
    let digest: Digest256
    var listed: Listed
    var use: BuildUse
    /// The last key, and whether it was counted as one of verified events.
    var lastKey: (digest: Digest128, isCounted: Bool)?
    var lastSubject: Digest128?

    mutating func add(_ counts: BuildLedger.Counts) {
      listed.counts.add(counts)
      use.outside &+= counts.outside
    }

    mutating func add(key: Digest128, isVerified: Bool) {
      if lastKey?.digest != key {
        lastKey = (key, false)
        use.add(key: key)
      }
      guard isVerified, lastKey?.isCounted == false else { return }
      lastKey?.isCounted = true
      listed.keys += 1
    }

    mutating func add(subject: Digest128) {
      if lastSubject != subject { listed.subjects += 1 }
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
      let digest = unsafe Digest256(copying: bytes.baseAddress.unsafelyUnwrapped)
      let row = unsafe try BuildLedger.Row(bytes)
      if case .counts(let identity, let counts) = row, current?.digest != digest {
        if let current { try take(current) }
        current = Entry(
          digest: digest, listed: Listed(identity: identity),
          use: BuildUse(Build(identity, apps: apps)))
        current?.add(counts)
        continue
      }
      guard current?.digest == digest else { continue }
      switch row {
      case .counts(_, let counts): current?.add(counts)
      case .key(let key, let isVerified): current?.add(key: key, isVerified: isVerified)
      case .subject(let subject): current?.add(subject: subject)
      case .hour(let hour, let counts): current?.use.add(hour, counts)
      }
    }
    if let current { try take(current) }
    totals.finish()
  }

  /// Calls `body` with the builds in the order of their columns.
  func forEach(_ body: (BuildRow) throws -> Void) throws {
    defer { listed.release() }
    let merged = try listed.merged()
    while let bytes = unsafe try merged.next() {
      var build = Listed()
      var decoder = unsafe RowDecoder(bytes)
      try decoder.skip(Self.keyLength)
      try build.fields(&decoder)
      try body(BuildRow(build, apps: apps))
    }
  }

  private mutating func take(_ entry: Entry) throws(AuditError) {
    totals.add(entry.use)
    let counts = entry.listed.counts
    guard counts.attestations &+ counts.assertions > 0 else { return }
    totals.add(entry.use.build, records: counts.attestations &+ counts.assertions)
    guard totals.builds <= BuildRow.limit else {
      totals.unlisted += 1
      return
    }
    let (app, token) = (Int(entry.listed.identity.app), entry.listed.identity.token)
    row.begin()
    row.big(ranks.indices.contains(app) ? ranks[app] : 0)
    row.put(entry.listed.identity.platform.map { $0.rawValue + 1 } ?? 0)
    put(Array((token.category?.name ?? "").utf8), most: Self.categoryLength)
    put(Array(token.bundleVersion.utf8), most: TokenFacts.versionLimit)
    row.put(UInt8(clamping: token.bundleVersion.utf8.count))
    put(token.codeHash, most: TokenFacts.hashLimit)
    row.put(UInt8(clamping: token.codeHash.count))
    row.put(entry.listed)
    unsafe try listed.writer(0).append(row.row)
  }

  /// Adds bytes of the key, filled up with zeros.
  private func put(_ bytes: [UInt8], most: Int) {
    let shown = bytes.prefix(most)
    row.put(Array(shown).span)
    for _ in shown.count..<most { row.put(UInt8(0)) }
  }
}

extension BuildRow {
  fileprivate init(_ listed: MergedBuilds.Listed, apps: [String]) {
    self.init(Build(listed.identity, apps: apps))
    let counts = listed.counts
    (firstSeen, lastSeen) = (counts.firstSeen, counts.lastSeen)
    (keys, subjects) = (listed.keys, listed.subjects)
    (attestations, assertions) = (counts.attestations, counts.assertions)
    (accepted, rejected) = (counts.accepted, counts.rejected)
    (findings, worstSeverity) = (counts.findings, counts.worst)
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

extension BuildUse {
  fileprivate mutating func add(_ hour: Int64, _ counts: BuildLedger.HourCounts) {
    let decisions = counts.decisions
    for (kind, count) in [decisions.0, decisions.1, decisions.2].enumerated() {
      hours.add(hour, kind, count)
    }
  }
}
