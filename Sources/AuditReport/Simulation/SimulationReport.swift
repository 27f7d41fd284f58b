package import AuditEngine
internal import Basics

extension ReportDirectory {
  /// Writes the report of a simulation, or only counts if the folder is nil. Returns the groups,
  /// and notices about steps that failed although the report is in place.
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
  fileprivate init(
    _ simulation: Simulation, _ body: (ReportedRequest) throws -> Void
  ) throws {
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
