internal import AppAttest
internal import AuditLog
internal import Basics
internal import RowShuffle

/// The reduce by device: gives assertions that name only their device the key that it had, also
/// those that waited, or were taken for another key's, since an earlier run.
struct DeviceJoin {
  let context: ReduceContext
  let imported: [ImportedDevice]
  let devices: RowSorter
  /// The sources of this run that are another log.
  let otherLogs: Set<UInt32>
  /// The devices that attestations of this run name, or nil if earlier judgements stay.
  var attested: AttestedDevices?

  private var byKey: RowSorter { context.shuffles.byKey }
  private var texts: TextStore { context.shuffles.texts }

  /// Whether several processes join. Then none of them knows what all attestations name.
  private var isShared: Bool { context.history?.rows != nil }

  /// The rows that go to one writer of the shuffle before the next one's turn.
  private static let rowsPerTurn = 1 << 12

  /// Passes every assertion on. The rows of one device are a stream, whatever their number.
  func reduce() throws(AuditError) {
    if context.history?.rows == nil { try takeWaiting() }
    let rows = try devices.merged()
    let builder = RowBuilder(texts: texts)
    var device: JoinedDevice?
    var count = 0
    func append() throws(AuditError) {
      unsafe try byKey.writer(count / Self.rowsPerTurn % byKey.settings.writers)
        .append(builder.row)
    }
    while let bytes = unsafe try rows.next() {
      let row = unsafe try DeviceRow(bytes)
      if device?.digest != row.device {
        if let device { try remember(device) }
        try context.withdrawals.settle()
        context.withdrawals.group = row.device
        device = try JoinedDevice(row.device, keys(of: row.device, imported), context.history)
      }
      switch row.content {
      case .attestation(let keyID, let claim, let point):
        if let text = row.text {
          try device?.learn(text, texts)
          try note(keyID, of: &device, text)
        }
        let isAccounted = !otherLogs.contains(row.position.source)
        unsafe device?.take(keyID, claim, point: point, row.section, row.time, isAccounted)
      case .assertion(let text, let event):
        let view = unsafe EventRow(event)
        let match = try device?.key(of: view)
        var flags: EventRow.Flags = []
        if view.flags.contains(.waiting) {
          if let match {
            guard let added = try device?.settle(match, view, text, texts, context.withdrawals)
            else { break }
            flags = added
          } else {
            // Only another log's attestation had given it a key (`pipeline.R15`).
            guard view.section != .device, context.history?.unsettled.isEmpty == false else {
              break
            }
            context.withdrawals.withdraw(formerly: view.keyID, view)
          }
        } else if view.flags.contains(.remembered) {
          // An earlier run found its signature invalid: it moves where another key is the device's now.
          guard let match, match.keyID != view.keyID, device?.isKnownNow == true else { break }
          EventRow.write(departureOf: view, builder)
          try append()
          flags = .moved
        } else if let match, !otherLogs.contains(view.position.source) {
          try device?.settle(reread: view, match, text, texts, context.withdrawals)
        }
        if !view.flags.isDisjoint(with: [.waiting, .remembered]) {
          // Its hash is not remembered if it was not examined for replays.
          let place = unsafe RepeatedHashes.place(view.rest.clientDataHash)
          context.shuffles.repeated?.add(repeated: place)
        }
        if let match {
          unsafe context.shuffles.repeated?.addJoined(view.rest.clientDataHash, of: match.keyID)
        }
        unsafe write(event, match, flags, row.device, text, builder)
        try append()
        try note(match?.keyID, of: &device, text, view.position)
      case .finding(let finding):
        var found = unsafe try FindingRow(finding, texts).finding
        found.keyID = device?.key(ofEventAt: found.position, row.time)?.keyID
        try context.findings.emit(found.code, found, FindingDetail(found.detail))
      }
      count += 1
      if count & 0xFFF == 0 { try context.run.check() }
    }
    if let device { try remember(device) }
    try context.withdrawals.settle()
  }

  /// Returns the keys that lists give a device, the run's own and those imported into the state.
  private func keys(
    of device: Digest256, _ listed: [ImportedDevice]
  ) throws(AuditError) -> ArraySlice<ImportedDevice> {
    let keys = listed.keys(of: device)
    guard let history = context.history else { return keys }
    let imported = try history.keys.imported(ofDevice: device).filter { key in
      !keys.contains { $0.keyID == key.keyID }
    }
    guard !imported.isEmpty else { return keys }
    let all = ImportedDevice.sorted(imported) + keys
    let order = all.indices.sorted { (all[$0].since, $0) < (all[$1].since, $1) }
    return order.map { all[$0] }[...]
  }

  /// Writes into the history of events whose a key is, or an event without one.
  private func note(
    _ keyID: Digest256?, of device: inout JoinedDevice?, _ text: RowText,
    _ position: Position = Position(source: 0, line: 0)
  ) throws(AuditError) {
    guard context.verdicts.isWritingEvents, keyID == nil || device?.noted != keyID else { return }
    device?.noted = keyID
    try context.verdicts.note(device: text.string(texts), keyID: keyID, at: position)
  }

