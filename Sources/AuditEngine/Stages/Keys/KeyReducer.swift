internal import AppAttest
internal import AuditLog
internal import Basics
internal import OpenSSL
internal import RowShuffle

/// A judge of the events of keys, in order: registry, signatures, counters, subjects. Events leave
/// for the replay audit where their hash may repeat, keys for `keys.csv`.
final class KeyReducer {
  let detection: DetectionPolicy
  let apps: ConfiguredApps
  let shuffles: Shuffles
  /// The field that names devices, for sentences.
  let deviceField: String
  /// The sources of this run that are another log.
  let otherLogs: Set<UInt32>
  private let byHash: RowWriter
  private let replays: ReplayAudit
  /// The hashes that the shuffle by clientDataHash has to bring together, or nil for all.
  private let repeated: RepeatedHashes?
  private let keys: RowWriter
  let findings: FindingSink
  private let verdicts: VerdictSink
  private let row: RowBuilder
  private var builds: BuildLedger?
  /// The keeper for later runs, or nil if the run stands alone or only refers to a state.
  let keeper: KeyKeeper?
  private let withdrawals: Withdrawals
  /// Whether earlier runs are known.
  private let remembers: Bool
  let places: EventPlaces
  private var state: KeyState?
  /// The findings that count a key's assertions.
  private static let unverifiable: [FindingCode] = [.keyUnknown, .keyUntrusted]
  /// Keys by status, indexed by `KeyStatus.rawValue`.
  private(set) var keyCounts = [UInt64](repeating: 0, count: KeyStatus.allCases.count)

  /// Makes a reducer of keys; `deviceField` names devices in sentences.
  init(
    _ context: ReduceContext, replays: ReplayAudit, repeated: RepeatedHashes?, deviceField: String,
    otherLogs: Set<UInt32> = []
  ) {
    detection = context.detection
    apps = context.apps
    shuffles = context.shuffles
    findings = context.findings
    verdicts = context.verdicts
    withdrawals = context.withdrawals
    remembers = context.history != nil
    places = context.places
    keeper = KeyKeeper(context.history, context.apps, context.shuffles.texts)
    self.replays = replays
    self.repeated = repeated
    self.deviceField = deviceField
    self.otherLogs = otherLogs
    builds = BuildLedger(context)
    byHash = shuffles.byHash.writer(context.reducer)
    keys = shuffles.keys.writer(context.reducer)
    row = RowBuilder(texts: shuffles.texts)
  }

  func take(_ events: SignatureBlock.Events, _ key: KeyContext) throws(AuditError) {
    var current: KeyState
    // The state is taken out, so that the arrays inside have one owner, and are not copied when they change.
    if state?.key === key, let known = state.take() {
      current = known
    } else {
      try endKey()
      withdrawals.group = key.keyID
      current = try KeyState(key, detection, apps)
      if current.isDisputed { withdrawals.withdrawNothing() }
      if let other = otherLogs.min(), key.isDisputed || key.isUnsettled {
        try keeper?.mark(key, unsettledBy: other)
      }
      for code in Self.unverifiable {
        if let finding = try withdrawals.counting(code, of: key.keyID) {
          current.open.append(finding)
        }
      }
    }
    try events.each { event in
      // The words of hashes are far from the processor: each is asked for before its event is judged.
      _ = unsafe repeated?.place(of: event.clientDataHash)
    } _: { (event, holds) throws(AuditError) in
      try judge(event, key, holds, &current)
    }
    state = consume current
  }

  func finish() throws(AuditError) {
    try endKey()
    try builds?.flush()
    try replays.output.flushBuilds()
  }

  // MARK: One event

