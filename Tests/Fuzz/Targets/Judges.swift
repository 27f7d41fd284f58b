import AppAttest
import AuditLog
import TestSupport

@testable import AuditEngine

extension FuzzTarget {
  /// Events from bytes, cut into nights by bytes: what two judges say of the nights comes to what one
  /// judge says of all, a snapshot is as good as the events before it, and no hash is used twice
  /// without a finding.
  static let judges = FuzzTarget(
    name: "judges", limit: 1024, mutations: 1500,
    seeds: {
      var random = Generator(5)
      return (0..<12).map { _ in random.bytes(40 + random.below(400)) }
    },
    prepare: {
      try FuzzedJudges().run
    })
}

/// Judges of one key and of four hashes.
private struct FuzzedJudges {
  private let texts: TextStore
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    texts = TextStore(folder: scratch.path)
  }

  /// An event's row, how its signature is, and the night it came in.
  private struct Event {
    var row: [UInt8]
    var holds: Bool
    var order: (Int64, UInt32, UInt64)
    var night: Int
  }

  func run(_ bytes: [UInt8]) throws {
    var input = FuzzBytes(bytes)
    var policy = DetectionPolicy()
    policy.reorderTolerance = Int64(input.byte())
    policy.counterGap = UInt32(input.below(6))
    policy.retryTolerance = Int64(input.below(3) * 40)
    policy.rejectedRetry = Int64(input.below(3) * 60)
    policy.replayScope = ReplayScope.allCases[input.below(3)]
    let registry = KeyJudge.Registry(
      isTrusted: !input.once(in: 8), hasAttestation: true,
      firstValid: EventPlace(), attestedAt: Int64(input.byte()), app: 0)
    let lastCounter = input.once(in: 3) ? UInt32(input.byte()) : nil
    func judge(_ snapshot: KeySnapshot = KeySnapshot()) -> KeyJudge {
      KeyJudge(registry, snapshot, lastCounter: lastCounter, policy)
    }
    let cut = Int(input.byte())
    var events: [Event] = []
    while !input.isAtEnd, events.count < 60 {
      events.append(try event(&input, UInt64(events.count)))
    }
    events.sort { $0.order < $1.order }
    var whole = judge()
    let expected = events.map { said(&whole, $0) }
    checkNights(events, expected, judge)
    try checkSnapshot(events, expected, cut: cut % (events.count + 1), lastCounter == nil, judge)
    checkHashes(events, policy)
  }

  private func event(_ input: inout FuzzBytes, _ line: UInt64) throws -> Event {
    let time = Int64(input.byte()) * 4
    let isAttestation = input.once(in: 12)
    let counter = isAttestation ? 0 : UInt32(input.byte()) << UInt32(input.once(in: 9) ? 24 : 0)
    var flags: EventRow.Flags = isAttestation ? .valid : []
    let stored = isAttestation || input.once(in: 2) ? nil : UInt32(input.byte())
    if stored != nil { flags.insert(.serverCounter) }
    let row = RowBuilder(texts: texts)
    let hash = UInt8(input.below(4))
    EventRow.Fields(
      keyID: .sha256([UInt8(input.below(3))].span), section: .event, time: time, counter: counter,
      position: Position(source: 0, line: line), kind: isAttestation ? .attestation : .assertion,
      decision: [.unknown, .accepted, .rejected][input.below(3)], flags: flags,
      app: [0, 0, 1, EventRow.noApp][input.below(4)], codes: CodeSet()
    ).write(identity: .sha256([UInt8(input.below(3)), hash].span), hashLength: 32, row)
    if let stored { row.put(stored) }
    row.put([UInt8](repeating: hash, count: 32).span)
    try row.put(text: nil)
    let texts = [["a", "b"], ["r", "s"]].map { $0 + [nil] }.map { $0[input.below(3)] }
    row.put(RowTexts.presence { $0.rawValue < texts.count && texts[$0.rawValue] != nil })
    for case let text? in texts { try row.put(text: text) }
    let bytes = unsafe Array(row.row)
    return Event(
      row: bytes, holds: !input.once(in: 9), order: (time, counter, line), night: input.below(4))
  }

  private func opinion(_ judge: inout KeyJudge, _ event: Event) -> KeyOpinion {
    withRow(event.row) { bytes in
      let view = unsafe EventRow(bytes)
      return judge.judge(view, view.rest, holds: event.holds)
    }
  }

  private func said(_ judge: inout KeyJudge, _ event: Event) -> UInt64 {
    let opinion = opinion(&judge, event)
    return opinion.codes.union(opinion.tentativeCodes).bits
  }

  private func checkNights(
    _ events: [Event], _ expected: [UInt64], _ make: (KeySnapshot) -> KeyJudge
  ) {
    var standing = [UInt64](repeating: 0, count: events.count)
    for night in 0..<4 {
      var (before, now) = (make(KeySnapshot()), make(KeySnapshot()))
      for (index, event) in events.enumerated() where event.night <= night {
        let was = event.night < night ? said(&before, event) : 0
        let isNow = said(&now, event)
        standing[index] = (standing[index] | isNow & ~was) & ~(was & ~isNow)
      }
    }
    require(standing == expected, "nights differ from one run")
  }

  /// Checks that a snapshot is as good as the events before it, unless the next event is the same as the last one: that is
  /// judged as the last one was. `isPlain` is true if no list says what came before all events. A snapshot has taken such
  /// a list in.
  private func checkSnapshot(
    _ events: [Event], _ expected: [UInt64], cut: Int, _ isPlain: Bool,
    _ make: (KeySnapshot) -> KeyJudge
  ) throws {
    var first = make(KeySnapshot())
    for event in events[..<cut] { _ = said(&first, event) }
    let taken = first.snapshot()
    let snapshot = KeySnapshot(packed: taken.packed) ?? KeySnapshot()
    require(snapshot == taken, "another snapshot")
    guard isPlain, !isSame(events[..<cut].last, events[cut...].first) else { return }
    var second = make(snapshot)
    let rest = events[cut...].map { said(&second, $0) }
    require(rest == Array(expected[cut...]), "a snapshot after \(cut) events differs from them")
  }

  private func isSame(_ one: Event?, _ other: Event?) -> Bool {
    guard let one, let other else { return false }
    return withRow(one.row) { left in
      withRow(other.row) { right in
        let (left, right) = unsafe (EventRow(left), EventRow(right))
        let (one, other) = unsafe (Digest128(left.identity), Digest128(right.identity))
        return left.time == right.time && left.counter == right.counter && one == other
      }
    }
  }

  private func checkHashes(_ events: [Event], _ policy: DetectionPolicy) {
    var judge = KeyJudge(
      KeyJudge.Registry(isTrusted: true, app: 0), KeySnapshot(), lastCounter: nil, policy)
    let row = RowBuilder(texts: texts)
    let rows = events.map { event -> [UInt8] in
      let opinion = opinion(&judge, event)
      return withRow(event.row) { bytes in
        let view = unsafe EventRow(bytes)
        HashRow.write(view, view.rest, opinion, row)
        return unsafe Array(row.row)
      }
    }
    for hash in UInt8(0)..<4 {
      let group = rows.filter { $0[0] == hash }
      unsafe withRows(group) { rows in
        let all = unsafe rows.map { unsafe HashRow($0) }
        var events = all.filter { $0.flags.contains(.lookedAt) }.map { ReplayEvent($0) }
        var others = Array(events.reversed())
        HashJudge.judge(&events, policy)
        HashJudge.judge(&others, policy)
        require(
          events.map(\.note.finding) == others.map(\.note.finding), "the order of rows shows")
        for (index, event) in events.enumerated() {
          let earlier = events[..<index].contains { isUsedBefore($0, event, policy.replayScope) }
          require(
            (event.note.finding != nil) == earlier,
            "event \(index) of \(events.count) is used \(earlier ? "again" : "once")")
        }
      }
    }
  }

  /// Returns true if an event of the same hash counts as an earlier use of what another one uses.
  private func isUsedBefore(
    _ earlier: ReplayEvent, _ event: ReplayEvent, _ scope: ReplayScope
  ) -> Bool {
    guard earlier.kind == event.kind else { return false }
    let isSame = earlier.identity == event.identity
    let isOfKey = earlier.owner == event.owner
    switch scope {
    case .global: return true
    case .key: return isOfKey
    // Attestations always contain a challenge (`detection.R43`).
    case .exact: return event.kind == .attestation || isOfKey && isSame
    }
  }

  /// Calls `body` with the rows, all of which stay where they are meanwhile.
  private func withRows(
    _ rows: [[UInt8]], _ body: ([UnsafeRawBufferPointer]) -> Void
  ) {
    let all = Array(rows.joined())
    unsafe all.withUnsafeBytes { bytes in
      var at = 0
      let views = unsafe rows.map { row in
        defer { at += row.count }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[at..<(at + row.count)])
      }
      unsafe body(views)
    }
  }
}
