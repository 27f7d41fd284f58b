import Foundation
import TestSupport
import Testing

/// Reports do not depend on who verifies attestations.
///
/// `ATTESTATION_MUTANTS` sets how many mutated ones there are.
struct EndAttestationTests {
  private static let day: SyntheticDay = {
    do {
      return try SyntheticDay(keys: 60, assertions: 60, seed: 21)
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  /// Lines with mutated tokens, most of them attestations.
  private static func mutants(_ count: Int) throws -> [String] {
    let records = try day.lines.map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
    }
    let attestations = records.filter { $0["kind"] as? String == "attestation" }
    let tokens = attestations.compactMap { record in
      (record["token"] as? String).flatMap {
        Data(base64Encoded: $0, options: .ignoreUnknownCharacters)
      }
    }
    var generator = Generator(77)
    return try (0..<count).map { _ in
      let index = generator.below(tokens.count)
      var token = [UInt8](tokens[index])
      for _ in 0...generator.below(2) {
        let at = generator.below(token.count)
        switch generator.below(7) {
        case 0: token[at] ^= 1 << UInt8(generator.below(8))
        case 1: token[at] = UInt8(generator.below(256))
        case 2: token[at] &+= 1
        case 3: token[at] = 0
        case 4: token.insert(UInt8(generator.below(256)), at: at)
        case 5: token.remove(at: at)
        default:
          // A piece of another attestation at the same place.
          let other = [UInt8](tokens[generator.below(tokens.count)])
          let end = min(at + generator.below(1_500), token.count, other.count)
          if at < end { token.replaceSubrange(at..<end, with: other[at..<end]) }
        }
      }
      var record = attestations[index]
      record["token"] = Data(token).base64EncodedString()
      let line = try JSONSerialization.data(withJSONObject: record, options: .sortedKeys)
      return String(decoding: line, as: UTF8.self)
    }
  }

  @Test func `mutated attestations are reported alike by batches and by OpenSSL`() throws {
    let knob = ProcessInfo.processInfo.environment["ATTESTATION_MUTANTS"].flatMap { Int($0) }
    let scratch = try Scratch()
    try Self.day.writeSettings(to: scratch)
    let lines = Self.day.lines + (try Self.mutants(knob ?? 1_500))
    try scratch.write("day.jsonl", Array((lines.joined(separator: "\n") + "\n").utf8))
    var reports: [[String: String]] = []
    for verifier in [["openssl"], ["batch", "--cross-check", "100%"], ["batch"]] {
      let outcome = try Program.run(
        [
          "audit", "--pipeline", "pipeline.yaml", "--out", "report", "--overwrite", "--verdicts",
          "--quiet", "--verifier",
        ] + verifier + ["day.jsonl"], in: scratch.path)
      // That records are of apps which nobody configured may be said.
      #expect(!outcome.errors.contains("error: "))
      #expect((0...2).contains(outcome.status))
      reports.append(try scratch.report().lasting)
    }
    #expect(reports[0] == reports[1] && reports[0] == reports[2])
    #expect(!reports[0].isEmpty)
  }
}