  private func judge(
    _ event: EventRow, _ key: KeyContext, _ holds: Bool, _ state: inout KeyState
  ) throws(AuditError) {
    guard event.flags.isDisjoint(with: [.remembered, .waiting]) else {
      return try judge(kept: event, key, holds, &state)
    }
    let rest = event.rest
    try state.meet(event.time) { () throws(AuditError) in try subject(event, rest) }
    let place = unsafe repeated?.place(of: rest.clientDataHash)
    try state.see(event, apps.name(event.app, rest.appID, shuffles.texts))
    state.count(event.codes, event.decision, findings)
    guard !event.flags.contains(.malformed) else {
      state.row.failed += 1
      if event.namesDeviceOnly { try keeper?.keep(waiting: event, rest, key) }
      let request = JudgedRequest(
        event.position, .failed, event.codes, event.decision, keyID: event.knownKeyID,
        app: event.app)
      return try verdicts.write(.failed, request) { () throws(AuditError) in
        try (Finding(event, rest, apps, shuffles.texts, VerdictSink.texts), TokenFacts())
      }
    }
    let isOfOtherLog = otherLogs.contains(event.position.source)
    if isOfOtherLog { withdrawals.withdrawNothing() }
    var now = state.judge(read: event, rest, holds: holds, isOfOtherLog: isOfOtherLog)
    try note(now, event, rest, &state)
    now.platform = state.key.facts?.platform
    addSigns(now, event, rest)
    try builds?.add(event, rest, now)
    try keeper?.keep(event, rest, now, key)
    // What this run finds stands, whatever another log made of a record that is alike (detection.R67).
    if key.isUnsettled {
      let subject = try subject(event, rest)
      for code in now.codes.codes { withdrawals.stands(subject.fingerprint(code)) }
    }
    if now.codes != event.codes, findings.isWriting {
      _ = try report(now, event.codes, event, rest, &state)
    }
    if let code = now.unverifiableCode {
      // The code is at every assertion that the finding counts (`reports.R36`).
      now.codes.insert(code)
      try countUnverifiable(code, event, rest, &now, &state)
    }
    let hasFailed = now.codes.intersects(.checks)
    if hasFailed { state.row.failed += 1 }
    HashRow.write(
      event, rest, now, was: key.isUnsettled ? HashRow.Was(isUnsettled: true) : nil,
      isDisputed: state.isDisputed, row)
    // Of other hashes than those of 32 bytes only the digest is remembered.
    let isRemembered = unsafe rest.clientDataHash.count == Digest256.byteCount || !remembers
    if isRemembered, let place, repeated?.mayRepeat(place) == false {
      unsafe try replays.take(alone: row.row)
    } else {
      unsafe try byHash.append(row.row)
    }
  }

  /// Counts what an assertion of this run shows of the log.
  private func addSigns(_ now: KeyOpinion, _ event: EventRow, _ rest: EventRow.Rest) {
    guard event.kind == .assertion else { return }
    let length = event.clientDataLength.map(UInt64.init)
    if now.codes.contains(.assertionSignatureInvalid) {
      guard let length else { return }
      return findings.signs.add(.misfit, at: event.position, value: length)
    }
    guard now.verifies(event) else { return }
    if let length { findings.signs.add(verified: length, of: event.position.source) }
    guard !findings.signs.has(.category), rest.texts.token.category != nil else { return }
    findings.signs.add(.category, at: event.position)
  }

