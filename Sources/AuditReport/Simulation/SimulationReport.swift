package import AuditEngine
internal import Basics

extension ReportDirectory {
  /// Writes the report, or only counts if the folder is nil. Returns the groups, and notices about what failed later.
  package static func write(
    _ simulation: Simulation, to directory: ReportDirectory?, facts: () -> SimulationFacts
  ) throws -> (groups: SimulationGroups, notices: [String]) {
    guard let directory else { return (try SimulationGroups(simulation) { _ in }, []) }
    var groups = SimulationGroups()
    let notices = try directory.place {
      var csv = try directory.create(SimulationColumns.csv)
      var lines = try directory.create(SimulationColumns.jsonl)
      SimulationColumns.all.writeHeader(to: &csv.rows)
      groups = try SimulationGroups(simulation) { row in
        SimulationColumns.all.write(csv: row, to: &csv.rows)
        SimulationColumns.all.write(json: row, to: &lines.rows)
        try csv.flushIfFull()
        try lines.flushIfFull()
      }
      let entries = [try csv.finish(), try lines.finish()]
      let facts = facts()
      let page = SimulationPage(simulation: simulation, groups: groups, facts: facts)
      return (
        entries + [
          try directory.writeWhole(ReportPage.name) { page.write(to: &$0) },
          try directory.writeDocument(
            SummaryJSON.name, SimulationJSON.tree(simulation, groups, facts)),
        ], []
      )
    }
    return (groups, notices)
  }
}

extension SimulationGroups {
  fileprivate init(_ simulation: Simulation, _ body: (ReportedRequest) throws -> Void) throws {
    self.init()
    let sources = SourceNames(simulation.current)
    try simulation.forEachByKey { request in
      let row = ReportedRequest(request: request, source: sources[request.position.source])
      add(row)
      try body(row)
    }
    try simulation.forEachBySubject { add(subjectOf: $0) }
  }
}

/// The file `summary.json` of a simulation. Only its `run` object differs from run to run.
enum SimulationJSON {
  static func tree(
    _ simulation: Simulation, _ groups: SimulationGroups, _ facts: SimulationFacts
  ) -> JSONTree {
    let (counts, inputs) = (simulation.counts, simulation.current.inputs)
    return [
      "schemaVersion": .number(1), "tool": SummaryJSON.tool,
      "run": [
        "startedAt": .time(facts.startedAt), "finishedAt": .time(facts.finishedAt),
        "seconds": .seconds(facts.elapsed),
      ],
      "inputs": .list(inputs.count) { SummaryColumns.inputs.tree(inputs[$0]) },
      "limits": .array(SimulationFacts.limit.map(JSONTree.string)),
      "differences": .array(
        facts.differences.map {
          [
            "setting": .string($0.setting), "current": .string($0.current),
            "candidate": .string($0.candidate),
          ]
        }),
      "refuse": [
        "current": names(simulation.currentRefusals),
        "candidate": names(simulation.candidateRefusals),
      ],
      "requests": [
        "simulated": .number(counts.requests), "undecided": .number(counts.undecided),
        "accepted": .number(counts.accepted), "honest": .number(counts.honest),
        "honestRefused": .number(counts.honestRefused),
        "refusedPercent": .seconds(Int64(clamping: counts.milliPercent)),
      ],
      "refused": tree(.refused, groups), "admitted": tree(.admitted, groups),
      "findings": .array(
        simulation.foundCodes.map { code, found, stopped in
          ["code": .string(code.name), "requests": .number(found), "stopped": .number(stopped)]
        }),
      "largestHonestGroups": .array(
        groups.largestCrowds.map { .object([("group", .string($0.key))] + members($0.value)) }),
    ]
  }

  private static func names(_ codes: [FindingCode]) -> JSONTree {
    .array(codes.map { .string($0.name) })
  }

  private static func tree(
    _ change: SimulatedRequest.Change, _ groups: SimulationGroups
  ) -> JSONTree {
    let kinds = SimulationGroups.Kind.allCases.filter { $0 != .crowd }.map { kind in
      let list = groups.list(kind, change).map { name, group in
        JSONTree.object([("value", .string(name))] + members(group))
      }
      return (kind.rawValue, JSONTree.array(list))
    }
    return .object(members(groups.total(change)) + kinds)
  }

