import AppAttest
import AuditLog
import Basics
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

  /// Signs, and the cause that they show.
  private static var causes: [(LikelyCause.Cause?, UInt64, (inout LogSigns) -> Void)] {
    func add(
      _ sign: LogSign, _ count: Int, source: UInt32 = 0, line: UInt64 = 7, value: UInt64? = nil
    ) -> (inout LogSigns) -> Void {
      { signs in
        for index in 0..<count {
          signs.add(sign, at: Position(source: source, line: line + UInt64(index)), value: value)
        }
      }
    }
    func both(_ changes: ((inout LogSigns) -> Void)...) -> (inout LogSigns) -> Void {
      { signs in for change in changes { change(&signs) } }
    }
    func verified(_ length: UInt64, source: UInt32 = 0) -> (inout LogSigns) -> Void {
      { $0.add(verified: length, of: source) }
    }
    return [
      // reports.R67.
      (.cutLines, 3, add(.endsEarly, 3, value: 16384)), (nil, 0, add(.endsEarly, 2, value: 9)),
      (.cutLines, 10, both(add(.endsEarly, 9, value: 99), add(.endsEarly, 1, value: 5))),
      (nil, 0, both(add(.endsEarly, 8, value: 99), add(.endsEarly, 1, value: 5))),
      (nil, 0, both(add(.endsEarly, 2, value: 9), add(.endsEarly, 2, source: 1, value: 9))),
      // reports.R68.
      (.cutClientData, 3, add(.misfit, 3, value: 1024)), (nil, 0, add(.misfit, 2, value: 1024)),
      (.cutClientData, 3, both(add(.misfit, 3, value: 1024), verified(1024))),
      (nil, 0, both(add(.misfit, 3, value: 1024), verified(1025))),
      (.cutClientData, 3, both(add(.misfit, 3, value: 1024), verified(1025, source: 1))),
      (.cutClientData, 4, both(add(.misfit, 3, value: 9), add(.misfit, 4, value: 1024))),
      // reports.R69.
      (.lossyClientData, 1, add(.lossy, 1)),
      // reports.R70.
      (nil, 0, add(.nullRecord, 1)),
      (.nullRecords, 1, both(add(.nullRecord, 1), add(.record, 1))),
      (nil, 0, both(add(.nullRecord, 1), add(.record, 1, source: 1))),
      // reports.R71.
      (.tokenlessRequests, 1, add(.tokenless, 1)),
      // reports.R72.
      (.partLines, 2, add(.part, 2)), (nil, 0, add(.part, 1)),
      // reports.R73.
      (.identicalRecords, 3, add(.identical, 3)), (nil, 0, add(.identical, 2)),
      // reports.R74.
      (.ambiguousTimes, 1, add(.ambiguousTime, 1)),
      // reports.R76.
      (.missingInput, 2, add(.missingInput, 2, value: 0)),
      (nil, 0, both(add(.missingInput, 1, value: 41), add(.category, 1))),
    ]
  }

  @Test(arguments: causes.indices)
  func `a likely cause is reported from its least number of signs on`(_ index: Int) {
    let (cause, count, change) = Self.causes[index]
    let found = Self.remarks { change(&$0.signs) }.likelyCauses
    #expect(found.map(\.cause) == [cause].compactMap(\.self))
    guard let first = found.first else { return }
    #expect(first.count == count && !first.codes.isEmpty && first.evidence.hasSuffix("."))
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
