import AppAttest
import AuditEngine
import Testing

@testable import AuditState

struct BuildMemoryTests {
  @Test func `a state takes new builds up to a limit, and known ones always`() throws {
    let bench = try StateBench()
    let builds = (0..<3).map { Build(appID: "A.b", bundleVersion: "\($0)") }
    try bench.night(0) { history throws in
      #expect(try history.builds?.remember(builds[0], isNew: true) == true)
    }
    let database = try StateDatabase(path: bench.path + "/state.sqlite", readOnly: true)
    let run = RunBuilds(database, isAdvance: true, limit: 2)
    #expect(try run.sighting(builds[0].digest)?.nights == 1)
    #expect(try run.remember(builds[1], isNew: true))
    #expect(try !run.remember(builds[2], isNew: true))
    #expect(try run.remember(builds[0], isNew: false))
  }
}
