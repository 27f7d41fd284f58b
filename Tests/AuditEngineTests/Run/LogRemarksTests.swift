import AppAttest
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
    totals.challenges = 10
    totals.attestations = 5
    totals.records.recordsRead = 1015
    totals.records.decided = 1000
    totals.records.rejected = 1
    totals.records.requestIDs = 1
    totals.records.subjects = 1
    totals.records.appIDs = 1
    totals.records.wholeSeconds = 1
    change(&totals)
    return LogRemarks(totals, configuration)
  }

  private static let spots: [(BlindSpot.Spot?, LogRemarks)] = [
    (nil, remarks { _ in }), (nil, remarks(apps: 2) { _ in }),
    (.noDecision, remarks { $0.records.decided = 0 }),
    (.noClientData, remarks { $0.records.hashesOnly = 1 }),
    (.noChallenges, remarks { $0.challenges = 0 }),
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
    (nil, remarks { $0.records.appIDs = 0 }),
  ]

  @Test(arguments: spots.indices)
  func `a blind spot is listed if its field is nowhere`(_ index: Int) {
    let (spot, remarks) = Self.spots[index]
    #expect(remarks.blindSpots.map(\.spot) == [spot].compactMap(\.self))
    #expect(remarks.blindSpots.allSatisfy { !$0.evidence.isEmpty && !$0.action.isEmpty })
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
