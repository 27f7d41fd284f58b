import AppAttest
import AuditLog
import Files
import RowShuffle
import TestSupport
import Testing

@testable import AuditEngine

/// Rows as they are kept, and what is read from them.
@Suite struct `Kept rows` {
  private static let apps = ConfiguredApps([
    AppPolicy(id: "TEAM.one", environments: [.production]),
    AppPolicy(id: "TEAM.two", environments: [.production]),
  ])
  private let texts = TextStore()

  /// Returns the kept form of an event that waits.
  private func waiting(
    _ sample: SampleEvent, claimedOf device: String? = nil
  ) throws -> [UInt8] {
    let (event, kept) = (RowBuilder(texts: texts), RowBuilder(texts: texts))
    try sample.write(event)
    if let device {
      try event.put(text: device)
      event.put(Digest256.sha256(Array(device.utf8).span))
    }
    let view = unsafe EventRow(event.row)
    try KeptRow.write(waiting: view, view.rest, Self.apps, kept)
    return kept.bytes
  }

  private func judged(_ sample: SampleEvent) throws -> [UInt8] {
    let (event, kept) = (RowBuilder(texts: texts), RowBuilder(texts: texts))
    try sample.write(event)
    let view = unsafe EventRow(event.row)
    try KeptRow.write(judged: view, view.rest, holds: true, Self.apps, kept)
    return kept.bytes
  }

  /// Calls `body` with the row of the shuffle that a kept row turns into, where no text of the
  /// first run is at hand.
  private func taken(
    _ bytes: [UInt8], _ apps: ConfiguredApps = Self.apps,
    _ body: (EventRow, TextStore) throws -> Void
  ) throws {
    let texts = TextStore()
    let row = RowBuilder(texts: texts)
    try withRow(bytes) { unsafe try KeptRow($0).write(apps, row) }
    try withRow(row.bytes) { try body(unsafe EventRow($0), texts) }
  }

  private var sample: SampleEvent {
    SampleEvent(
      keyID: digest(7), time: 1_700_000_000_123, counter: 40,
      position: Position(source: 3, line: 9),
      decision: .accepted, app: 1, codes: CodeSet([.challengeWeak]),
      clientDataHash: [UInt8](repeating: 3, count: 40), requestID: "r-1",
      signed: [UInt8](repeating: 5, count: 96), serverCounter: 39)
  }

  @Test func `an event that waits comes back as it was, its app by name`() throws {
    let swapped = ConfiguredApps(Self.apps.apps.reversed())
    var sample = sample
    sample.subject = "somebody"
    try taken(waiting(sample), swapped) { event, texts in
      let rest = event.rest
      #expect(event.keyID == digest(7) && event.time == sample.time && event.counter == 40)
      #expect(event.position == sample.position && event.section == .event)
      #expect(event.decision == .accepted && event.codes == sample.codes)
      #expect(event.flags == [.waiting, .remembered, .signed, .serverCounter])
      #expect(event.app == 0 && rest.appID.isAbsent)
      #expect(unsafe Array(event.signed) == sample.signed)
      #expect(unsafe Array(event.identity) == sample.identity)
      #expect(unsafe Array(rest.clientDataHash) == sample.clientDataHash)
      #expect(rest.serverCounter == 39)
      let text1 = try rest.subject.string(texts)
      #expect(text1 == "somebody")
      let text2 = try rest.requestID.string(texts)
      #expect(text2 == "r-1")
    }
  }

  @Test(arguments: sampleTexts.indices)
  func `texts of any length are told apart as before`(_ index: Int) throws {
    let text = sampleTexts[index]
    var sample = sample
    (sample.subject, sample.requestID) = (text, text)
    (sample.app, sample.appID) = (EventRow.noApp, text)
    let bytes = try waiting(sample)
    #expect(bytes.count < RowRun.maximumRowBytes)
    try taken(bytes) { event, texts in
      let rest = event.rest
      for kept in [rest.appID, rest.subject, rest.requestID] {
        #expect(kept.identity == RowText.identity(of: Array(text.utf8)))
        let read = try kept.string(texts)
        #expect(text.utf8.count <= RowText.longestCut ? read == text : text.hasPrefix(read))
        #expect(read.utf8.count > min(text.utf8.count, RowText.longestCut) - 4)
      }
    }
  }

  @Test func `a long text is cut between characters`() throws {
    for shift in 0..<4 {
      var sample = sample
      let text = String(repeating: "a", count: RowText.longestCut - shift) + "😀 and more"
      sample.requestID = text
      try taken(waiting(sample)) { event, texts in
        let read = try event.rest.requestID.string(texts)
        #expect(!read.contains("\u{FFFD}") && text.hasPrefix(read))
      }
    }
  }

