import AppAttest
import AuditLog
import Foundation
import RowShuffle
import TestSupport

@testable import AuditEngine
@testable import AuditState

/// A state in a folder of its own, and runs with it.
struct StateBench {
  static let day: Int64 = 86_400_000
  static let start: Int64 = 1_763_700_000_000

  let scratch = made { try Scratch() }
  var path: String { scratch.path + "/state" }

  /// Opens the state. `reports` is the folder of reports, as a name in the folder of the test.
  func open(
    _ mode: RunMemory.Mode = .advance, day: Int = 0, wait: Int64 = 0, reports: String? = nil
  ) throws -> StateDirectory {
    try StateDirectory.open(
      path: path, mode: mode, wait: wait, now: Self.start + Int64(day) * Self.day,
      reports: reports.map { "\(scratch.path)/\($0)" })
  }

  static func facts(_ day: Int, window: Int = 30, pending: Int = 3) -> TransactionFacts {
    TransactionFacts(
      id: "run-\(day)-\(UInt32.random(in: 0...UInt32.max))", day: "2026-11-\(10 + day)",
      startedAt: start + Int64(day) * Self.day, window: Int64(window) * Self.day,
      pendingFor: Int64(pending) * Self.day)
  }

  static func outcome(
    _ names: [String] = ["log"], _ inputs: [ReadInputs.Entry] = []
  ) -> TransactionOutcome {
    TransactionOutcome(
      sources: names, inputs: inputs, finishedAt: start, totals: CommittedTotals())
  }

  /// Runs a day and commits it.
  func night(
    _ day: Int, window: Int = 30, pending: Int = 3, names: [String] = ["log"],
    inputs: [ReadInputs.Entry] = [], explained: [ReadInputs.Explained] = [],
    _ body: (RunMemory) throws -> Void = { _ in }
  ) throws {
    let state = try open(day: day)
    let run = try state.beginRun(Self.facts(day, window: window, pending: pending))
    try body(run.history)
    var outcome = Self.outcome(names, inputs)
    outcome.explained = explained
    try run.prepare(outcome)
    try run.commit()
    run.finish()
  }

  /// The paths of all files in the state, in order.
  var files: [String] {
    get throws {
      try FileManager.default.subpathsOfDirectory(atPath: path).filter {
        guard !$0.hasPrefix("generations") else { return false }
        let facts = try FileManager.default.attributesOfItem(atPath: "\(path)/\($0)")
        return facts[.type] as? FileAttributeType != .typeDirectory
      }.sorted()
    }
  }

  /// Changes one bit of a file.
  func flip(_ name: String, at offset: Int) throws {
    guard let file = FileHandle(forUpdatingAtPath: "\(path)/\(name)") else {
      throw CocoaError(.fileNoSuchFile)
    }
    try file.seek(toOffset: UInt64(offset))
    let byte = try file.read(upToCount: 1)?.first ?? 0
    try file.seek(toOffset: UInt64(offset))
    try file.write(contentsOf: Data([byte ^ 0x10]))
    try file.close()
  }
}

/// Random things to remember.
struct RandomState {
  var generator = Generator(.random(in: 0...UInt64.max))

  mutating func bytes(_ count: Int) -> [UInt8] { generator.bytes(count) }

  mutating func digest() -> Digest256 { Digest256(bytes(32)) ?? Digest256() }

  mutating func position() -> Position {
    Position(
      source: .random(in: 0...UInt32.max, using: &generator),
      line: .random(in: 0...UInt64.max, using: &generator))
  }

  mutating func text() -> String {
    let texts = ["", "a", "ABCDE12345.com.example.bank", "zero\0byte", "käse 🧀", "' OR 1=1 --"]
    return texts[Int.random(in: 0..<texts.count, using: &generator)]
  }

  mutating func optional<Value>(_ value: Value) -> Value? {
    Bool.random(using: &generator) ? value : nil
  }

  mutating func number() -> Int64 {
    Bool.random(using: &generator)
      ? .random(in: Int64.min...Int64.max, using: &generator)
      : .random(in: -5...5, using: &generator)
  }

