internal import AuditEngine
internal import AuditLog

package struct StateRollback: Sendable, Equatable {
  package var runs: [CommittedRun] = []
  /// The names of the inputs that these runs accounted for.
  package var inputs: [String] = []
  /// The open findings that these runs reported first.
  package var findings: [StandingFinding] = []
}

extension StateDirectory {
  /// The runs before which the state is kept, ascending.
  package func keptGenerations() throws(StateError) -> [Int64] { try generations.runs() }

  /// Returns the number of a run that is named by its number or its identifier, or nil if there is no such run.
  package func run(named name: String) throws(StateError) -> Int64? {
    if let number = Int64(name) { return try RunTable.run(database, number: number)?.number }
    return try RunTable.run(database, id: name)?.number
  }

  /// Returns what a rollback to before a run takes back, or throws `.noGeneration`.
  package func rollback(before run: Int64) throws -> StateRollback {
    let kept = try keptGenerations()
    guard kept.contains(run) else {
      let others = kept.map(String.init).joined(separator: ", ")
      throw StateError(
        .noGeneration,
        "the state before run \(run) is not kept, only "
          + (kept.isEmpty ? "the present one" : "those before the runs \(others)"))
    }
    var rollback = StateRollback()
    rollback.runs = try RunTable.runs(database, from: run)
    rollback.inputs = try InputTable.names(database, from: run)
    try forEachFinding(FindingFilter(firstRun: run)) { rollback.findings.append($0) }
    return rollback
  }

  /// Makes the state what it was before a run. The state is open for `advance`.
  package func rollBack(before run: Int64) throws(StateError) {
    database.rollBack()
    try generations.restore(before: run)
    _ = try StateDebris.remove(folder, database, reports: nil)
  }
}
