import AppAttest
import Foundation
import Testing

@testable import AuditEngine

/// A linear congruential generator: the same numbers on every run.
struct Generator: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }

  mutating func below(_ limit: Int) -> Int { Int(next() >> 33) % limit }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 33) }
  }
}

/// A folder of its own for one test, removed with it.
final class Scratch {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "attest-engine-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path) }
  }
}

/// A digest that is told by a number, and sorts as it does.
func digest(_ number: UInt8) -> Digest256 {
  Digest256([number] + [UInt8](repeating: 0x5A, count: 31))!
}

extension RowBuilder {
  /// A copy of the row written so far.
  var bytes: [UInt8] { unsafe Array(row) }
}

/// Calls `body` with bytes as a row.
@safe func withRow<Result>(
  _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Result
) rethrows -> Result {
  try unsafe bytes.withUnsafeBytes { unsafe try body($0) }
}

/// A record as the decoder leaves it.
struct SampleEvent {
  var keyID = digest(1)
  var section = EventRow.Section.event
  var time: Int64 = 0
  var counter: UInt32 = 0
  var position = Position(source: 0, line: 1)
  var kind = RecordKind.assertion
  var decision = Decision.unknown
  var flags: EventRow.Flags = []
  var app: UInt16 = EventRow.noApp
  var codes = CodeSet()
  var clientDataHash = [UInt8](repeating: 7, count: 32)
  var identity = [UInt8](repeating: 9, count: 16)
  var appID: String?
  var subject: String?
  var requestID: String?
  /// r ‖ s ‖ digest, of an assertion.
  var signed: [UInt8]?
  /// The counter that the server had stored.
  var serverCounter: UInt32?
  /// Of an event of the section `device`.
  var device: String?

  /// Writes the row without what stands behind the texts.
  func write(_ row: RowBuilder) throws {
    var flags = flags
    if signed != nil { flags.insert(.signed) }
    if serverCounter != nil { flags.insert(.serverCounter) }
    let digest = try #require(Digest256(identity + [UInt8](repeating: 0xEE, count: 16)))
    EventRow.Fields(
      keyID: keyID, section: section, time: time, counter: counter, position: position,
      kind: kind, decision: decision, flags: flags, app: app, codes: codes
    ).write(identity: digest, hashLength: clientDataHash.count, row)
    if let signed { row.put(signed.span) }
    if let serverCounter { row.put(serverCounter) }
    row.put(clientDataHash.span)
    for text in [appID, subject, requestID] {
      if let text { try row.put(text: text) } else { try row.put(text: nil) }
    }
    if let device { try row.put(text: device) }
  }

  /// The row of the shuffle by clientDataHash.
  func hashRow(
    _ texts: TextStore, flags: HashRow.Flags = .lookedAt, codes: CodeSet = CodeSet(),
    tentative: HashRow.Tentative? = nil, serverMismatch: HashRow.ServerMismatch? = nil,
    firstAttestation: Position? = nil, was: KeyOpinion? = nil
  ) throws -> [UInt8] {
    let event = RowBuilder(texts: texts)
    try write(event)
    let row = RowBuilder(texts: texts)
    let view = unsafe EventRow(event.row)
    var opinion = KeyOpinion(codes: codes)
    opinion.flags = flags
    opinion.tentative = tentative
    opinion.serverMismatch = serverMismatch
    opinion.firstAttestation = firstAttestation
    HashRow.write(view, view.rest, opinion, was: was, row)
    return row.bytes
  }
}

/// Texts around the length beyond which they leave the row.
let sampleTexts = [
  "", "a", "é😀\u{0}", String(repeating: "x", count: TextStore.inlineBytes - 1),
  String(repeating: "x", count: TextStore.inlineBytes),
  String(repeating: "x", count: TextStore.inlineBytes + 1), String(repeating: "é", count: 300),
  String(repeating: "long ", count: 50_000),
]