  /// Writes an assertion's row, with more flags, and its device for later runs, and for other policies.
  private func write(
    _ event: UnsafeRawBufferPointer, _ match: DeviceKeys.Match?, _ flags: EventRow.Flags,
    _ device: Digest256, _ text: RowText, _ row: RowBuilder
  ) {
    guard let match else {
      unsafe EventRow.write(copyOf: event, keyID: device, section: .device, row)
      return row.put(text)
    }
    let added = match.isClaimed ? flags.union(.claimed) : flags
    unsafe EventRow.write(copyOf: event, keyID: match.keyID, adding: added, row)
    guard context.history?.mode == .advance || context.verdicts.simulation != nil else { return }
    row.put(text)
    row.put(device)
  }

  // MARK: From run to run

  /// Puts assertions that wait, or were invalid, into the shuffle if their device is known now.
  func takeWaiting() throws(AuditError) {
    guard let history = context.history, history.mode == .advance, history.events.namesDevices
    else { return }
    let (event, row) = (RowBuilder(texts: texts), RowBuilder(texts: texts))
    let writer = devices.writer(0)
    var rows = try KeptRowReader(history.events.runs(), history.order)
    var departed = DepartedEvents()
    var count = 0
    while let bytes = unsafe rows.next {
      if let kept = unsafe try KeptRow(ofDevice: bytes, &departed), let device = kept.device,
        kept.event.flags.contains(.waiting)
          || !kept.event.flags.contains(.valid)
            && (attested?.mayHold(device.digest) ?? isShared
              || !imported.keys(of: device.digest).isEmpty),
        !history.isReplaced(kept.event.position)
      {
        kept.write(context.apps, hasKey: false, event)
        unsafe DeviceRow.write(
          waiting: event.row, of: device.digest, text: device.text, row)
        unsafe try writer.append(row.row)
      }
      try rows.advance()
      count += 1
      if count & 0xFFF == 0 { try context.run.check() }
    }
  }

  private func remember(_ device: JoinedDevice) throws(AuditError) {
    guard let history = context.history, history.mode == .advance else { return }
    for attestation in device.toRemember { try history.remember(attestation) }
  }
}

/// One device while its rows go by.
private struct JoinedDevice {
  let digest: Digest256
  private var keys: DeviceKeys
  private var signers: DeviceSigners
  /// The events of one time that are signed with another key than the likeliest, and which.
  private var others: (time: Int64, keys: [Position: Digest256]) = (.min, [:])
  /// The listed keys to which events were joined that had waited, with the times from which they count.
  private var joined: [Digest256: Int64] = [:]
  /// The keys by what earlier runs know alone.
  private var earlierKeys: DeviceKeys
  /// The attestations of this run, or nil if it stands alone.
  private var notes: DeviceNotes?
  /// The device identifier, once an attestation of this run has said it, or nil if nobody asks.
  private var name: String?
  /// The finding that counts its assertions without a key, if another log of an earlier run may have had some; asked for
  /// when the first of them has a key.
  private var counting: Finding??
  /// Whether another log of this run has an attestation of it.
  private var isDisputed = false
  /// Whether an attestation of this run names it, or a list.
  private(set) var isKnownNow: Bool
  /// The key that the history of events last has as one of the device.
  var noted: Digest256?

  init(
    _ digest: Digest256, _ imported: ArraySlice<ImportedDevice>, _ history: RunMemory?
  ) throws(AuditError) {
    self.digest = digest
    isKnownNow = !imported.isEmpty
    let earlier = try history?.keys.keys(ofDevice: digest).filter {
      KeptKey.High.times.contains($0.time)
    }
    keys = DeviceKeys(imported: imported, earlier: earlier ?? [])
    earlierKeys = DeviceKeys(earlier: earlier ?? [])
    signers = DeviceSigners(imported, history?.keys)
    if history != nil { notes = DeviceNotes() }
  }

  mutating func learn(_ text: RowText, _ texts: TextStore) throws(AuditError) {
    guard notes != nil, name == nil else { return }
    name = try text.string(texts)
  }

  mutating func take(
    _ keyID: Digest256, _ claim: DeviceClaim, point: UnsafeRawBufferPointer,
    _ section: DeviceRow.Section, _ time: Int64, _ isAccounted: Bool
  ) {
    switch section {
    case .registry:
      isKnownNow = true
      keys.registerEarlier(until: time)
      let entry = KeptDevice(
        device: digest, keyID: keyID, time: time, isValid: claim != .failed,
        isRejected: claim == .rejected)
      if isAccounted { notes?.add(entry) } else { isDisputed = true }
      keys.register(keyID, claim)
      unsafe signers.take(keyID, point: point, keys)
    case .event:
      keys.takeEarlier(until: time)
      keys.take(keyID, claim)
    }
  }

