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
    sighting.most = 1
    return sighting
  }

  @Test func `a finding is new once, and counted once a run`() throws {
    let bench = StateBench()
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

  @Test func `a finding names the first record by which it is most severe`() throws {
    let bench = StateBench()
    for (night, severity) in [Severity.high, .critical, .critical].enumerated() {
      try bench.night(night) { history throws in
        var finding = Finding(.replayAssertion, severity, keyID: nil, fingerprint: 5)
        finding.position = Position(source: UInt32(night), line: 1)
        try history.findings.remember(finding)
      }
    }
    let run = try bench.open(.reference).beginRun(StateBench.facts(3))
    #expect(try run.history.findings.finding(5)?.position.source == 1)
  }

  @Test func `the records of a finding are counted, each once`() throws {
    let bench = StateBench()
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
}
