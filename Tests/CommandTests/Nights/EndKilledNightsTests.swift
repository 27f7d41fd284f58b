import Foundation
import TestSupport
import Testing

/// Nights that are killed: the next run gives what an undisturbed one would have given, and leaves
/// nothing lying about.
struct EndKilledNightsTests {
  /// The number of runs that are killed at random times. `ATTEST_AUDIT_KILLS` says otherwise.
  private static let kills =
    ProcessInfo.processInfo.environment["ATTEST_AUDIT_KILLS"].flatMap(Int.init) ?? 8

  /// The nights undisturbed: their reports, and what the state is after each.
  private struct Undisturbed {
    var nights: NightSequence
    var reports: [[String: String]] = []
    var states: [String] = []
  }

  /// Plays the nights; the state before the last one stays as `before`.
  private func undisturbed() throws -> Undisturbed {
    let nights = try NightSequence([
      "--attacks", "all", "--seed", "61", "--keys", "6", "--assertions", "80",
    ])
    var result = Undisturbed(nights: nights)
    for night in 0..<NightSequence.count {
      if night == NightSequence.count - 1 {
        let path = nights.scratch.path
        try FileManager.default.copyItem(atPath: path + "/state", toPath: path + "/before")
      }
      try nights.run(night)
      result.reports.append(try nights.scratch.report("report-\(night)").lasting)
      result.states.append(try state(nights, "state"))
    }
    return result
  }

  /// Returns the content of a state, in words that do not depend on the times of its runs.
  private func state(_ nights: NightSequence, _ name: String) throws -> String {
    let export = try Program.run(["state", "export", name], in: nights.scratch.path)
    #expect(export.status == 0, "\(export.errors)")
    let verify = try Program.run(["state", "verify", name], in: nights.scratch.path)
    #expect(verify.status == 0, "\(verify.errors)")
    return export.output
  }

  private func expectNoDebris(_ nights: NightSequence, state: String) throws {
    let names = try nights.scratch.names.filter {
      $0.hasPrefix(".") || $0.hasPrefix("attest-audit.")
    }
    #expect(names == [])
    let held = try nights.scratch.contents(state).filter { !$0.hasPrefix("state.sqlite") }
    let own = ["lock", "hashes", "prefixes", "events", "generations"]
    #expect(Set(held).isSubset(of: own), "\(held)")
  }

  /// Runs a night and kills it, by the program's own count of steps or after a while. Returns false
  /// where it ended before.
  private func kill(
    _ night: Int, _ nights: NightSequence, state: String, report: String, step: Int? = nil,
    after delay: Double? = nil
  ) throws -> Bool {
    let environment = step.map { ["ATTEST_AUDIT_TEST_KILL": "\($0)"] } ?? [:]
    let running = try Program.start(
      NightSequence.arguments(nights.files[night], night: night, report: report, state: state),
      in: nights.scratch.path, environment: environment)
    if let delay {
      usleep(UInt32(delay * 1_000_000))
      running.send(SIGKILL)
    }
    let outcome = try running.wait()
    if outcome.status != 137 { #expect([0, 1, 2].contains(outcome.status), "\(outcome.errors)") }
    return outcome.status == 137
  }

  private func finish(
    _ night: Int, _ undisturbed: Undisturbed, state: String, report: String, note: Comment
  ) throws {
    let nights = undisturbed.nights
    let outcome = try Program.run(
      NightSequence.arguments(nights.files[night], night: night, report: report, state: state),
      in: nights.scratch.path)
    #expect([0, 1, 2].contains(outcome.status), "\(note): \(outcome.errors)")
    #expect(try nights.scratch.report(report).lasting == undisturbed.reports[night], note)
    #expect(try self.state(nights, state) == undisturbed.states[night], note)
    try expectNoDebris(nights, state: state)
  }

  @Test func `a night that is killed at any of its steps leaves nothing behind`() throws {
    let undisturbed = try undisturbed()
    let nights = undisturbed.nights
    let files = FileManager.default
    let night = NightSequence.count - 1
    let stride = Self.kills >= 500 ? 1 : 13
    var step = 1
    while true {
      for name in ["killed", "report"] {
        try? files.removeItem(atPath: nights.scratch.path + "/" + name)
      }
      try files.copyItem(
        atPath: nights.scratch.path + "/before", toPath: nights.scratch.path + "/killed")
      guard try kill(night, nights, state: "killed", report: "report", step: step) else { break }
      // Killed after the commit: the night is done, and its inputs are known.
      if try runs(nights, state: "killed") == NightSequence.count {
        #expect(try nights.scratch.report("report").lasting == undisturbed.reports[night])
        try nights.runAgain(night, state: "killed", report: "again")
        try? files.removeItem(atPath: nights.scratch.path + "/again")
      } else {
        try finish(night, undisturbed, state: "killed", report: "report", note: "step \(step)")
      }
      try expectNoDebris(nights, state: "killed")
      step += stride
    }
    #expect(step > 20)
  }

  @Test func `nights that are killed at random times come to the same end`() throws {
    let undisturbed = try undisturbed()
    let nights = undisturbed.nights
    var random = Generator(62)
    var killed = 0
    var round = 0
    while killed < Self.kills {
      let state = "state-\(round)"
      for night in 0..<NightSequence.count {
        let report = "killed-\(round)-\(night)"
        let began = Date()
        var isDone = false
        for _ in 0..<5 where !isDone && killed < Self.kills {
          // Runs here take a tenth of a second, and half a second beside others.
          let delay = Double.random(in: 0...0.4, using: &random)
          isDone = try !kill(night, nights, state: state, report: report, after: delay)
          if !isDone { killed += 1 }
          #expect(Date().timeIntervalSince(began) < 600)
          if !isDone, try nights.scratch.contents(".").contains(report),
            try runs(nights, state: state) == night + 1
          {
            isDone = true
          }
        }
        if !isDone {
          try finish(night, undisturbed, state: state, report: report, note: "\(round)/\(night)")
        } else {
          #expect(try nights.scratch.report(report).lasting == undisturbed.reports[night])
        }
      }
      try nights.runAgain(NightSequence.count - 1, state: state, report: "last-\(round)")
      #expect(try self.state(nights, state) == undisturbed.states[NightSequence.count - 1])
      try expectNoDebris(nights, state: state)
      round += 1
    }
  }

  /// Returns the number of runs that a state holds.
  private func runs(_ nights: NightSequence, state: String) throws -> Int {
    struct Info: Decodable { var runs: Int }
    let outcome = try Program.run(["state", "info", state, "--json"], in: nights.scratch.path)
    return try JSONDecoder().decode(Info.self, from: Data(outcome.output.utf8)).runs
  }
}
