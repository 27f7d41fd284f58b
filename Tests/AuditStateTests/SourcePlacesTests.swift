import AuditEngine
import Testing

@testable import AuditLog
@testable import AuditState

struct SourcePlacesTests {
  /// Plays nights with these sources: the names of all in their order.
  private func names(_ nights: [[String]]) throws -> [String] {
    let bench = StateBench()
    for (day, names) in nights.enumerated() { try bench.night(day, names: names) }
    let all = nights.flatMap(\.self)
    let state = try bench.open(.reference)
    let numbers = try SourcePlaces(state.database, count: UInt32(all.count)).numbers
    return numbers.map { all[Int($0)] }
  }

  @Test func `a night's sources stand where one run over the folder has them`() throws {
    #expect(try names([["a1", "b1"], ["a2", "b2"], ["a0", "b3"]]).joined() == "a0a1a2b1b2b3")
    #expect(try names([["b", "d"], ["c"], ["a", "e"], ["b", "c"]]).joined() == "abbccde")
  }

  @Test func `the sources of one run keep their order`() throws {
    #expect(try names([["z", "a"], ["b"], ["y", "x"]]).joined() == "zabyx")
    // Two folders, one behind the other in every run.
    #expect(
      try names([["g/1", "e/1"], ["g/2", "e/2"], ["g/0", "e/3"]])
        == ["g/0", "g/1", "g/2", "e/1", "e/2", "e/3"])
  }

  @Test func `no source is put between the parts of an input that has grown`() throws {
    let bench = StateBench()
    try bench.night(0, names: ["a", "b"])
    var grown = ReadInputs.Entry(
      input: KnownInput(source: 3, name: "a", LineTable()), digests: [], stamp: nil)
    grown.grownFrom = 0
    try bench.night(1, names: ["n", "a"], inputs: [grown])
    let state = try bench.open(.reference)
    let places = try SourcePlaces(state.database, count: 4).adding(
      ["c", "o"], InputTable.origins(state.database), state.database)
    #expect(places.numbers == [0, 1, 2, 3, 4, 5])
  }

  @Test func `no source is put between the parts of two inputs that have grown one in another`()
    throws
  {
    let bench = StateBench()
    try bench.night(0, names: ["a", "b", "c", "d"])
    let state = try bench.open(.reference)
    let places = try SourcePlaces(state.database, count: 4).adding(
      ["aa"], [2: 0, 3: 1], state.database)
    #expect(places.numbers == [0, 1, 2, 3, 4])
  }

  @Test func `an input that has grown is behind what it was, whatever its name is now`() throws {
    let bench = StateBench()
    try bench.night(0, names: ["b"])
    let state = try bench.open(.reference)
    func numbers(_ origins: [UInt32: UInt32]) throws -> [UInt32] {
      try SourcePlaces(state.database, count: 1).adding(["a"], origins, state.database).numbers
    }
    #expect(try numbers([:]) == [1, 0])
    #expect(try numbers([1: 0]) == [0, 1])
  }

  @Test func `as long as the order is that of the numbers, none is kept`() throws {
    let bench = StateBench()
    try bench.night(0, names: ["a", "b"])
    try bench.night(1, names: ["b", "c"])
    let state = try bench.open(.reference)
    #expect(try InputTable.order(state.database) == [])
  }

  @Test func `a list that is no order is damage`() throws {
    let bench = StateBench()
    try bench.night(0, names: ["b", "d"])
    let state = try bench.open(day: 1)
    try InputTable.put(state.database, order: [0, 0])
    let run = try state.beginRun(StateBench.facts(1))
    #expect(throws: AuditError.self) { try run.history.orderSources([], [:]) }
  }
}
