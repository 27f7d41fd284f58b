import AppAttest
import AuditEngine
import Basics
import Foundation
import TestSupport
import Testing

/// For each blind spot a pair of worlds, one of them with an attack: a whole log tells them apart, and a log
/// with the blind spot does not (`reports.R78` to `reports.R87`).
struct BlindSpotTests {
  private typealias Record = [String: Any]
  private typealias Change = (inout AuditConfiguration) -> Void

  /// Two worlds, and the loggers that record them.
  private struct Pair {
    let spot: BlindSpot.Spot
    /// The number of assertions that the log needs for the blind spot to be listed.
    var assertions = 60
    /// What happens in both worlds, and what only an attacker does.
    var both: (inout [Record]) -> Void = { _ in }
    let attack: (inout [Record]) -> Void
    /// Whether a finding shows the attack.
    let shows: (Finding) -> Bool
    /// The record as the poor logger writes it, or nil if it writes no line.
    var logged: (Record) -> Record? = { $0 }
    /// The settings for the whole log, and those for the poor one.
    var whole: Change = { _ in }
    var poor: Change = { _ in }
    /// Whether both worlds give the poor logger the same bytes, and not only the same result.
    var hasSameBytes = true

    /// Makes a pair whose poor logger leaves out a field.
    init(
      _ spot: BlindSpot.Spot, without field: String? = nil, _ shows: @escaping (Finding) -> Bool,
      attack: @escaping (inout [Record]) -> Void
    ) {
      self.spot = spot
      self.shows = shows
      self.attack = attack
      guard let field else { return }
      logged = { record in
        var record = record
        record[field] = nil
        return record
      }
    }

    func with(_ change: (inout Pair) -> Void) -> Pair {
      var pair = self
      change(&pair)
      return pair
    }
  }

  private static func has(_ code: FindingCode) -> (Finding) -> Bool { { $0.code == code } }

  /// Returns the place of the last assertion, which is not its key's first.
  private static func last(_ records: [Record]) -> Int {
    records.lastIndex { $0["kind"] as? String == "assertion" } ?? 0
  }

  private static func forge(_ records: inout [Record], _ decision: String) {
    records[last(records)]["payload"] = "another request of the attacker"
    records[last(records)]["clientDataHash"] = nil
    records[last(records)]["decision"] = decision
  }

  private static var pairs: [Pair] {
    [
      Pair(.noDecision, without: "decision", { $0.severity == .critical }) {
        forge(&$0, "accepted")
      }
      .with { $0.both = { forge(&$0, "rejected") } },
      Pair(.noClientData, has(.recordClientDataHashMismatch)) {
        $0[last($0)]["payload"] = "another request of the attacker"
      }.with {
        $0.logged = { record in
          var record = record
          if record["kind"] as? String == "assertion" { record["payload"] = nil }
          return record
        }
      },
      Pair(.noChallenges, has(.challengeNotIssued)) { records in
        records.remove(at: records.lastIndex { $0["kind"] as? String == "challenge" } ?? 0)
      }.with {
        $0.logged = { $0["kind"] as? String == "challenge" ? nil : $0 }
        $0.whole = { $0.detection.challengesRequired = true }
      },
      Pair(.noRequestId, without: "requestId", has(.replayAssertion)) {
        $0[last($0)]["requestId"] = "of the replay"
      }.with { $0.both = { $0.append($0[last($0)]) } },
      Pair(.noSubject, without: "subject", has(.keySubjectChanged)) {
        $0[last($0)]["subject"] = "another account"
      },
      Pair(.noReceipts, has(.attestationReceiptInvalid)) { records in
        let place = records.firstIndex { $0["kind"] as? String == "attestation" } ?? 0
        var token = Array(Data(base64Encoded: records[place]["token"] as? String ?? "") ?? Data())
        let name = Array("receipt".utf8)
        guard let found = token.firstRange(of: name) else { return }
        token[found.upperBound + 1500] ^= 1
        records[place]["token"] = Data(token).base64EncodedString()
      }.with {
        $0.poor = { $0.receipts = .ignore }
        $0.hasSameBytes = false
      },
      Pair(.noRejections, has(.assertionSignatureInvalid)) { records in
        records.append(records[last(records)])
        records[records.count - 1]["requestId"] = "of the attempt"
        forge(&records, "rejected")
      }.with {
        $0.assertions = 1000
        $0.logged = { $0["decision"] as? String == "rejected" ? nil : $0 }
      },
      Pair(.wholeSeconds, has(.counterRegression)) { records in
        let key = records[last(records)]["keyId"] as? String
        let two = records.indices.filter {
          records[$0]["keyId"] as? String == key && records[$0]["kind"] as? String == "assertion"
        }.suffix(2)
        guard let one = two.first, let other = two.last,
          let time = records[one]["time"] as? Int64
        else { return }
        (records[one]["time"], records[other]["time"]) = (time + 100, time)
      }.with {
        $0.assertions = 120
        // The last two requests of a key are in one second.
        $0.both = { records in
          let key = records[last(records)]["keyId"] as? String
          let two = records.indices.filter {
            records[$0]["keyId"] as? String == key && records[$0]["kind"] as? String == "assertion"
          }.suffix(2)
          guard let one = two.first, let other = two.last else { return }
          records[other]["time"] = (records[one]["time"] as? Int64 ?? 0) + 100
        }
        $0.logged = { record in
          var record = record
          record["time"] = (record["time"] as? Int64 ?? 0) / 1000 * 1000
          return record
        }
        $0.whole = { $0.detection.reorderTolerance = 0 }
        $0.poor = $0.whole
      },
      Pair(.noAppId, without: "appId", has(.assertionAppIDMismatch)) { records in
        let app = records[last(records)]["appId"] as? String
        records[last(records)]["appId"] = SyntheticDay.apps.map(\.id).first { $0 != app }
      },
      Pair(.noCategory, has(.assertionCategoryMismatch), attack: { _ in }).with {
        // Which of two stores a build is from is in no byte of these tokens.
        $0.logged = { hasCategory($0) ? nil : $0 }
        $0.whole = {
          for index in $0.apps.indices { $0.apps[index].categories = [.init(rawValue: 6)] }
        }
        $0.poor = $0.whole
      },
    ]
  }