  @Test func `what waits for a device says which`() throws {
    let long = String(repeating: "device", count: 900)
    for name in ["", "D", long] {
      var sample = sample
      (sample.section, sample.device) = (.device, name)
      try withRow(waiting(sample)) { bytes in
        #expect(unsafe EventRow(bytes).namesDeviceOnly)
        let device = unsafe try #require(try KeptRow(bytes).device)
        #expect(device.digest == digest(7))
        let beginning = unsafe try #require(device.text.inline)
        #expect(unsafe name.utf8.starts(with: beginning))
      }
      sample = self.sample
      sample.flags = .claimed
      try withRow(waiting(sample, claimedOf: name)) { bytes in
        #expect(unsafe EventRow(bytes).namesDeviceOnly)
        let device = unsafe try #require(try KeptRow(bytes).device)
        #expect(device.digest == Digest256.sha256(Array(name.utf8).span))
      }
    }
    try withRow(waiting(sample)) { #expect(unsafe !EventRow($0).namesDeviceOnly) }
  }

  @Test func `a snapshot comes back as it was`() throws {
    var snapshot = KeySnapshot()
    #expect(KeySnapshot(packed: snapshot.packed) == snapshot)
    snapshot.counters.highs = (0..<700).map { (number: Int) -> KeptKey.High in
      let position = Position(source: 1, line: UInt64(number))
      return KeptKey.High(
        time: Int64(number) - 350, counter: UInt32(number),
        position: number % 3 == 0 ? nil : position)
    }
    snapshot.counters.stored = [.init(time: KeptKey.High.beforeAll, counter: .max)]
    snapshot.counters.seen = [0...0, 5...UInt32.max]
    #expect(KeySnapshot(packed: snapshot.packed) == snapshot)
    for position in [nil, Position(source: 4, line: .max)] {
      snapshot.subject = .init(
        identity: RowText.identity(of: Array("somebody".utf8)), position: position)
      #expect(KeySnapshot(packed: snapshot.packed) == snapshot)
    }
    let bytes = snapshot.packed
    for count in bytes.indices { #expect(KeySnapshot(packed: Array(bytes[..<count])) == nil) }
    let row = RowBuilder(texts: texts)
    KeptRow.write(snapshot: bytes[..<100], 2, of: digest(3), run: 8, row)
    let part = withRow(row.bytes) { row in unsafe KeptRow.snapshot(row).map { unsafe Array($0) } }
    #expect(part == Array(bytes[..<100]))
  }

  // MARK: Damage

  private func rows() throws -> [[UInt8]] {
    var device = sample
    (device.section, device.device, device.subject) = (.device, "D", sampleTexts.last)
    var claimed = sample
    claimed.flags = .claimed
    var attestation = sample
    (attestation.kind, attestation.flags, attestation.signed) = (.attestation, .valid, nil)
    return try [
      waiting(sample), waiting(device), waiting(claimed, claimedOf: "E"), judged(sample),
      judged(attestation),
    ]
  }

  /// Reads whatever a row may be taken for, and returns true if nothing is wrong with it.
  private func read(_ bytes: [UInt8]) throws -> Bool {
    let row = RowBuilder(texts: texts)
    return try withRow(bytes) { bytes in
      _ = unsafe KeptRow.snapshot(bytes)
      do throws(AuditError) {
        let kept = unsafe try KeptRow(bytes)
        kept.write(Self.apps, row)
      } catch {
        #expect(error.code == .inconsistent)
        return false
      }
      let event = unsafe EventRow(row.row)
      let rest = event.rest
      for text in [rest.appID, rest.subject, rest.requestID] {
        _ = try text.bytes(texts, most: 10)
      }
      return true
    }
  }

  @Test func `a row that is cut anywhere, or goes on, is refused`() throws {
    for bytes in try rows() {
      #expect(try read(bytes))
      for count in bytes.indices { #expect(try !read(Array(bytes[..<count]))) }
      #expect(try !read(bytes + [0, 0]))
    }
  }

  @Test func `no byte that is another one traps`() throws {
    for bytes in try rows() {
      for index in bytes.indices {
        for value in [0, 1, 0x7F, 0xFC, 0xFD, 0xFE, 0xFF, bytes[index] ^ 0x20] as [UInt8] {
          var copy = bytes
          copy[index] = value
          _ = try read(copy)
        }
      }
    }
  }

  @Test func `rows of the shuffle, attestations and times that cannot be are refused`() throws {
    let row = RowBuilder(texts: texts)
    try sample.write(row)
    #expect(try !read(row.bytes))
    var wrong = sample
    wrong.kind = .attestation
    #expect(try !read(waiting(wrong)))
    for time in [Int64.min, .max, 1 << 53] {
      wrong = sample
      wrong.time = time
      #expect(try !read(waiting(wrong)))
    }
    for flags in [EventRow.Flags.remembered, .marks, .malformed] {
      wrong = sample
      wrong.flags = flags
      #expect(try !read(waiting(wrong)))
    }
  }
}
