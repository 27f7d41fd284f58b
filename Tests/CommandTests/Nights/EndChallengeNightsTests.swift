import Foundation
import TestSupport
import Testing

/// Challenges from night to night, where the settings change between two of them.
struct EndChallengeNightsTests {
  @Test(arguments: [false, true], [[], ["--challenges", "required"]])
  func `a challenge whose kind is only inferred is not issued where challenges are required`(
    _ isSaid: Bool, _ before: [String]
  ) throws {
    // detection.R48.
    let scratch = try Scratch()
    let day = SyntheticDay.shared
    try day.writeSettings(to: scratch)
    let index = try #require(
      day.lines.firstIndex { $0.contains("\"payload\"") && !$0.contains("\"platform\"") })
    let assertion = try day.line(index, ["time": 1_772_402_000_000, "decision": "accepted"])
    let fields = try #require(
      try JSONSerialization.jsonObject(with: Data(assertion.utf8)) as? [String: Any])
    var challenge: [String: Any] = ["time": 1_772_401_990_000]
    challenge["challenge"] = try #require(fields["payload"] as? String)
    if isSaid { challenge["kind"] = "challenge" }
    let minted = String(
      decoding: try JSONSerialization.data(withJSONObject: challenge), as: UTF8.self)
    let attestations = day.lines.filter { $0.contains("\"challenge\"") }
    try scratch.write("1.jsonl", (attestations + [minted]).map { $0 + "\n" }.joined())
    try scratch.write("2.jsonl", assertion + "\n")
    for (number, flags) in [(1, before), (2, ["--challenges", "required"])] {
      let night = try Program.run(
        ["audit", "\(number).jsonl", "--pipeline", "pipeline.yaml", "--state", "state"]
          + ["--settle", "0s", "--out", "out-\(number)", "--quiet"] + flags, in: scratch.path)
      guard number == 2 else { continue }
      #expect(night.status == (isSaid ? 0 : 1), "\(night)")
    }
    let findings = try scratch.report("out-2").findings
    #expect(findings.contains("high challenge.not_issued 2.jsonl:1") == !isSaid, "\(findings)")
  }
}
