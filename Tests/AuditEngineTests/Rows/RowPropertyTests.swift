import AppAttest
import AuditLog
import Files
import TestSupport
import Testing

@testable import AuditEngine

/// A coder that fills fields with random values.
struct RandomFields: RowCoder {
  var isReading: Bool { true }
  var random: Generator

  /// Returns a random row of values that are possible.
  static func row<Row: CodedRow>(_ type: Row.Type, _ seed: UInt64) throws -> Row {
    var fields = RandomFields(random: Generator(seed))
    for _ in 0..<200_000 {
      var row = Row()
      if (try? row.fields(&fields)) != nil { return row }
    }
    throw AuditError(.inconsistent, "no row of \(type) is possible")
  }

  func require(_ isPossible: Bool) throws(AuditError) {
    if !isPossible { throw AuditError(.inconsistent, "impossible") }
  }

  mutating func presence(_ isThere: inout Bool) { isThere = random.below(2) == 0 }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_ number: inout Number) {
    switch (Number.bitWidth, random.below(4)) {
    case (_, 0...1): number = Number(truncatingIfNeeded: random.below(2))
    // Lists have such a number of elements, and rows of bytes.
    case (9...32, _): number = Number(truncatingIfNeeded: random.below(40))
    case (_, 2): number = Number(truncatingIfNeeded: random.below(8))
    default: number = Number(truncatingIfNeeded: random.next())
    }
  }

  mutating func digest(_ digest: inout Digest256) {
    digest = Digest256(random.bytes(32)) ?? digest
  }

  mutating func bytes(_ bytes: inout [UInt8], count: Int) { bytes = random.bytes(count) }

  mutating func counted(_ bytes: inout [UInt8]) {
    // Zeros are empty lists, if the bytes are those of a part or of numbers.
    let zeros = [UInt8](repeating: 0, count: [0, 12, 24, 25, 32, 72][random.below(6)])
    bytes = random.below(2) == 0 ? zeros : random.bytes([16, 32, 65, 255][random.below(4)])
  }

  mutating func text(_ text: inout String) {
    text = sampleTexts[random.below(sampleTexts.count)]
  }
}

/// Every type of row, by its list of fields.
@Suite struct `All rows` {
  private static let types: [any (CodedRow & SendableMetatype).Type] = [
    FindingRow.self, KeyRow.self, KeyRow.Addition.self, RejectRow.self, VerdictRow.self,
    JudgedRequest.self, SimulatedRequest.Row.self, AttestedFacts.self, EventRow.Fields.self,
    HashRow.Key.self, HashRow.Fields.self, DeviceRow.Key.self, KeptRecord.self, KeptKey.self,
    KeptDevice.self, ImportedKey.self, CounterPast.self, KnownInput.self, ReadInputs.Entry.self,
    ReadInputs.Explained.self, FileStamp.self, KeptRowMark.self, FindingNote.self,
    BuildLedger.Content.self, LineDamage.self,
  ]

  @Test(arguments: types.indices, 0..<4)
  func `what is written is read again, and nothing shorter`(_ type: Int, _ seed: UInt64) throws {
    try check(Self.types[type], seed)
  }

  private func check<Row: CodedRow>(_ type: Row.Type, _ seed: UInt64) throws {
    let scratch = try Scratch()
    let texts = TextStore(folder: scratch.path)
    let builder = RowBuilder(texts: texts)
    let row = try RandomFields.row(type, seed)
    let packed = row.packed
    #expect(Row(packed: packed)?.packed == packed, "\(type)")
    try row.write(builder)
    let bytes = builder.bytes
    let again = try withRow(bytes) { unsafe try Row($0, texts) }
    #expect(again.packed == packed, "\(type)")
    for count in bytes.indices {
      let isRead = withRow(Array(bytes[..<count])) { unsafe (try? Row($0, texts)) != nil }
      #expect(!isRead, "\(type), \(count) of \(bytes.count)")
    }
    for count in 0..<min(packed.count, 2000) {
      #expect(Row(packed: Array(packed[..<count])) == nil, "\(type), \(count)")
    }
  }

