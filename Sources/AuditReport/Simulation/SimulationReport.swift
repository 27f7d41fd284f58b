package import AuditEngine
internal import Basics

extension ReportDirectory {
  /// Writes the report of a simulation and puts it in place, or, if the folder is nil, only counts its
  /// requests. Returns the counts in groups, and notices about steps that failed although the report is
  /// in place.
  package static func write(
    _ simulation: Simulation, to directory: ReportDirectory?, facts: () -> SimulationFacts
  ) throws -> (groups: SimulationGroups, notices: [String]) {
    guard let directory else { return (try SimulationGroups(simulation) { _ in }, []) }
    return try directory.write(simulation, facts: facts)
  }

  private func write(
    _ simulation: Simulation, facts: () -> SimulationFacts
  ) throws -> (groups: SimulationGroups, notices: [String]) {
    do {
      var csv = try folder.create(SimulationColumns.csv)
      var lines = try folder.create(SimulationColumns.jsonl)
      SimulationColumns.all.writeHeader(to: &csv.rows)
      let groups = try SimulationGroups(simulation) { row in
        SimulationColumns.all.write(csv: row, to: &csv.rows)
        SimulationColumns.all.write(json: row, to: &lines.rows)
        try csv.flushIfFull()
        try lines.flushIfFull()
      }
      var entries = [try csv.finish(), try lines.finish()]
      let facts = facts()
      let page = SimulationPage(simulation: simulation, groups: groups, facts: facts)
      entries.append(try writeWhole(ReportPage.name) { page.write(to: &$0) })
      var summary = try folder.create(SummaryJSON.name)
      try summary.write(SimulationJSON.tree(simulation, groups, facts))
      entries.append(try summary.finish())
      _ = try writeWhole(Manifest.name) { Manifest.write(entries, to: &$0) }
      return (groups, try folder.putInPlace())
    } catch {
      folder.remove()
      throw error
    }
  }
}

extension SimulationGroups {
  /// Counts the requests of a simulation, each of which `body` gets.
  fileprivate init(
    _ simulation: Simulation, _ body: (ReportedRequest) throws -> Void
  ) throws {
    self.init()
    let sources = SourceNames(simulation.current)
    try simulation.forEachByKey { request in
      let row = ReportedRequest(request, sources[request.position.source])
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
    return .object([
      ("schemaVersion", .number(1)),
      ("tool", .object([("name", .string(Tool.name)), ("version", .string(Tool.version))])),
      (
        "run",
        .object([
          ("startedAt", .string(CivilTime(milliseconds: facts.startedAt).text)),
          ("finishedAt", .string(CivilTime(milliseconds: facts.finishedAt).text)),
          ("seconds", .seconds(facts.elapsed)),
        ])
      ),
      ("inputs", .list(inputs.count) { SummaryJSON.tree(inputs[$0]) }),
      ("limits", .array(SimulationFacts.limit.map(JSONTree.string))),
      (
        "differences",
        .array(
          facts.differences.map {
            .object([
              ("setting", .string($0.setting)), ("current", .string($0.current)),
              ("candidate", .string($0.candidate)),
            ])
          })
      ),
      (
        "refuse",
        .object([
          ("current", SummaryJSON.names(simulation.currentRefusals)),
          ("candidate", SummaryJSON.names(simulation.candidateRefusals)),
        ])
      ),
      (
        "requests",
        .object([
          ("simulated", .number(counts.requests)), ("undecided", .number(counts.undecided)),
          ("accepted", .number(counts.accepted)), ("honest", .number(counts.honest)),
          ("honestRefused", .number(counts.honestRefused)),
          ("refusedPercent", .seconds(Int64(clamping: counts.milliPercent))),
        ])
      ),
      ("refused", tree(.refused, groups)), ("admitted", tree(.admitted, groups)),
      (
        "findings",
        .array(
          simulation.foundCodes.map { code, found, stopped in
            .object([
              ("code", .string(code.name)), ("requests", .number(found)),
              ("stopped", .number(stopped)),
            ])
          })
      ),
      (
        "largestHonestGroups",
        .array(
          groups.largestCrowds.map { .object([("group", .string($0.name))] + members($0.group)) })
      ),
    ])
  }

  private static func tree(
    _ change: SimulatedRequest.Change, _ groups: SimulationGroups
  ) -> JSONTree {
    .object(
      members(groups.total(change))
        + SimulationGroups.Kind.allCases.filter { $0 != .crowd }.map { kind in
          (
            kind.rawValue,
            .array(
              groups.list(kind, change).map {
                .object([("value", .string($0.key))] + members($0.value))
              })
          )
        })
  }

  private static func members(_ group: SimulationGroups.Group) -> [(String, JSONTree)] {
    [
      ("requests", .number(group.requests)), ("keys", .number(group.keys)),
      ("subjects", .number(group.subjects)), ("lines", .array(group.lines.map(JSONTree.string))),
    ]
  }
}

extension Simulation {
  /// The codes of accepted requests by the current policy: how many requests have each, and how many of
  /// them the candidate refuses.
  package var foundCodes: [(code: FindingCode, found: UInt64, stopped: UInt64)] {
    FindingCode.allCases.compactMap { code in
      let found = counts.found[Int(code.rawValue)]
      return found == 0 ? nil : (code, found, counts.stopped[Int(code.rawValue)])
    }
  }
}
