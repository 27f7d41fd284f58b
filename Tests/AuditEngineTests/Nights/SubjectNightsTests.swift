import AppAttest
import AuditLog
import TestSupport
import Testing

@testable import AuditEngine

/// The first subject of a key, where logs come late.
@Suite struct `Subjects over nights` {
  private let keys = StagedKey.all

  /// Returns the `index`th assertion of a key with a subject, `index + 1` minutes after the key's
  /// attestation.
  private func record(_ key: StagedKey, _ index: Int, _ subject: String?) -> StagedRecord {
    var copy = key.assertions[index].at(key.time + Int64(index + 1) * 60_000)
    copy.line = UInt64(index + 1)
    if let subject { copy.record[.subject] = copy.add(Array(subject.utf8)) }
    return copy
  }

  @Test func `once the record is kept no more, its subject stays the first`() throws {
    var nights = StagedNights(pendingDays: 1)
    let key = keys[0]
    _ = try nights.run([key.attestation, record(key, 1, "b")])
    _ = try nights.run([])
    _ = try nights.run([])
    let late = try nights.run([record(key, 0, "a")])
    #expect(late.codes == ["medium key.subject_changed 1"] && late.closed.isEmpty)
    #expect(late.keys.map(\.subject) == ["b"])
  }

  @Test func `an attestation's subject stays the first`() throws {
    func attested(_ key: StagedKey, _ subject: String) -> StagedRecord {
      var copy = key.attestation
      copy.record[.subject] = copy.add(Array(subject.utf8))
      return copy
    }
    var nights = StagedNights()
    let key = keys[0]
    _ = try nights.run([attested(key, "a")])
    let late = try nights.run([record(key, 0, "b")])
    #expect(late.codes == ["medium key.subject_changed 1"])
    // The attestation comes before all that was verified with it.
    var other = StagedNights()
    _ = try other.run([record(keys[1], 0, "b")])
    _ = try other.run([attested(keys[1], "a")])
    #expect(other.standing == ["key.subject_changed 1"])
  }

  @Test(arguments: 0..<12)
  func `shuffled between nights they come to what one run comes to`(_ seed: UInt64) throws {
    var random = Generator(seed)
    let long = String(repeating: "s", count: 3000)
    var records: [[StagedRecord]] = Array(repeating: [], count: 4)
    for key in keys {
      for index in 0..<8 {
        let subject = [nil, "a", "b", long, long + "!"][random.below(5)]
        var record = record(key, index, subject)
        record.line = UInt64(keys.firstIndex { $0.keyID == key.keyID } ?? 0) * 100 + record.line
        records[random.below(4)].append(record)
      }
      // An attestation may come late as well.
      records[random.below(2)].append(key.attestation)
    }
    // The lines of a night stand as they are numbered.
    for night in records.indices { records[night].sort { $0.line < $1.line } }
    var (one, nights) = (StagedNights(), StagedNights())
    _ = try one.run(records.flatMap(\.self))
    for night in records { _ = try nights.run(night) }
    func subjects(_ nights: StagedNights) -> [String] {
      nights.standing.filter { $0.hasPrefix("key.subject_changed") }
    }
    #expect(subjects(nights) == subjects(one))
  }
}