  mutating func key(_ keyID: Digest256) -> KeptKey {
    var key = KeptKey(keyID: keyID)
    key.firstValid = optional(position())
    key.firstAttestation = optional(position())
    key.publicKey = Bool.random(using: &generator) ? [4] + bytes(64) : []
    key.appID = text()
    key.environment = optional(.development)
    key.attestedAt = optional(number())
    key.firstValidAt = optional(number())
    key.osVersion = text()
    key.category = optional(ValidationCategory(rawValue: .random(in: 0...UInt32.max)))
    key.bundleVersion = text()
    key.receiptType = text()
    key.receiptCreated = optional(number())
    key.riskMetric = text()
    if Bool.random(using: &generator) {
      key.subjectText = text()
      key.snapshot.subject = KeySnapshot.Subject(
        identity: bytes(Int.random(in: 0...30)), position: optional(position()))
    }
    key.snapshot.counters.stored = (0..<Int.random(in: 0...2)).map { _ in
      KeptKey.High(time: number() % (1 << 52), counter: .random(in: 0...UInt32.max))
    }
    key.snapshot.counters.highs = (0..<Int.random(in: 0...4)).map { _ in
      KeptKey.High(
        time: number() % (1 << 52), counter: .random(in: 0...UInt32.max),
        position: optional(position()))
    }
    key.snapshot.counters.seen = ranges()
    return key
  }

  /// Returns ranges that ascend and are apart, now and then to the very ends.
  mutating func ranges() -> [ClosedRange<UInt32>] {
    var bounds = Set((0..<8).map { _ in UInt32.random(in: 0...UInt32.max, using: &generator) })
    if Bool.random(using: &generator) { bounds.formUnion([0, .max]) }
    let sorted = bounds.sorted()
    return stride(from: 0, to: sorted.count - 1, by: 2).map { sorted[$0]...sorted[$0 + 1] }
  }

  /// Returns a record whose group has this hash.
  mutating func record(_ hash: [UInt8], length: UInt8 = 32) -> [UInt8] {
    hash + [length] + bytes(KeptRecord.byteCount - 33)
  }

  /// Returns a record of a day, whose group has this hash.
  mutating func record(_ hash: [UInt8], day: Int) -> [UInt8] {
    let time = UInt64(bitPattern: StateBench.start + Int64(day) * StateBench.day)
    var bytes = record(hash)
    // The time stands at 36, big-endian (``KeptRecord``).
    for index in 0..<8 {
      bytes[36 + index] = UInt8(truncatingIfNeeded: time >> UInt64(56 - 8 * index))
    }
    return bytes
  }
}

extension RunMemory {
  /// Remembers one record.
  func put(_ record: [UInt8]) throws {
    try unsafe record.withUnsafeBytes { unsafe try hashes.remember($0) }
  }

  /// Remembers records in the order of their groups.
  func remember(records: [[UInt8]]) throws {
    for record in records.sorted(by: { $0.prefix(33).lexicographicallyPrecedes($1.prefix(33)) }) {
      try put(record)
    }
  }

  /// Returns the records that are remembered of a group.
  func records(of group: [UInt8]) throws -> [[UInt8]] {
    var found: [[UInt8]] = []
    try unsafe group.withUnsafeBytes { group in
      unsafe try hashes.forEach(group) { unsafe found.append(Array($0)) }
    }
    return found
  }

  func keep(rows: [[UInt8]]) throws {
    for row in rows { try unsafe row.withUnsafeBytes { unsafe try events.keep($0) } }
  }

  /// Returns the rows of all kept runs, a list each, from marks on where there are any.
  func keptRows(from marks: [KeptRowMark] = []) throws -> [[[UInt8]]] {
    try events.runs(from: marks).map { source in
      let merger = try RowMerger([source], keyLength: 8)
      var rows: [[UInt8]] = []
      while let row = unsafe try merger.next() { unsafe rows.append(Array(row)) }
      return rows
    }
  }
}

extension FindingMemory {
  /// Remembers a finding of which little is known.
  func remember(_ fingerprint: UInt64, _ code: FindingCode, keyID: Digest256?) throws(AuditError) {
    try remember(Finding(code, .high, keyID: keyID, fingerprint: fingerprint))
  }
}