  @Test(arguments: [0, 254, 255, 256, 1 << 40] as [UInt64])
  func `a count of any size is read again`(_ count: UInt64) throws {
    var row = KeyRow()
    row.assertions = count
    #expect(KeyRow(packed: row.packed)?.assertions == count)
  }

  @Test func `a row of another process has no code and no time that there is not`() {
    func isRead(_ number: Int64, _ read: (inout RowDecoder) throws(AuditError) -> Void) -> Bool {
      var number = number
      let bytes = BytesEncoder.bytes { (row) throws(AuditError) in row.number(&number) }
      return withRow(bytes) { bytes in
        var row = unsafe RowDecoder(bytes, nil, RowBounds())
        return (try? read(&row)) != nil
      }
    }
    func time(_ row: inout RowDecoder) throws(AuditError) {
      var time: Int64 = 0
      try row.time(&time)
    }
    func codes(_ row: inout RowDecoder) throws(AuditError) {
      var codes = CodeSet()
      try row.codes(&codes)
    }
    #expect(isRead(1 << 52, time) && isRead(-1 << 52, time))
    #expect(!isRead(1 << 52 + 1, time) && !isRead(-1 << 52 - 1, time))
    let count = FindingCode.allCases.count
    #expect(isRead(1 << count - 1, codes) && !isRead(1 << count, codes))
  }

  @Test(arguments: 0..<20)
  func `views find the fields where their list has them`(_ seed: UInt64) throws {
    let row = RowBuilder(texts: TextStore(folder: "/nowhere"))
    let event = try RandomFields.row(EventRow.Fields.self, seed)
    row.begin()
    row.put(event)
    withRow(row.bytes) { bytes in
      let view = unsafe EventRow(bytes)
      #expect(view.keyID == event.keyID && view.section == event.section)
      #expect(view.time == event.time && view.counter == event.counter)
      #expect(view.position == event.position && view.kind == event.kind)
      #expect(view.decision == event.decision && view.flags == event.flags)
      #expect(view.app == event.app && view.codes == event.codes)
      #expect(unsafe Digest128(view.identity) == event.identity)
      #expect(view.recordDigest == event.recordDigest)
    }
    var key = try RandomFields.row(HashRow.Key.self, seed)
    key.rowClass = .event
    let fields = try RandomFields.row(HashRow.Fields.self, seed)
    row.begin()
    row.put(key)
    row.put(fields)
    row.put(RowText.absentTag)
    row.put(UInt8(0))
    row.put([UInt8](repeating: 0, count: 255).span)
    withRow(row.bytes) { bytes in
      let view = unsafe HashRow(bytes)
      #expect(view.groupHash == key.hash && view.hashLength == key.hashLength)
      #expect(view.keyTime == key.time && view.position == key.position)
      #expect(view.kind == fields.kind && view.decision == fields.decision)
      #expect(view.flags == fields.flags && view.app == fields.app)
      #expect(view.counter == fields.counter && view.keyID == fields.keyID)
      #expect(view.codes == fields.codes && view.recordDigest == fields.recordDigest)
      #expect(unsafe Digest128(view.identity) == fields.identity)
      #expect(view.hasTentative == (fields.extras.tentative != nil))
    }
  }

  @Test func `times and positions sort as their bytes do (detection.R1)`() {
    var random = Generator(2)
    var times: [Int64] = [.min, .min + 1, -256, -1, 0, 1, 255, 256, 1 << 40, .max]
    times += (0..<100).map { _ in Int64(bitPattern: random.next() >> UInt64(random.below(64))) }
    let keys = times.sorted().map { time in
      var (time, position) = (time, Position(source: 0, lineItem: UInt64(bitPattern: time)))
      return BytesEncoder.bytes { (row) throws(AuditError) in
        try row.key(time: &time)
        try row.key(&position)
      }
    }
    #expect(keys == keys.sorted { $0.lexicographicallyPrecedes($1) })
  }
}