  /// Judges an event of an earlier run by what was known before this one, and by what is known now: what
  /// is found only now is reported, and what is not found any more is withdrawn.
  private func judge(
    kept event: EventRow, _ key: KeyContext, _ signatureHolds: Bool, _ state: inout KeyState
  ) throws(AuditError) {
    let rest = event.rest
    guard !event.flags.contains(.marks) else { return try leave(event, rest, &state) }
    let isWaiting = event.flags.contains(.waiting)
    let isMoved = event.flags.isSuperset(of: .moved)
    guard !event.flags.contains(.malformed) else {
      // A device's: an attestation says whose it is.
      guard !event.flags.contains(.remembered) else { return }
      try state.see(event, apps.name(event.app, rest.appID, shuffles.texts))
      state.row.failed += 1
      _ = try report(
        KeyOpinion(codes: event.codes), CodeSet(), event, rest, &state, isKept: true)
      return
    }
    try state.meet(event.time) { () throws(AuditError) in try subject(event, rest) }
    let holds = isWaiting ? signatureHolds : event.flags.contains(.valid)
    var was: KeyOpinion?
    if event.flags.contains(.remembered) {
      state.makeBefore(detection, apps)
      was = state.judgeBefore(event, rest, holds: holds)
    }
    var (now, accounted) = state.judge(kept: event, rest, holds: holds)
    now.platform = state.key.facts?.platform
    // What an earlier run verified by a list that is gone stays as that run found it.
    if let was, !was.isUnverifiable, now.isUnverifiable, !isMoved { return }
    // What could not be verified was counted, and not judged: only a night says what it was.
    if isWaiting, keeper == nil {
      if now.setsSubject { state.subjectText = try firstSubject(rest, state) }
      return
    }
    let isSettled = isWaiting && !now.isUnverifiable
    if isSettled {
      try state.see(event, apps.name(event.app, rest.appID, shuffles.texts))
      try note(now, event, rest, &state)
      try keeper?.keep(event, rest, now, key)
      if now.codes.intersects(.checks) { state.row.failed += 1 }
      try builds?.add(event, rest, now)
    } else if isMoved {
      try keeper?.keep(event, rest, now, key)
    } else if now.setsSubject {
      state.subjectText = try firstSubject(rest, state)
    }
    // What was found of an event under another key, or under none, is found again under this one. What another log made
    // of it is not known.
    var earlier = CodeSet()
    if let was, !isMoved { earlier = key.isUnsettled ? event.codes : was.codes }
    let reported = try report(now, earlier, event, rest, &state, isKept: true)
    for code in now.codes.intersection(earlier).subtracting(event.codes).codes {
      withdrawals.stands(try subject(event, rest).fingerprint(code))
    }
    if key.isUnsettled {
      try withdrawals.withdraw(
        unsettled: subject(event, rest), of: key.keyID, among: .settledByKey, found: now.codes)
    }
    try compare(was, &now, accounted, event, rest, &state)
    var said = was.map(HashRow.Was.init)
    if key.isUnsettled, was != nil {
      said = HashRow.Was(codes: now.codes.subtracting(reported), isUnsettled: true)
    } else if let was, was.agrees(with: now), !was.isTentative {
      return
    }
    HashRow.write(event, rest, now, was: said, isDisputed: state.isDisputed, row)
    unsafe try byHash.append(row.row)
  }

  /// Reports what is found only now of an event, withdraws what is not found any more, and returns what is reported.
  /// A finding about an event of an earlier run can be open already.
  private func report(
    _ now: KeyOpinion, _ earlier: CodeSet, _ event: EventRow, _ rest: EventRow.Rest,
    _ state: inout KeyState, isKept: Bool = false
  ) throws(AuditError) -> CodeSet {
    var reported = CodeSet()
    guard earlier != now.codes else { return reported }
    let subject = try subject(event, rest)
    for code in now.codes.subtracting(earlier).codes {
      if remembers {
        let fingerprint = subject.fingerprint(code)
        withdrawals.stands(fingerprint)
        findings.see(fingerprint)
        let severity = findings.policy.severity(code, event.decision)
        if isKept, try !withdrawals.isNews(fingerprint, severity) { continue }
      }
      try findings.emit(code, subject, detail(code, now, event, subject, state))
      reported.insert(code)
    }
    state.count(reported, event.decision, findings)
    for code in earlier.subtracting(now.codes).codes {
      withdrawals.withdraw(code, of: state.key.keyID, subject)
    }
    return reported
  }

  /// Withdraws what was found of an event whose device had another key, as a late attestation says.
  /// A damaged event's findings are withdrawn with its line: here it is counted behind them.
  private func leave(
    _ event: EventRow, _ rest: EventRow.Rest, _ state: inout KeyState
  ) throws(AuditError) {
    state.makeBefore(detection, apps)
    let was = state.judgeBefore(event, rest, holds: event.flags.contains(.valid))
    if event.flags.contains(.waiting) {
      guard let code = was?.unverifiableCode else { return }
      let (keyID, subject) = (state.key.keyID, try subject(event, rest))
      let fingerprint = Fingerprint.key(code, keyID)
      return try withdrawals.explain(FindingNote(.replaced, code, of: keyID, fingerprint, subject))
    }
    state.isLeft = true
    let isReplaced = keeper?.isReplaced(event) == true
    if !isReplaced { try keeper?.leave(event, state.key) }
    guard let was else { return }
    let subject = try subject(event, rest)
    guard !isReplaced else {
      for code in was.codes.codes {
        let fingerprint = subject.fingerprint(code)
        try withdrawals.explain(
          FindingNote(.replaced, code, of: state.key.keyID, fingerprint, subject))
      }
      return
    }
    for code in was.codes.union(was.tentativeCodes).union(.settledByHash).codes {
      withdrawals.withdraw(code, of: state.key.keyID, subject)
    }
  }

