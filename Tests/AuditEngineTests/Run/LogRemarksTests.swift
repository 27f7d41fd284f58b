import AppAttest
import AuditLog
import Basics
import TestSupport
import Testing

@testable import AuditEngine

/// Likely causes and blind spots that follow from counts (`reports.R75`, `R77` to `R87`).
struct LogRemarksTests {
  private static func remarks(
    apps: Int = 1, receipts: ReceiptPolicy = .verify, _ change: (inout AuditTotals) -> Void
  ) -> LogRemarks {
    var configuration = AuditConfiguration(
      inputs: [], apps: (0..<apps).map { AppPolicy(id: "A.\($0)") }, trustAnchors: [],
      receiptAnchors: [], limits: AuditLimits(memory: 1 << 30, jobs: 1, tempDirectory: "/tmp"))
    configuration.receipts = receipts
    var totals = AuditTotals()
    totals.assertions = 1000
    totals.issued = 10
    totals.attestations = 5
    totals.records.recordsRead = 1015
    totals.records.decided = 1000
    totals.records.rejected = 1
    totals.records.requestIDs = 1
    totals.records.subjects = 1
    totals.records.appIDs = 1
    totals.records.wholeSeconds = 1
    totals.signs.add(.category, at: Position(source: 0, line: 1))
    change(&totals)
    return LogRemarks(totals, configuration, names: ["a.jsonl", "b.jsonl"])
  }

  private static let spots: [(BlindSpot.Spot?, LogRemarks)] = [
    (nil, remarks { _ in }), (nil, remarks(apps: 2) { _ in }),
    (.noDecision, remarks { $0.records.decided = 0 }),
    (.noClientData, remarks { $0.records.hashesOnly = 1 }),
    (.noChallenges, remarks { $0.issued = 0 }),
    (.noRequestId, remarks { $0.records.requestIDs = 0 }),
    (.noSubject, remarks { $0.records.subjects = 0 }),
    (.noReceipts, remarks(receipts: .ignore) { _ in }),
    (.noRejections, remarks { $0.records.rejected = 0 }),
    (
      nil,
      remarks {
        $0.records.rejected = 0
        $0.records.decided = 999
      }
    ),
    (.wholeSeconds, remarks { $0.records.wholeSeconds = 1015 }),
    (.noAppId, remarks(apps: 2) { $0.records.appIDs = 0 }),
    (nil, remarks { $0.records.appIDs = 0 }), (.noCategory, remarks { $0.signs = LogSigns() }),
  ]

  @Test(arguments: spots.indices)
  func `a blind spot is listed if its field is nowhere`(_ index: Int) {
    let (spot, remarks) = Self.spots[index]
    #expect(remarks.blindSpots.map(\.spot) == [spot].compactMap(\.self))
    #expect(remarks.blindSpots.allSatisfy { !$0.evidence.isEmpty && !$0.action.isEmpty })
  }

  /// A schema and the spots of all logs that it reads.
  private static let schemas: [(String, [LogField], RecordKind, [BlindSpot.Spot])] = [
    ("whole", LogField.allCases, .challenge, []),
    (
      "bare", [.time, .keyId, .token, .clientDataHash], .assertion,
      [.noDecision, .noClientData, .noChallenges, .noRequestId, .noSubject, .noAppId]
    ),
    (
      "some", [.time, .keyId, .token, .payload, .decision, .subject], .assertion,
      [.noChallenges, .noRequestId, .noAppId]
    ),
  ]

  @Test(arguments: schemas.indices)
  func `a field that no rule of a schema maps is a blind spot of all its logs`(_ index: Int) {
    let (_, fields, kind, spots) = Self.schemas[index]
    let mapping = FieldMapping(.pointers([JSONPointer(["x"])]))
    let schema = LogSchema(
      name: "s",
      rules: [
        SchemaRule(
          name: "r", kind: .fixed(kind),
          fields: Dictionary(uniqueKeysWithValues: fields.map { ($0, mapping) }))
      ])
    let found = BlindSpot.all(schema, BlindSpot.Policy(apps: 2))
    #expect(found.map(\.spot) == spots && found.allSatisfy { $0.evidence.hasPrefix("The schema ") })
  }

  /// The rows of `Tests/Cases/likely-causes.txt`: signs, each with how often it is there in lines that follow each other, `=`
  /// its value, and `@` its input; and the cause that they show, with its signs.
  @Test(arguments: TextCase.read("likely-causes"))
  func `a likely cause is reported from its least number of signs on`(_ one: TextCase) {
    let found = Self.remarks { totals in
      for line in one.lines {
        let words = line.split(separator: " ")
        func number(_ mark: Character) -> UInt64? {
          words.first { $0.first == mark }.flatMap { UInt64($0.dropFirst()) }
        }
        let source = UInt32(number("@") ?? 0)
        if words[0] == "verified" {
          totals.signs.add(verified: number("=") ?? 0, of: source)
        } else if let sign = LogSign.allCases.first(where: { "\($0)" == words[0] }) {
          for index in 0..<(UInt64(words[1]) ?? 0) {
            let place = Position(source: source, line: 7 + index)
            totals.signs.add(sign, at: place, value: number("="))
          }
        }
      }
    }.likelyCauses
    #expect(found.map { "\($0.cause) \($0.count)" } == [one.message].filter { $0 != "none" })
    guard let first = found.first else { return }
    #expect(!first.codes.isEmpty && first.evidence.hasSuffix("."))
    #expect(first.source == "a.jsonl" && first.line == 7)
  }

  @Test func `signs add up to the same in any order, and in a row of a stream`() throws {
    var random = SplitMix64(state: 5)
    func draw() -> LogSigns {
      var signs = LogSigns()
      for _ in 0..<2000 {
        let source = UInt32.random(in: 0..<3, using: &random)
        signs.add(
          .endsEarly, at: Position(source: source, line: .random(in: 1..<99, using: &random)),
          value: .random(in: 0..<700, using: &random))
        signs.add(verified: .random(in: 0..<9000, using: &random), of: source)
      }
      return signs
    }
    let parts = (0..<4).map { _ in draw() }
    let sum = parts.reduce(into: LogSigns()) { $0 += $1 }
    #expect(parts.reversed().reduce(into: LogSigns()) { $0 += $1 } == sum)
    #expect(sum.inputs(.endsEarly).allSatisfy { $0.count.values.count == LogSigns.valueLimit })
    var streamed = AuditTotals()
    for part in parts {
      var totals = AuditTotals()
      totals.signs = part
      let row = Array(totals.bytes.dropFirst())
      try unsafe row.withUnsafeBytes { try unsafe streamed.add(row: $0) }
    }
    #expect(streamed.signs == sum && streamed.signs.has(.endsEarly) && !streamed.signs.has(.part))
  }

  @Test func `unknown keys without any registration have a likely cause`() {
    let unknown = Int(FindingCode.keyUnknown.rawValue)
    let causes = Self.remarks {
      $0.attestations = 0
      $0.findingsByCode[unknown] = 7
    }.likelyCauses
    #expect(causes.map(\.cause) == [.noRegistrations] && causes.first?.count == 7)
    #expect(Self.remarks { $0.findingsByCode[unknown] = 7 }.likelyCauses.isEmpty)
    let known = Self.remarks {
      $0.attestations = 0
      $0.findingsByCode[unknown] = 7
      $0.keys[Int(KeyStatus.known.rawValue)] = 1
    }
    #expect(known.likelyCauses.isEmpty)
  }
}