  private static func members(_ group: SimulationGroups.Group) -> [(String, JSONTree)] {
    [
      ("requests", .number(group.requests)), ("keys", .number(group.keys)),
      ("subjects", .number(group.subjects)), ("lines", .array(group.lines.map(JSONTree.string))),
    ]
  }
}

extension Simulation {
  /// The codes of accepted requests: how many have each, and how many the candidate refuses.
  package var foundCodes: [(code: FindingCode, found: UInt64, stopped: UInt64)] {
    FindingCode.allCases.compactMap { code in
      let found = counts.found[Int(code.rawValue)]
      return found == 0 ? nil : (code, found, counts.stopped[Int(code.rawValue)])
    }
  }
}

package struct SimulationFacts: Sendable {
  /// A setting in which two policies differ, with the values as `check` shows them.
  package typealias Difference = (setting: String, current: String, candidate: String)

  /// The sentences on what a simulation cannot know.
  package static let limit = [
    "A client that had been refused would have behaved differently afterwards: clients are not "
      + "simulated, and later requests of a refused key are judged as they were logged.",
    "A request that the server rejected for a reason outside App Attest counts as newly accepted if "
      + "the candidate does not refuse it.",
  ]

  package var differences: [Difference]
  package var startedAt: Int64
  package var finishedAt: Int64
  /// Milliseconds by a monotonic clock.
  package var elapsed: Int64

  package init(differences: [Difference], startedAt: Int64, finishedAt: Int64, elapsed: Int64) {
    self.differences = differences
    self.startedAt = startedAt
    self.finishedAt = finishedAt
    self.elapsed = elapsed
  }
}

extension Simulation.Counts {
  /// The share of accepted requests that the candidate refuses, in thousandths of a percent.
  package var milliPercent: UInt64 {
    accepted == 0 ? 0 : UInt64((Double(refused) * 100_000 / Double(accepted)).rounded())
  }

  /// Returns whether the candidate refuses more than this share, 0 to 1, of the accepted requests.
  package func isAbove(_ share: Double) -> Bool { Double(refused) > share * Double(accepted) }

  /// The share in percent, `0.125%`.
  package var shareText: String {
    "\(milliPercent / 1000)." + "\(milliPercent % 1000)".zeroPadded(to: 3) + "%"
  }
}

struct ReportedRequest: Sendable {
  var request: SimulatedRequest
  var source: String
}

enum SimulationColumns {
  static let csv = "simulation.csv"
  static let jsonl = "simulation.jsonl"
  static let all = Columns(list)

  private static let list: [Column<ReportedRequest>] = [
    .word(
      "change",
      "refused: the candidate refuses a request that was accepted; admitted: it accepts a rejected one",
      \.request.change),
    .codes("reasons", "the codes that refuse it, separated by `;`", \.request.reasons),
    .time("time", "the time of the record", \.request.time),
    .word("kind", "attestation or assertion", \.request.kind),
    .hex("key_id", "the key identifier", \.request.keyID),
    .text("subject", "the account or user", \.request.subject),
    .text("app_id", "the App ID", \.request.appID),
    .word("platform", "ios or macos, by the certificate of the key", \.request.platform),
    .text("os_version", "the system's version, from the certificate", \.request.osVersion),
    .category("category", "the validation category", \.request.category),
    .text("bundle_version", "the app's version", \.request.bundleVersion),
    .hex("code_hash", "the hash of the code", \.request.codeHash),
    .word("decision", "what the server did with the request", \.request.decision),
    .word("verdict", "the verdict by the current policy", \.request.verdict),
    .codes("current_codes", "the codes by the current policy", \.request.codes),
    .codes("candidate_codes", "the codes by the candidate", \.request.candidate),
    .path("source", "the input", \.source),
    .number("line", "the line in the decompressed input", \.request.position.line),
    .number("item", "the number of the record in its line", \.request.position.item),
    .text("request_id", "the request identifier", \.request.requestID),
  ]
}