  /// Returns the key of an assertion (`records.R77`); times never fall from call to call. If the
  /// device has several keys, it is the one under which the signature is valid, if there is one.
  mutating func key(of event: EventRow) throws(AuditError) -> DeviceKeys.Match? {
    let time = event.time
    let match = keys.key(at: time)
    let likeliest = match.map { [$0.keyID] } ?? []
    let others = keys.others(than: match?.keyID)
    guard !others.isEmpty,
      let signer = try signers.signer(of: event, among: likeliest + others),
      signer != match?.keyID
    else { return match }
    note(event.position, time, signer)
    return DeviceKeys.Match(keyID: signer, isClaimed: false)
  }

  /// The most events of one time that can be recorded as another key's than the likeliest.
  private static let notedLimit = 1 << 16

  private mutating func note(_ position: Position, _ time: Int64, _ signer: Digest256) {
    if others.time != time { others = (time, [:]) }
    if others.keys.count < Self.notedLimit { others.keys[position] = signer }
  }

  /// Returns the key of an event whose assertion was asked for, which is of the same time.
  mutating func key(ofEventAt position: Position, _ time: Int64) -> DeviceKeys.Match? {
    if others.time == time, let keyID = others.keys[position] {
      return DeviceKeys.Match(keyID: keyID, isClaimed: false)
    }
    return keys.key(at: time)
  }

  /// Returns the flags of an event that waited and has a key now, or nil. Its finding is explained.
  mutating func settle(
    _ match: DeviceKeys.Match, _ event: EventRow, _ device: RowText, _ texts: TextStore,
    _ withdrawals: Withdrawals
  ) throws(AuditError) -> EventRow.Flags? {
    guard notes != nil else { return nil }
    let time = event.time
    let earlier = earlierKeys.key(at: time)
    guard earlier?.isClaimed ?? true, try !wasSigner(match, of: event) else {
      // What earlier runs knew settled it then.
      return nil
    }
    if !match.isClaimed, let since = keys.listed(match.keyID) { joined[match.keyID] = since }
    let subject = Finding(
      time: time, kind: .assertion, position: event.position, decision: event.decision)
    let flags: EventRow.Flags = match.isClaimed ? .claimed : []
    let earlierKey = earlier?.keyID
    guard earlierKey != match.keyID else { return flags.union(.remembered) }
    if !event.flags.contains(.malformed) {
      let code: FindingCode = earlierKey == nil ? .keyUnknown : .keyUntrusted
      let name = try device.string(texts)
      let fingerprint =
        earlierKey.map { Fingerprint.key(code, $0) } ?? Fingerprint.of(code, name.utf8)
      try withdrawals.explain(
        FindingNote(.explained, code, of: earlierKey ?? match.keyID, fingerprint, subject))
    }
    withdrawals.withdraw(formerly: earlierKey, event, owner: match.keyID)
    return flags
  }

  /// Withdraws what another log of an earlier run made of an event that this run reads, while its device had no key.
  mutating func settle(
    reread event: EventRow, _ match: DeviceKeys.Match, _ device: RowText, _ texts: TextStore,
    _ withdrawals: Withdrawals
  ) throws(AuditError) {
    guard !isDisputed else { return }
    if counting == nil {
      counting = .some(
        try withdrawals.counting(.keyUnknown, of: digest, device: device.string(texts)))
    }
    guard let finding = counting ?? nil else { return }
    let former = Finding(formerly: nil, event)
    if finding.time == event.time, finding.clientDataHash == former.clientDataHash {
      try withdrawals.explain(all: finding, of: match.keyID)
    }
    try withdrawals.withdraw(unsettled: former, of: match.keyID, among: nil, found: CodeSet())
  }

  /// Returns whether earlier runs knew that the key which an event matches is one of the device, and signed it.
  private mutating func wasSigner(
    _ match: DeviceKeys.Match, of event: EventRow
  ) throws(AuditError) -> Bool {
    guard earlierKeys.isCandidate(match.keyID) else { return false }
    return try signers.signer(of: event, among: [match.keyID]) != nil
  }

  /// The attestations that later runs are to know, with listed keys that settled what waited.
  var toRemember: [KeptDevice] {
    guard var attested = notes?.all else { return [] }
    for index in attested.indices { attested[index].name = name }
    return attested
      + joined.sorted { $0.key < $1.key }.map { keyID, since in
        KeptDevice(
          device: digest, keyID: keyID, time: max(since, KeptKey.High.beforeAll), isValid: true)
      }
  }
}

extension Withdrawals {
  /// Withdraws what was found of an assertion that has another key now, or none, and so another fingerprint. `owner` is
  /// its key, if it had none before.
  fileprivate func withdraw(formerly keyID: Digest256?, _ event: EventRow, owner: Digest256? = nil)
  {
    let former = Finding(formerly: keyID, event)
    for code in event.codes.union(.settledByHash).union(.settledByKey).union(.counters).codes {
      withdraw(code, of: keyID ?? owner ?? Digest256(), former)
    }
  }
}

extension Finding {
  /// Makes what a finding is about, of an assertion as it was when it had another key, or none.
  fileprivate init(formerly keyID: Digest256?, _ event: EventRow) {
    self.init(
      time: event.time, kind: .assertion, position: event.position, decision: event.decision)
    self.keyID = keyID
    clientDataHash = unsafe Array(event.rest.clientDataHash)
    counter = event.knownCounter
  }
}