  /// Counts an assertion of an earlier run if what is unverifiable about it has changed. If another log took part in the
  /// last run, it might not be counted, or be counted by either finding.
  private func compare(
    _ was: KeyOpinion?, _ now: inout KeyOpinion, _ accounted: KeyOpinion, _ event: EventRow,
    _ rest: EventRow.Rest, _ state: inout KeyState
  ) throws(AuditError) {
    let (before, after) = (was?.unverifiableCode, now.unverifiableCode)
    if let after { state.unverifiableCodes.insert(after) }
    let (keyID, isDevice) = (state.key.keyID, state.key.isDevice)
    let isUnsettled = state.key.isUnsettled && before != nil
    guard before != after || isUnsettled else { return }
    if !isDevice {
      for code in Self.unverifiable
      where code != after && code != accounted.unverifiableCode && (code == before || isUnsettled) {
        let fingerprint = Fingerprint.key(code, keyID)
        try withdrawals.explain(
          FindingNote(.explained, code, of: keyID, fingerprint, try subject(event, rest)))
      }
    }
    if let after {
      if before == after || isDevice {
        let severity = findings.policy.severity(after, event.decision)
        let device = isDevice ? try event.device(shuffles.texts) : nil
        let fingerprint = Fingerprint.key(after, keyID, device: device)
        guard try withdrawals.isNews(fingerprint, severity) else { return }
      }
      try state.see(event, apps.name(event.app, rest.appID, shuffles.texts))
      try countUnverifiable(after, event, rest, &now, &state)
    }
  }

  /// Counts what is found of an event's signature and subject.
  private func note(
    _ now: KeyOpinion, _ event: EventRow, _ rest: EventRow.Rest, _ state: inout KeyState
  ) throws(AuditError) {
    if now.signatureHolds { state.verify(event.counter) }
    if now.setsSubject { state.subjectText = try firstSubject(rest, state) }
  }

  /// Returns the text of the subject that the state's judge has, of the key's record if the same.
  private func firstSubject(
    _ rest: EventRow.Rest, _ state: KeyState
  ) throws(AuditError) -> String {
    if let known = state.key.remembered, let subject = known.snapshot.subject,
      subject.identity == state.now.subject?.identity
    {
      return known.subjectText
    }
    return try rest.subject.string(shuffles.texts)
  }

  private func countUnverifiable(
    _ code: FindingCode, _ event: EventRow, _ rest: EventRow.Rest, _ now: inout KeyOpinion,
    _ state: inout KeyState
  ) throws(AuditError) {
    let severity = findings.policy.severity(code, event.decision)
    let isOfOtherLog = otherLogs.contains(event.position.source)
    state.unverifiableCodes.insert(code)
    try state.countUnverifiable(severity, isOfOtherLog: isOfOtherLog) { () throws(AuditError) in
      try subject(event, rest)
    }
    guard remembers, event.decision != .accepted, let first = state.firstUnverifiable else {
      return
    }
    now.keyEvent = EventPlace(position: first.position, time: first.time)
  }

  // MARK: One key

  private func endKey() throws(AuditError) {
    guard var state = state.take() else { return }
    try withdrawals.settle()
    let key = state.key
    if !state.isDisputed {
      for finding in state.met where !state.unverifiableCodes.contains(finding.code) {
        try withdrawals.explain(all: finding, of: key.keyID)
      }
    }
    // Keys of which there is nothing but what earlier runs kept are not of this run.
    guard state.hasRecords else {
      if state.isLeft { try keeper?.end(&state) }
      return
    }
    let code: FindingCode = key.status == .unknown ? .keyUnknown : .keyUntrusted
    if var first = state.firstUnverifiable, let severity = state.worstUnverifiable {
      first.unaccounted = state.unaccounted
      try findings.emit(
        code, key: key.keyID, at: first, severity: severity,
        FindingDetail(
          sentence(key, first),
          related: key.trust == nil ? key.firstAttestation : nil, of: key.keyID,
          count: state.unverifiable))
      if keeper != nil {
        try withdrawals.stands(
          counted: Fingerprint.key(code, key.keyID, device: first.device))
      }
      state.count(severity)
    }
    try keeper?.end(&state)
    guard !key.isDevice else { return }
    keyCounts[Int(key.status.rawValue)] += 1
    try state.finishedRow.write(row)
    unsafe try keys.append(row.row)
  }
}
