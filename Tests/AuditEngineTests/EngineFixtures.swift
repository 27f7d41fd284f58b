import AppAttest
import AuditLog
import Foundation
import TestSupport
import Testing

@testable import AuditEngine

/// A digest that is told by a number, and sorts as it does.
func digest(_ number: UInt8) -> Digest256 {
  Digest256([number] + [UInt8](repeating: 0x5A, count: 31))!
}

extension RowBuilder {
  /// A copy of the row written so far.
  var bytes: [UInt8] { unsafe Array(row) }
}

extension TextStore {
  /// Makes a store in files without names.
  convenience init() { self.init(folder: NSTemporaryDirectory()) }
}

extension Shuffles {
  /// The shuffles of a run with one worker and little memory.
  convenience init(folder: String = NSTemporaryDirectory(), remembers: Bool = false) {
    self.init(
      MemoryPlan(memory: MemoryPlan.minimum, jobs: 1, verdicts: false), workers: 1,
      folder: folder, wantsVerdicts: false, remembers: remembers)
  }
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
  var clientIP: String?
  var userAgent: String?
  var route: String?
  var recordDigest: UInt64 = 0
  /// Its client data contains U+FFFD.
  var isLossy = false
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
      kind: kind, decision: decision, flags: flags, app: app, codes: codes,
      recordDigest: recordDigest
    ).write(identity: digest, hashLength: clientDataHash.count, row)
    if let signed { row.put(signed.span) }
    if let serverCounter { row.put(serverCounter) }
    row.put(clientDataHash.span)
    if let appID { try row.put(text: appID) } else { try row.put(text: nil) }
    let texts = [subject, requestID, clientIP, userAgent, route]
    row.put(RowTexts.presence(token: isLossy) { texts[$0.rawValue] != nil })
    for case let text? in texts { try row.put(text: text) }
    if isLossy { TokenFacts.write(AuthenticatorExtensions(), isLossy: true, row) }
    if let device { try row.put(text: device) }
  }

  /// The row of the shuffle by clientDataHash.
  func hashRow(
    _ texts: TextStore, flags: HashRow.Flags = .lookedAt, codes: CodeSet = CodeSet(),
    tentative: HashRow.Tentative? = nil, was: KeyOpinion? = nil
  ) throws -> [UInt8] {
    let event = RowBuilder(texts: texts)
    try write(event)
    let row = RowBuilder(texts: texts)
    let view = unsafe EventRow(event.row)
    var opinion = KeyOpinion(codes: codes)
    opinion.flags = flags
    opinion.tentative = tentative
    HashRow.write(view, view.rest, opinion, was: was.map(HashRow.Was.init), row)
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
