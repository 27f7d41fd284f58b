import AppAttest
import AuditLog
import AuditReport
import Basics
import Foundation
import TestSupport
import Testing

@testable import AuditEngine

/// A candidate policy over the forged logs: the counts of `simulate` are those of two separate audits, compared
/// request by request.
struct SimulationTests {
  /// The settings of one policy, drawn at random.
  private struct Policy {
    let change: (inout AuditConfiguration) -> Void
    /// The codes that refuse a request.
    let refuses: Set<FindingCode>

    init(_ random: inout SplitMix64) {
      func one<Value>(_ values: [Value]) -> Value { values.randomElement(using: &random)! }
      var apps = SyntheticDay.apps
      for index in apps.indices {
        apps[index].environments = one([[.production], [.production, .development]])
        apps[index].categories = one([
          [], [.init(rawValue: 4)], [.init(rawValue: 4), .init(rawValue: 2)],
        ])
        apps[index].bundleVersions = one([[], [">=7.2"], ["7.1", "7.2"]])
        apps[index].requires = one([[], [], [.category]])
      }
      var detection = DetectionPolicy()
      detection.reorderTolerance = one([0, 30_000, 600_000])
      detection.retryTolerance = one([0, 2_000, 60_000])
      detection.rejectedRetry = one([0, 600_000])
      detection.replayScope = one(ReplayScope.allCases)
      detection.identicalRecords = one(IdenticalRecords.allCases)
      detection.counterGap = one([0, 5, 1000])
      detection.challengesRequired = one([false, true])
      detection.challengeTTL = one([nil, 60_000, 300_000])
      let (receipts, macs) = (one(ReceiptPolicy.allCases), one(MacOSAccessControlPolicy.allCases))
      let maxAge: Int64 = one([60_000, 86_400_000])
      let severities: [FindingCode: Severity] = one([
        [:], [.attestationReceiptInvalid: .high, .counterRegression: .low],
        [.replayRetry: .critical],
      ])
      let possible = FindingCode.allCases.filter {
        !$0.name.hasPrefix("stream.") && !$0.name.hasPrefix("decision.")
          && $0 != .recordNotAudited && $0 != .recordMalformedJSON
      }
      let refusal: RefusalPolicy =
        one([true, false])
        ? .severity(one(Severity.allCases)) : .codes((0..<9).map { _ in one(possible) })
      switch refusal {
      case .codes(let codes): refuses = Set(codes)
      case .severity(let least):
        refuses = Set(possible.filter { severities[$0] ?? $0.defaultSeverity >= least })
      }
      change = { [apps, detection] configuration in
        (configuration.apps, configuration.detection) = (apps, detection)
        (configuration.receipts, configuration.macOSAccessControl) = (receipts, macs)
        configuration.attestationMaxAge = maxAge
        (configuration.severities, configuration.refusal) = (severities, refusal)
      }
    }
  }

  private static let folder = Repository.root + "/testdata/logs/"

  private static func audit(_ scratch: Scratch) throws -> SmallAudit {
    try SmallAudit(scratch, anchors: Repository.root + "/testdata/anchors")
  }

  /// Returns the verdict with the values that the token shows.
  private static func signed(_ now: VerdictRow, _ then: VerdictRow) -> VerdictRow {
    now.category != nil || now.bundleVersion != "" || now.codeHash != [] ? now : then
  }

