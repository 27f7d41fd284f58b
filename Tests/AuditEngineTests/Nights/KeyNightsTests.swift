import AppAttest
import Foundation
import TestSupport
import Testing

@testable import AuditEngine

/// Keys, devices, counters and subjects over nights (`detection.R22` to `R25`).
@Suite struct `Keys over nights` {
  /// The rows of `Tests/Cases/key-nights.txt`: the words of each night, and what it finds. A hint is the number of days for
  /// which rows are kept.
  @Test(arguments: TextCase.read("key-nights"))
  func `nights find what their rows say`(_ one: TextCase) throws {
    var nights = KeyNights(pendingDays: one.hint.flatMap { Int($0) })
    let played = try one.lines.map { line in
      let night = line.prefix(upTo: line.firstRange(of: "=>")?.lowerBound ?? line.endIndex)
      return try "\(night)=> \(nights.play(night))"
    }
    #expect(played == one.lines.map(String.init), "\(one)")
  }

  @Test func `identifiers are told apart to their last byte, and may be empty`() throws {
    let long = String(repeating: "d", count: 5000)
    let names = ["", " ", "d", "D", "e\u{301}", "é", long, long + "d", "=cmd|x"]
    var nights = KeyNights()
    let findings = try nights.run("", names.map { try KeyNights.line("b1=", ["deviceId": $0]) })
      .findings.filter { $0.code == .keyUnknown }
    #expect(findings.map(\.position.line) == names.indices.map { UInt64($0) + 1 })
    #expect(Set(findings.map(\.fingerprint)).count == names.count)
    #expect(findings.allSatisfy { $0.detail.utf8.count < 300 })
    #expect(
      findings[3].detail == "No attestation names the device \"D\" of the field deviceId "
        + "(/deviceId); its assertions cannot be verified.")
  }

  @Test func `a key that is called as a device's digest is another one`() throws {
    var nights = KeyNights()
    let digest = Digest256.sha256(Array("D".utf8).span).hex
    let found = try nights.play(
      "b1@1=D", [KeyNights.line("b1@2", ["keyId": digest]), KeyNights.line("b2@3=D")])
    #expect(
      found == "high key.unknown ? 0:1 x2, high key.unknown ? 0:2, "
        + "high replay.cross_key ? 0:2 (0:1), ? unknown 0/1")
  }

  @Test func `failed attestations without number leave little, valid ones everything`() throws {
    var nights = KeyNights()
    let failed = (0..<200).map { index in (index % 2 == 0 ? "a!=D@" : "b!=D@") + "0.\(1000 + index)"
    }
    _ = try nights.run((failed + ["a=D", "b=D"]).joined(separator: " "))
    let left = try #require(nights.history.state.devices.values.first)
    #expect(left.count < 25)
    #expect(Set(left.filter(\.isValid).map(\.keyID)) == Set(KeyNights.keyIDs[..<2]))
    #expect(left.contains { !$0.isValid && $0.time == KeyNights.start + 431_640 })
  }

  @Test func `what cannot have been remembered is an error`() throws {
    var good = KeptKey(keyID: KeyNights.keyIDs[0])
    good.firstValid = Position(source: 0, line: 1)
    good.publicKey = [UInt8](repeating: 4, count: 65)
    var short = good
    short.publicKey = [4]
    var empty = good
    empty.publicKey = []
    for remembered in [good, short, empty, KeptKey(keyID: KeyNights.keyIDs[1])] {
      #expect(throws: AuditError.self) {
        var nights = KeyNights()
        _ = try nights.run("a1@1") { $0.keys = OneKey(key: remembered) }
      }
    }
  }

  // On the nights of the seed 6 a device has another key than all of its attestations together give it
  // (records.R77).
  @Test(arguments: (0..<60).filter { $0 != 6 } as [UInt64])
  func `random nights find what one run over all of them finds, whatever comes late`(
    _ seed: UInt64
  ) throws {
    var random = Generator(seed + 900)
    let (hasDevices, isInOrder) = (seed % 2 == 0, seed % 4 == 1)
    let span = [100_000, 3_600_000, 90_000_000][random.below(3)]
    var records: [(time: Int, word: String)] = []
    func add(_ word: String, _ time: Int, _ random: inout Generator) {
      let device = hasDevices ? "=D\(random.below(2))" : ""
      records.append((time, word + device + "@\(Double(time) / 3_600_000)"))
    }
    for key in "abc" {
      if isInOrder { add("\(key)", 0, &random) }
      for _ in 0..<random.below(4) {
        let flaws = ["", "", "", "!"][random.below(4)] + ["", "", "", "~"][random.below(4)]
        add("\(key)\(flaws)", random.below(span), &random)
      }
      for _ in 0..<12 {
        let counter = ["", "", "#\(random.below(6))"][random.below(3)]
        let subject = ["", "", "/a", "/b", "/s*3000"][random.below(5)]
        let word =
          "\(key)\(1 + random.below(8))" + ["", "", isInOrder ? "" : "~"][random.below(3)] + counter
          + subject
        let time = random.below(span)
        add(word, time, &random)
        if random.below(4) == 0 { add(word, time + random.below(900), &random) }
      }
    }
    records.shuffle(using: &random)
    if isInOrder { records.sort { $0.time < $1.time } }
    var nights = KeyNights(pendingDays: isInOrder ? 2 : nil)
    var rows: [String] = []
    for night in 0..<5 {
      let share = records.indices.filter { $0 * 5 / records.count == night }
      rows.append(share.map { records[$0].word }.joined(separator: " "))
      #expect(try nights.run(rows[night]).verdicts.count == share.count)
    }
    let together = try nights.together().findings
    let found = Set(together.map(\.fingerprint))
    #expect(
      found == Set(nights.open.keys),
      """
      only nights \(nights.open.values.filter { !found.contains($0.fingerprint) }.map(KeyNights.text))
      only one \(together.filter { nights.open[$0.fingerprint] == nil }.map(KeyNights.text))
      \(rows.joined(separator: "\n"))
      """)
    guard isInOrder else { return }
    // In the order of nights nothing that was found changes.
    #expect(
      nights.open.values.map(KeyNights.text).sorted() == together.map(KeyNights.text).sorted())
  }
}

/// A memory of one key that no run can have left.
private struct OneKey: KeyMemory {
  let key: KeptKey
  func key(_ keyID: Digest256) throws(AuditError) -> KeptKey? { key }
  func remember(_ key: KeptKey, isNew: Bool) throws(AuditError) {}
  func publicKey(_ keyID: Digest256) throws(AuditError) -> [UInt8]? { nil }
  func keys(ofDevice device: Digest256) throws(AuditError) -> [KeptDevice] { [] }
  func remember(_ device: KeptDevice) throws(AuditError) {}
}
