import TestSupport
import Testing

/// Forged logs, audited by the built program: what is found is what was forged, no more and no less. The scenes
/// (`Tests/LogForge/Data/scenes.txt`) have attacks for `detection.R8` to `R12`, `R17` to `R21`, `R33`, `R34`,
/// `R37` to `R42`, `R45` to `R47`, `R53` and `records.R31`, and rejects that take no further part (`records.R50`).
struct EndForgedTests {
  private let day = ForgedDay()

  // Twenty seeds in a row play every variant of every attack. Then come days of few keys with most of the
  // traffic, of one key, and of base64 that is broken into lines.
  private static let days =
    ForgedDay.seeds(20).map { seed in
      "--seed \(seed) --keys \(seed * 3) --assertions \(100 + seed * 10) --files \(1 + seed % 7)"
    } + [
      "--seed 21 --keys 40 --assertions 400 --files 5 --zipf",
      "--seed 23 --keys 1 --assertions 300 --files 3",
      "--seed 25 --keys 10 --assertions 300 --files 2 --line-breaks",
    ]

  @Test(arguments: days.indices)
  func `every attack is found, and nothing else`(_ index: Int) throws {
    try day.forge(["--attacks", "all"] + Self.days[index].split(separator: " ").map(String.init))
    #expect(try day.expectedCodes().count >= 48)
    let outcome = try day.audit("day/pipeline.yaml", "--quiet")
    try day.expectTruth()
    // Damaged files are among what is forged.
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(outcome.output == "")
    guard index.isMultiple(of: 5) else { return }
    // OpenSSL alone comes to the same report, byte for byte.
    let lasting = try day.scratch.report().lasting
    #expect(try day.audit("day/pipeline.yaml", "--quiet", "--verifier", "openssl").status == 2)
    let again = try day.scratch.report().lasting
    for name in Set(lasting.keys).union(again.keys).sorted() {
      #expect(again[name] == lasting[name], "\(name)")
    }
  }

  @Test(arguments: [
    ["--keys", "30", "--zipf"], ["--keys", "1"], ["--keys", "20", "--challenge-records"],
    ["--keys", "20", "--line-breaks"],
  ])
  func `nothing is found in clean logs`(_ flags: [String]) throws {
    try day.forge(["--clean", "--seed", "31", "--assertions", "300"] + flags)
    try day.expectSilence()
    #expect(try day.scratch.report().summary.records["assertions"] == 300)
  }
}