  private static func version(_ now: VerdictRow, _ then: VerdictRow) -> String {
    let (app, token) = (now.appID == "" ? then.appID : now.appID, signed(now, then))
    return joined([app, token.bundleVersion, token.category?.name ?? ""])
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private static func joined(_ texts: [String]) -> String {
    texts.filter { $0 != "" }.joined(separator: " ")
  }

  /// Returns the name of the group of values that are not known.
  private static func known(_ text: String) -> String { text == "" ? "unknown" : text }

  /// Compares the verdicts of two audits on each record. `first` is the number of their first source.
  private static func expected(
    _ now: SmallAudit.Outcome, _ then: SmallAudit.Outcome, _ current: Policy, _ candidate: Policy,
    first: UInt32
  ) throws -> (rows: [[String: String]], accepted: Int) {
    var accepted = 0
    let keys = Dictionary(grouping: now.keys + then.keys, by: \.keyID)
    let rows = try zip(now.verdicts, then.verdicts).compactMap { a, b -> [String: String]? in
      try #require(a.position == b.position)
      guard ![.known, .skipped, .challenge].contains(a.verdict),
        a.verdict != .unreadable || a.decision != .unknown
      else { return nil }
      let (before, after) = (
        current.refuses.intersection(a.codes), candidate.refuses.intersection(b.codes)
      )
      let wasAccepted = a.decision == .unknown ? before.isEmpty : a.decision == .accepted
      if wasAccepted { accepted += 1 }
      guard wasAccepted != after.isEmpty else { return nil }
      let facts = a.keyID.flatMap { keys[$0] } ?? []
      return [
        "change": wasAccepted ? "refused" : "admitted",
        "reasons": (wasAccepted ? after : before).map(\.name).sorted().joined(separator: ";"),
        "line": "\(a.position.line)",
        "source": now.inputs[Int(a.position.source - first)].source,
        "key_id": a.keyID?.hex ?? "", "subject": a.subject,
        "time": a.time.map { CivilTime(milliseconds: $0).text } ?? "",
        "os_version": facts.map(\.osVersion).first { !$0.isEmpty } ?? "",
        "platform": facts.compactMap(\.platform).first?.name ?? "",
        "verdict": a.verdict.name, "version": version(a, b),
        "hash": String(hex(signed(a, b).codeHash).prefix(16)),
        "current_codes": a.codes.map(\.name).joined(separator: ";"),
        "candidate_codes": b.codes.map(\.name).joined(separator: ";"),
      ]
    }
    return (rows, accepted)
  }

  @Test(arguments: [(0, 1, false), (1, 4, false), (2, 7, true), (2, 8, false), (3, 8, true)])
  func `a share is exceeded by more than it`(_ refused: UInt64, _ accepted: UInt64, _ isAbove: Bool)
  {
    var counts = Simulation.Counts()
    (counts.refused, counts.accepted) = (refused, accepted)
    #expect(counts.isAbove(0.25) == isAbove)
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `of two random policies it counts what two separate audits show`(_ seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let (current, candidate) = (Policy(&random), Policy(&random))
    let scratch = try Scratch()
    let audit = try Self.audit(scratch)
    // Every second pair knows an earlier night: the files of one gateway.
    let hasState = !seed.isMultiple(of: 2)
    let memory = MemoryHistory()
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder).sorted()
      .map { Self.folder + $0 }
    let earlier = hasState ? files.filter { $0.contains("edge-a") } : []
    let inputs = files.filter { !earlier.contains($0) }
    if hasState {
      let night = memory.beginRun(names: earlier)
      _ = try audit.run(earlier) { $0.history = night }
      memory.commit()
    }
    func reading(
      _ change: @escaping (inout AuditConfiguration) -> Void
    ) -> (inout AuditConfiguration) -> Void {
      { configuration in
        change(&configuration)
        if hasState { configuration.history = memory.beginRun(mode: .reference) }
      }
    }
    let (now, then) = (reading(current.change), reading(candidate.change))
    let (rows, accepted) = try Self.expected(
      audit.run(inputs, now), audit.run(inputs, then), current, candidate,
      first: UInt32(earlier.count))
    let simulation = try audit.simulate(inputs, now, candidate: then)
    let directory = try ReportDirectory(path: scratch.path + "/report", overwrite: false)
    _ = try ReportDirectory.write(simulation, to: directory) {
      SimulationFacts(differences: [], startedAt: 0, finishedAt: 0, elapsed: 0)
    }
    let report = scratch.report()
    let table = try CSVTable.rows(report.bytes("simulation.csv"))
    let names = Set(try #require(table.first).keys).intersection(try #require(rows.first).keys)
    func shown(_ rows: [[String: String]]) -> [String] {
      rows.map { row in "\(names.sorted().map { row[$0] ?? "" })" }.sorted()
    }
    #expect(shown(table) == shown(rows))
    #expect(simulation.counts.accepted == accepted)
    let object = try JSONSerialization.jsonObject(with: Data(report.bytes("summary.json")))
    let summary = try #require(object as? [String: Any])
    try Self.expectCrowds(summary, rows)
    for change in ["refused", "admitted"] {
      let part = try #require(summary[change] as? [String: Any])
      let all = rows.filter { $0["change"] == change }
      Self.expect(part, all)
      for (kind, values) in Self.kinds {
        let groups = try #require(part[kind] as? [[String: Any]])
        let expected = Dictionary(
          grouping: all.flatMap { row in values(row).map { ($0, row) } }, by: \.0)
        #expect(Set(groups.compactMap { $0["value"] as? String }) == Set(expected.keys), "\(kind)")
        for group in groups {
          Self.expect(group, expected[group["value"] as? String ?? ""]?.map(\.1) ?? [])
        }
      }
    }
  }

  /// Expects the five largest groups of honest requests that are refused.
  private static func expectCrowds(
    _ summary: [String: Any], _ rows: [[String: String]]
  ) throws {
    let crowds = Dictionary(
      grouping: rows.filter { $0["change"] == "refused" && $0["verdict"] == "valid" }
    ) { row in
      let system = known(joined([row["platform"]!, row["os_version"]!]))
      return [row["reasons"]!, system, known(row["version"]!)].joined(separator: " · ")
    }
    func size(_ name: String) -> (Int, Int) {
      (Set(crowds[name]!.map { $0["key_id"] }).count, crowds[name]!.count)
    }
    let names = crowds.keys.sorted { size($0) == size($1) ? $0 < $1 : size($0) > size($1) }
    let groups = try #require(summary["largestHonestGroups"] as? [[String: Any]])
    #expect(groups.map { $0["group"] as? String } == names.prefix(5).map { $0 })
    for group in groups { expect(group, crowds[group["group"] as? String ?? ""] ?? []) }
  }

  /// The groups by columns, each of which an empty value puts into "unknown".
  private static let kinds: [(String, @Sendable ([String: String]) -> [String])] = [
    (
      "reason",
      { $0["reasons"] == "" ? ["none"] : $0["reasons"]!.split(separator: ";").map(String.init) }
    ),
    ("build", { [known(joined([$0["version"]!, $0["hash"]!]))] }),
    ("osVersion", { [known($0["os_version"]!)] }), ("platform", { [known($0["platform"]!)] }),
    ("hour", { [known(String($0["time"]!.prefix(13)))] }),
    ("day", { [known(String($0["time"]!.prefix(10)))] }),
  ]

  private static func expect(_ group: [String: Any], _ rows: [[String: String]]) {
    #expect(group["requests"] as? Int == rows.count)
    for (name, column) in [("keys", "key_id"), ("subjects", "subject")] {
      let values = Set(rows.compactMap { $0[column] }).subtracting([""])
      #expect(group[name] as? Int == values.count, "\(name)")
    }
    let lines = group["lines"] as? [String] ?? []
    #expect(lines.count == min(3, rows.count))
    #expect(Set(lines).isSubset(of: rows.map { "\($0["source"]!):\($0["line"]!)" }))
  }
}
