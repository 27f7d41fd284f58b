import AppAttest
import AuditEngine
import Testing

@testable import AuditState

struct FindingMemoryTests {
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
            == Sighting(firstSeen: "2026-11-10", times: 1))
        try history.findings.close(fingerprint)
      }
      // One that was closed and comes back is not new.
      try bench.night(2) { history throws in
        #expect(
          try history.findings.sighting(fingerprint)
            == Sighting(firstSeen: "2026-11-10", times: 1, isClosed: true))
        try history.findings.remember(fingerprint, .keyUntrusted, keyID: Digest256())
      }
      try bench.night(3) { history throws in
        #expect(
          try history.findings.sighting(fingerprint)
            == Sighting(firstSeen: "2026-11-10", times: 2))
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
}
