import TestSupport
import Testing

/// Forged logs, audited by the built program: what is found is what was forged, no more and no less.
struct EndForgedTests {
  private let day: ForgedDay

  init() throws {
    day = try ForgedDay()
  }

  private func expectTruth(sameByOpenSSL: Bool = true) throws {
    let outcome = try day.audit("day/pipeline.yaml", "--quiet")
    try day.expectTruth()
    // Damaged files are among what is forged.
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(outcome.output == "")
    if sameByOpenSSL { try expectSameByOpenSSL() }
  }

  /// OpenSSL alone comes to the same report, byte for byte.
  private func expectSameByOpenSSL() throws {
    let lasting = try day.scratch.report().lasting
    let outcome = try day.audit("day/pipeline.yaml", "--quiet", "--verifier", "openssl")
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(try day.scratch.report().lasting == lasting)
  }

  // Twenty seeds in a row play every variant of every attack.
  @Test(arguments: ForgedDay.seeds(20))
  func `every attack is found, and nothing else`(_ seed: Int) throws {
    try day.forge([
      "--attacks", "all", "--seed", "\(seed)", "--keys", "\(seed * 3)", "--assertions",
      "\(100 + seed * 10)", "--files", "\(1 + seed % 7)",
    ])
    #expect(try day.expectedCodes().count >= 48)
    try expectTruth(sameByOpenSSL: seed.isMultiple(of: 3))
  }

  @Test(arguments: [21, 22])
  func `every attack is found where a few keys have most of the traffic`(_ seed: Int) throws {
    try day.forge([
      "--attacks", "all", "--seed", "\(seed)", "--keys", "40", "--assertions", "400", "--files",
      "5", "--zipf",
    ])
    try expectTruth()
  }

  @Test(arguments: [23, 24])
  func `every attack is found beside one key`(_ seed: Int) throws {
    try day.forge([
      "--attacks", "all", "--seed", "\(seed)", "--keys", "1", "--assertions", "300", "--files", "3",
    ])
    try expectTruth()
  }

  @Test(arguments: [25, 26])
  func `every attack is found in base64 that is broken into lines`(_ seed: Int) throws {
    try day.forge([
      "--attacks", "all", "--seed", "\(seed)", "--keys", "10", "--assertions", "300", "--files",
      "2", "--line-breaks",
    ])
    try expectTruth()
  }

  @Test(arguments: [
    ["--keys", "30"], ["--keys", "30", "--zipf"], ["--keys", "1"],
    ["--keys", "20", "--challenge-records"], ["--keys", "1", "--zipf", "--files", "1"],
    ["--keys", "20", "--line-breaks"],
  ])
  func `nothing is found in clean logs`(_ flags: [String]) throws {
    for seed in 31...33 {
      try day.forge(["--clean", "--seed", "\(seed)", "--assertions", "300"] + flags)
      try day.expectSilence()
      #expect(try day.scratch.report().summary.records["assertions"] == 300)
    }
  }
}
