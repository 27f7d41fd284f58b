import AppAttest
import AuditEngine
import AuditLog
import TestSupport
import Testing

@testable import AuditState

struct FindingMemoryTests {
  private static func sighting(
    _ times: UInt64, records: UInt64, isClosed: Bool = false
  ) -> Sighting {
    var sighting = Sighting(
      firstSeen: "2026-11-10", times: times, worst: .high, isClosed: isClosed)
    sighting.records = records
    return sighting
  }

  @Test func `a finding is new once, and counted once a run`() throws {
    let bench = try StateBench()
    for fingerprint in [UInt64(0), 1, .max, 1 << 63] {
      try bench.night(0) { history throws in
        #expect(try history.findings.sighting(fingerprint) == nil)
        try history.findings.remember(fingerprint, .keyUnknown, keyID: nil)
        try history.findings.remember(fingerprint, .keyUnknown, keyID: nil)
      }
      try bench.night(1) { history throws in
        #expect(
          try history.findings.sighting(fingerprint)
            == Self.sighting(1, records: 2))
        try history.findings.close(fingerprint)
      }
      // One that was closed and comes back is not new.
      try bench.night(2) { history throws in
        #expect(
          try history.findings.sighting(fingerprint)
            == Self.sighting(1, records: 2, isClosed: true))
        try history.findings.remember(fingerprint, .keyUntrusted, keyID: Digest256())
      }
      try bench.night(3) { history throws in
        #expect(
          try history.findings.sighting(fingerprint)
            == Self.sighting(2, records: 1))
      }
    }
    let info = try bench.open(.reference).info()
    #expect(info.openFindings == 4)
    #expect(info.closedFindings == 0)
  }

  @Test func `a run does not see its own findings, not even once it is prepared`() throws {
    let bench = try StateBench()
    try bench.night(0) { try $0.findings.remember(5, .keyUnknown, keyID: nil) }
    let run = try bench.open().beginRun(StateBench.facts(1))
    try run.history.findings.remember(5, .keyUnknown, keyID: nil)
    try run.history.findings.remember(6, .keyUnknown, keyID: nil)
    try run.prepare(StateBench.outcome())
    try run.commit()
    #expect(try run.history.findings.sighting(5)?.times == 1)
    #expect(try run.history.findings.sighting(6) == nil)
    run.finish()
  }

  @Test func `the records of a finding are counted, each once`() throws {
    let bench = try StateBench()
    func night(_ number: Int, at source: UInt32?) throws -> UInt64? {
      var before: UInt64?
      try bench.night(number) { history throws in
        before = try history.findings.sighting(5)?.records
        guard let source else { return try history.findings.explain(5, records: 1) }
        var finding = Finding(.replayAssertion, .critical, keyID: nil, fingerprint: 5)
        finding.position = Position(source: source, line: 1)
        try history.findings.remember(finding)
      }
      return before
    }
    #expect(try night(0, at: 0) == nil)
    // A record of the first night is more severe now.
    #expect(try night(1, at: 0) == 1)
    // A record of that night.
    #expect(try night(2, at: 2) == 1)
    #expect(try night(3, at: nil) == 2)
    #expect(try night(4, at: nil) == 1)
    #expect(try night(5, at: nil) == 0)
  }

  @Test func `closing what nobody reported is no matter`() throws {
    let bench = try StateBench()
    try bench.night(0) { try $0.findings.close(77) }
    #expect(try bench.open(.reference).info().closedFindings == 0)
  }

  @Test func `more findings than memory holds are all remembered`() throws {
    let bench = try StateBench()
    try bench.night(0) { history throws in
      for number in 0..<60_000 {
        try history.findings.remember(
          UInt64(number) &* 0x9E37_79B9_7F4A_7C15, .recordMalformedJSON, keyID: nil)
      }
    }
    #expect(try bench.open(.reference).info().openFindings == 60_000)
  }

  @Test func `the worst severity stays, whatever comes later`() throws {
    let bench = try StateBench()
    func report(_ day: Int, _ severities: Severity...) throws {
      try bench.night(day) { history throws in
        for severity in severities {
          try history.findings.remember(7, .keyUnknown, keyID: nil, severity: severity)
        }
      }
    }
    func worst() throws -> Severity? {
      let run = try bench.open(.reference).beginRun(StateBench.facts(9))
      defer { run.finish() }
      return try run.history.findings.sighting(7)?.worst
    }
    try report(0, .low)
    #expect(try worst() == .low)
    try report(1, .info, .medium, .low)
    #expect(try worst() == .medium)
    try report(2, .critical)
    try report(3, .low)
    #expect(try worst() == .critical)
    #expect(try bench.open(.reference).info().openFindings == 1)
  }

  @Test func `what is open is listed, the most severe first`() throws {
    let bench = try StateBench()
    var random = RandomState()
    let key = random.digest()
    try bench.night(0, names: ["logs/a"]) { history throws in
      try history.findings.remember(1, .keyUnknown, keyID: key, severity: .low)
      try history.findings.remember(2, .counterGap, keyID: nil, severity: .critical)
      try history.findings.remember(3, .counterGap, keyID: nil, severity: .medium)
    }
    try bench.night(1) { history throws in
      try history.findings.close(3)
      try history.findings.remember(1, .keyUnknown, keyID: key, severity: .low)
    }
    func found(_ change: (inout FindingFilter) -> Void = { _ in }) throws -> [StandingFinding] {
      var filter = FindingFilter()
      change(&filter)
      var found: [StandingFinding] = []
      try bench.open(.reference).forEachFinding(
        filter, { (finding) throws(StateError) in found.append(finding) }, or: { $0 })
      return found
    }
    let all = try found()
    #expect(all.map(\.fingerprint) == [2, 1])
    #expect(all.map(\.source) == ["logs/a", "logs/a"] && all[1].line == 1)
    #expect(all[1].firstSeen == "2026-11-10" && all[1].lastSeen == "2026-11-11")
    #expect(all.map(\.times) == [1, 2])
    #expect(try found { $0.keys = key...key }.map(\.fingerprint) == [1])
    #expect(try found { $0.codes = [.counterGap] }.map(\.fingerprint) == [2])
    #expect(try found { $0.severity = .medium }.map(\.fingerprint) == [2])
    #expect(try found { $0.since = "2026-11-11" }.map(\.fingerprint) == [1])
    let state = try bench.open(.reference)
    #expect(try state.hasFinding(.fingerprint(3)) && !state.hasFinding(.fingerprint(4)))
    #expect(try state.hasFinding(.code(.counterGap)) && !state.hasFinding(.code(.counterReordered)))
    #expect(try state.hasFinding(.key(.keyUnknown, key)))
    #expect(
      try !state.hasFinding(.key(.counterGap, key)) && !state.hasFinding(.app(.keyUnknown, "A")))
  }
}
