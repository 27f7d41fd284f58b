import AppAttest
import AuditLog
import Foundation
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Rows of events and challenges` {
  private let scratch: Scratch
  private let texts: TextStore
  private let row: RowBuilder

  init() throws {
    scratch = try Scratch()
    texts = TextStore(folder: scratch.path)
    row = RowBuilder(texts: texts)
  }

  @Test(arguments: [false, true])
  func `what Apple's system signed comes back, longer values cut`(isLossy: Bool) throws {
    // verification.R39, R42; reports.R36.
    let hashes: [[UInt8]?] = [
      nil, [], [7], [UInt8](repeating: 3, count: 20), Array(0..<32), Array(0..<90),
    ]
    for category in [nil, 0, 6, UInt32.max] {
      for version in [nil, "", "7.1", "é😀", String(repeating: "7.", count: 90)] {
        for hash in hashes {
          var extensions = AuthenticatorExtensions()
          if let category { extensions.category = .value(ValidationCategory(rawValue: category)) }
          if let version { extensions.bundleVersion = .value(version) }
          if let hash { extensions.codeHash = .value(CodeHash(hash.span)) }
          row.begin()
          row.put(RowTexts.presence(token: true) { $0 == .subject })
          try row.put(text: "subject")
          TokenFacts.write(extensions, isLossy: isLossy, row)
          withRow(row.bytes) { bytes in
            var cursor = unsafe RowCursor(bytes)
            let facts = cursor.texts().token
            #expect(facts.isLossy == isLossy && facts.category?.rawValue == category)
            #expect(facts.bundleVersion == String((version ?? "").prefix(TokenFacts.versionLimit)))
            #expect(facts.codeHash == Array((hash ?? []).prefix(TokenFacts.hashLimit)))
          }
        }
      }
    }
  }

  @Test func `token facts of any bytes are read to their end`() throws {
    for count in 0..<12 {
      for first in UInt8.min...UInt8.max {
        row.begin()
        row.put(UInt16(count))
        row.put([UInt8](repeating: first, count: count).span)
        withRow(row.bytes) { bytes in
          var cursor = unsafe RowCursor(bytes)
          _ = TokenFacts(cursor.text())
        }
      }
    }
  }

  @Test func `events come back with what stands behind them`() throws {
    for (index, text) in sampleTexts.enumerated() {
      var sample = SampleEvent(
        keyID: digest(3), section: .registry, time: -5, counter: .max,
        position: Position(source: 2, line: .max), kind: .attestation, decision: .accepted,
        flags: [.valid, .malformed], app: 7,
        codes: CodeSet([.attestationReceiptInvalid, .streamUnreadable]),
        clientDataHash: [UInt8](repeating: 4, count: [0, 16, 32, 255][index % 4]),
        identity: (1...16).map { UInt8($0) }, appID: text, subject: nil, requestID: text,
        userAgent: text, route: "/notes", recordDigest: .max)
      try sample.write(row)
      let facts = AttestedFacts(
        publicKey: [UInt8](repeating: 4, count: 65),
        environment: index % 2 == 0 ? .production : nil,
        facts: KeyFacts(
          osVersion: text, category: index % 2 == 0 ? ValidationCategory(rawValue: 4) : nil,
          bundleVersion: text, receiptType: text, receiptCreated: index % 2 == 0 ? .min : nil,
          riskMetric: text))
      try facts.append(to: row)
      try withRow(row.bytes) { bytes in
        let event = unsafe EventRow(bytes)
        #expect(event.keyID == sample.keyID && event.section == .registry && event.time == -5)
        #expect(event.knownKeyID == sample.keyID && event.rest.serverCounter == nil)
        #expect(event.counter == .max && event.position == sample.position)
        #expect(event.kind == .attestation && event.decision == .accepted && event.app == 7)
        #expect(event.flags == sample.flags && event.codes == sample.codes)
        let rest = event.rest
        #expect(unsafe Array(rest.clientDataHash) == sample.clientDataHash)
        #expect(unsafe Array(event.identity) == sample.identity)
        #expect(try rest.appID.string(texts) == text)
        #expect(rest.subject.isAbsent && !rest.requestID.isAbsent)
        #expect(rest.texts[.clientIP].isAbsent && event.recordDigest == .max)
        #expect(try rest.texts[.userAgent].string(texts) == text)
        #expect(try rest.texts[.route].string(texts) == "/notes")
        let read = try event.facts(texts)
        #expect(read == facts)
      }
      sample.kind = .assertion
      sample.serverCounter = index % 2 == 0 ? UInt32.max : nil
      sample.section = .device
      sample.device = text
      let signed = (0..<96).map { UInt8($0) }
      sample.signed = signed
      try sample.write(row)
      try withRow(row.bytes) { bytes in
        let event = unsafe EventRow(bytes)
        #expect(event.flags.subtracting(.serverCounter) == [.valid, .malformed, .signed])
        #expect(event.flags.contains(.serverCounter) == (index % 2 == 0))
        #expect(event.rest.serverCounter == sample.serverCounter)
        #expect(event.section == .device && event.knownKeyID == nil)
        #expect(try event.device(texts) == text)
        #expect(unsafe Array(event.signed) == signed)
        #expect(unsafe Array(event.rest.clientDataHash) == sample.clientDataHash)
        let requestID = try event.rest.requestID.string(texts)
        #expect(requestID == text)
      }
    }
  }

  @Test func `a copy of an event has another key and more flags, and is the same else`() throws {
    for text in sampleTexts {
      var sample = SampleEvent(keyID: Digest256(), time: 4, counter: 9, requestID: text)
      sample.signed = (0..<96).map { UInt8($0) }
      sample.serverCounter = 3
      try sample.write(row)
      let event = row.bytes
      let copy = RowBuilder(texts: texts)
      withRow(event) { bytes in
        unsafe EventRow.write(copyOf: bytes, keyID: digest(8), adding: .claimed, copy)
      }
      sample.keyID = digest(8)
      sample.flags = .claimed
      try sample.write(row)
      // Texts beyond a row are stored again each time.
      let isInline = text.utf8.count <= TextStore.inlineBytes
      if isInline { #expect(copy.bytes == row.bytes) }
      withRow(event) { bytes in
        unsafe EventRow.write(copyOf: bytes, keyID: digest(9), section: .device, copy)
      }
      try copy.put(text: text)
      sample = SampleEvent(
        keyID: digest(9), section: .device, time: 4, counter: 9, requestID: text,
        signed: sample.signed, serverCounter: 3, device: text)
      try sample.write(row)
      if isInline { #expect(copy.bytes == row.bytes) }
      try withRow(copy.bytes) { bytes in
        let read = unsafe try EventRow(bytes).device(texts)
        #expect(read == text)
      }
    }
  }

  @Test func `events of a key sort by section, time, counter, source and line`() throws {
    var keys: [[UInt8]] = []
    func add(_ change: (inout SampleEvent) -> Void) throws {
      var sample = SampleEvent()
      change(&sample)
      try sample.write(row)
      keys.append(Array(row.bytes.prefix(EventRow.keyLength)))
    }
    try add {
      $0.section = .registry
      $0.time = .max
    }
    try add {
      $0.time = -1
      $0.counter = 9
    }
    try add {
      $0.time = 0
      $0.counter = 1
      $0.position.source = 9
    }
    try add {
      $0.time = 0
      $0.counter = 256
    }
    try add {
      $0.time = 0
      $0.counter = 256
      $0.position.line = 256
    }
    try add {
      $0.time = 0
      $0.counter = 256
      $0.position.source = 1
    }
    try add {
      $0.time = 1
      $0.counter = 0
    }
    try add {
      $0.section = .device
      $0.time = -9
    }
    try add {
      $0.keyID = digest(2)
      $0.section = .registry
    }
    #expect(keys == keys.sorted { $0.lexicographicallyPrecedes($1) })
  }

  @Test func `events on their way to the replay audit come back`() throws {
    let first = Position(source: 3, line: 4)
    for length in [0, 16, 31, 32, 33, 255] {
      for text in sampleTexts {
        var sample = SampleEvent()
        sample.time = -77
        sample.decision = .rejected
        sample.counter = 12
        sample.clientDataHash = [UInt8](repeating: 5, count: length)
        sample.requestID = text
        sample.appID = text
        sample.app = 3
        let tentative = HashRow.Tentative(
          code: .counterRepeated, expected: .max,
          related: EventPlace(position: first, time: -5))
        let mismatch = HashRow.ServerMismatch(expected: 5, stored: .max)
        let bytes = try sample.hashRow(
          texts, flags: [.lookedAt, .mayBeReattested], codes: CodeSet([.keyUnknown]),
          tentative: tentative, serverMismatch: mismatch, firstAttestation: first)
        try withRow(bytes) { bytes in
          let row = unsafe HashRow(bytes)
          #expect(row.rowClass == .event && row.keyTime == -77 && row.time == -77)
          #expect(row.position == sample.position && row.kind == .assertion)
          #expect(row.decision == .rejected && row.counter == 12 && row.keyID == sample.keyID)
          #expect(row.flags == [.lookedAt, .mayBeReattested])
          #expect(row.codes == CodeSet([.keyUnknown]) && row.app == 3 && row.hasTentative)
          #expect(unsafe Array(row.identity) == sample.identity)
          let rest = row.rest
          #expect(unsafe Array(rest.clientDataHash) == sample.clientDataHash)
          #expect(rest.tentative?.code == .counterRepeated && rest.tentative?.expected == .max)
          #expect(
            rest.tentative?.related == tentative.related && rest.firstAttestation?.position == first
          )
          #expect(row.hasServerMismatch && rest.serverMismatch == mismatch)
          #expect(row.knownKeyID == sample.keyID)
          let strings = [try rest.appID.string(texts), try rest.requestID.string(texts)]
          #expect(strings == [text, text])
        }
        let plain = try sample.hashRow(texts, flags: .ofDevice)
        withRow(plain) { bytes in
          let row = unsafe HashRow(bytes)
          #expect(!row.hasTentative && !row.hasServerMismatch && row.knownKeyID == nil)
          #expect(row.rest.tentative == nil && row.rest.firstAttestation == nil)
          #expect(row.rest.serverMismatch == nil)
        }
        let mismatched = try sample.hashRow(texts, serverMismatch: mismatch)
        withRow(mismatched) { bytes in
          let row = unsafe HashRow(bytes)
          #expect(!row.hasTentative && row.rest.serverMismatch == mismatch)
          #expect(unsafe Array(row.rest.clientDataHash) == sample.clientDataHash)
        }
      }
    }
  }

  @Test func `equal hashes are one group, and challenges stand in front of those who may use them`()
    throws
  {
    func group(_ hash: [UInt8]) throws -> [UInt8] {
      var sample = SampleEvent()
      sample.clientDataHash = hash
      return Array(try sample.hashRow(texts).prefix(HashRow.groupLength))
    }
    let hashes: [[UInt8]] = [
      [UInt8](repeating: 1, count: 16), [UInt8](repeating: 1, count: 17),
      [UInt8](repeating: 1, count: 32), [UInt8](repeating: 1, count: 255), [],
      Digest256.sha256([UInt8](repeating: 1, count: 16).span).bytes,
    ]
    #expect(try Set(hashes.map(group)).count == hashes.count)
    for hash in hashes {
      HashRow.write(
        challenge: hash.span, time: 1030, tolerance: 30, position: Position(source: 9, line: 9), row
      )
      let challenge = row.bytes
      #expect(try Array(challenge.prefix(HashRow.groupLength)) == group(hash))
      withRow(challenge) { bytes in
        let row = unsafe HashRow(bytes)
        #expect(row.rowClass == .challenge && row.keyTime == 1000)
        #expect(row.position == Position(source: 9, line: 9))
      }
      for (time, isBehind) in [(999, false), (1000, true), (1001, true)] as [(Int64, Bool)] {
        var sample = SampleEvent()
        sample.clientDataHash = hash
        sample.time = time
        let event = try sample.hashRow(texts)
        #expect(
          challenge.prefix(HashRow.keyLength).lexicographicallyPrecedes(
            event.prefix(HashRow.keyLength)) == isBehind)
      }
    }
  }
}