  private static func hasCategory(_ record: Record) -> Bool {
    let token = Data(base64Encoded: record["token"] as? String ?? "") ?? Data()
    return token.range(of: Data("apple_validation_category".utf8)) != nil
  }

  /// A day of honest requests, each with every field, and before each the challenge that was issued.
  private static func day(_ assertions: Int) throws -> [Record] {
    let day = try SyntheticDay(keys: 6, assertions: assertions, seed: 11)
    let apps = SyntheticDay.apps.map {
      ($0.id, Data(Digest256.sha256(Array($0.id.utf8).span).bytes))
    }
    var number = 0
    let records = try day.lines.flatMap { line -> [Record] in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? Record
      var record = try #require(object)
      guard let text = record["token"] as? String else { return [] }
      let strict = text.replacing(" ", with: "+").replacing("-", with: "+").replacing(
        "_", with: "/")
      let token = try #require(
        Data(
          base64Encoded: strict.padding(
            toLength: (strict.count + 3) / 4 * 4, withPad: "=", startingAt: 0)))
      let data = (record["clientData"] as? String).flatMap { Data(base64Encoded: $0) }
      let payload = try #require(
        record["payload"] as? String ?? record["challenge"] as? String
          ?? data.map { String(decoding: $0, as: UTF8.self) })
      let isAttestation = token.range(of: Data("attStmt".utf8)) != nil
      let time = try #require(
        (record["time"] as? String).map { RFC3339.milliseconds(Array($0.utf8).span) }
          ?? record["time"] as? Int64)
      number += 1
      record = [
        "kind": isAttestation ? "attestation" : "assertion", "time": time / 1000 * 1000 + 7,
        "keyId": record["keyId"] ?? "", "token": token.base64EncodedString(),
        "decision": "accepted", "requestId": "r\(number)", "subject": "u\(record["keyId"] ?? "")",
        "appId": apps.first { token.range(of: $0.1) != nil }?.0 ?? "",
        isAttestation ? "challenge" : "payload": payload,
        "clientDataHash": Digest256.sha256(Array(payload.utf8).span).hex,
      ]
      return [["kind": "challenge", "time": time / 1000 * 1000 + 3, "challenge": payload], record]
    }
    return records
  }

  private static func bytes(_ records: [Record]) throws -> [UInt8] {
    try records.flatMap { record in
      Array(try JSONSerialization.data(withJSONObject: record, options: .sortedKeys)) + [0x0A]
    }
  }

  @Test(arguments: pairs.indices)
  func `an attack that a whole log shows leaves a log with the blind spot as it is`(
    _ index: Int
  ) throws {
    let pair = Self.pairs[index]
    let scratch = try Scratch()
    let audit = try SmallAudit(scratch, anchors: Repository.root + "/testdata/anchors")
    func findings(
      _ name: String, _ log: [UInt8], _ change: Change
    ) throws -> (found: [Finding], spots: [BlindSpot.Spot]) {
      let result = try audit.result([scratch.write(name, log)], change)
      var found: [Finding] = []
      try result.forEachFinding { found.append($0) }
      return (found, result.blindSpots.map(\.spot))
    }
    var honest = try Self.day(pair.assertions)
    pair.both(&honest)
    var attacked = honest
    pair.attack(&attacked)
    // With the field, the attack is found, and is not found where there is none.
    let seen = try findings("attacked", Self.bytes(attacked), pair.whole)
    #expect(seen.found.contains(where: pair.shows) && !seen.spots.contains(pair.spot))
    if pair.spot != .noCategory {
      #expect(
        try !findings("honest", Self.bytes(honest), pair.whole).found.contains(where: pair.shows))
    }
    // Without it, there is no difference.
    let (a, b) = try (
      Self.bytes(honest.compactMap(pair.logged)), Self.bytes(attacked.compactMap(pair.logged))
    )
    let (one, other) = try (findings("log", a, pair.poor), findings("log", b, pair.poor))
    #expect((a == b) == pair.hasSameBytes && one.found == other.found)
    #expect(one.spots.contains(pair.spot) && other.spots.contains(pair.spot))
    let never = Set(BlindSpot.possible.first { $0.spot == pair.spot }?.codes ?? [])
    #expect(never.isDisjoint(with: one.found.map(\.code)))
    #expect(BlindSpot.possible.first { $0.spot == pair.spot }?.hides.hasSuffix(".") == true)
  }

  @Test func `every blind spot has a pair`() {
    #expect(Set(Self.pairs.map(\.spot)) == Set(BlindSpot.Spot.allCases))
  }
}
