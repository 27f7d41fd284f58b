import AppAttest
import Foundation
import LogForge
import TestSupport

@testable import AuditEngine

/// Audits of the logs of three keys, night by night over one state. A night's records are words:
///
///     a  a!  b3@26    the attestation of the key a; one for another challenge; the assertion of b with the counter 3, 26
///                     hours after the attestations
///     a1=D  a1+D      an assertion that names a device in place of its key, or beside it
///     a1~  a1^  a1%   one that the server rejected, or accepted; one with a malformed token
///     a1?             one over short client data, with the hash of other data
///     a1#0  a1/s      one with the counter that the server had stored; with a subject; s*9 is a text of nine letters
///     [a]  [a#2]      the key is in the list of known keys, with a counter
///     reference       the run only reads the state
///     exact           only the same request again is a replay
///
/// The results are words, too. A finding has a severity, a code, a key, a place (source and line), the number of its
/// records, and in parentheses the place of a related record. `-` is before the code of a finding that is withdrawn. A key
/// has its status, its assertions that are verified, all of them, those that failed, and its subject.
struct KeyNights {
  private struct Day: Sendable {
    private let scratch = made { try Scratch() }
    let audit: SmallAudit
    var keyIDs: [Digest256] = []
    /// The tokens of each key: the attestation, and assertions with the counters 1, 2, 3 and so on.
    var tokens: [[[UInt8]]] = []

    init() throws {
      var devices = LiveDevices(seed: 5, at: start)
      try devices.writeAnchors(to: scratch.path)
      audit = try SmallAudit(scratch, anchors: scratch.path + "/anchors")
      for key in 0..<3 {
        let number = UInt64(key + 1)
        let attestation = devices.attestation(of: number, for: clientData(key, 0), at: start)
        tokens.append([attestation.token])
        keyIDs.append(Digest256(attestation.keyID.span) ?? Digest256())
        for counter in 1...9 {
          let assertion = devices.assertion(of: number, for: clientData(key, counter))
          tokens[key].append(assertion.token)
        }
      }
    }
  }

  private static let day = made { try Day() }
  /// The time of the attestations.
  static let start: Int64 = 1_772_366_400_000
  static var keyIDs: [Digest256] { day.keyIDs }

  let history: MemoryHistory
  /// The open findings by fingerprint.
  private(set) var open: [UInt64: Finding] = [:]
  private var logs: [String] = []
  private let scratch = made { try Scratch() }

  init(pendingDays: Int? = nil) { history = MemoryHistory(pendingDays: pendingDays) }

  private static func clientData(_ key: Int, _ number: Int) -> [UInt8] {
    Array("the client data of \(key), \(number)".utf8)
  }

  /// Returns the line of a record, with other members.
  static func line(_ word: Substring, _ members: [String: Any] = [:]) throws -> String {
    let marks = Dictionary(
      uniqueKeysWithValues: word.matches(of: /[!=+~^%?#\/@][^!=+~^%?#\/@]*/).map {
        ($0.output.first, $0.output.dropFirst())
      })
    func text(_ mark: Character) -> String? {
      guard let parts = marks[mark]?.split(separator: "*") else { return nil }
      return parts.count > 1
        ? String(repeating: String(parts[0]), count: Int(parts[1]) ?? 0) : parts.joined()
    }
    let (key, number) = (place(word), Int(word.dropFirst().prefix(while: \.isNumber)) ?? 0)
    var record: [String: Any] = [
      "time": start + Int64((Double(marks["@"] ?? "") ?? 0) * 3_600_000),
      "keyId": Data(keyIDs[key].bytes).base64EncodedString(),
      "token": marks["%"] == nil ? Data(day.tokens[key][number]).base64EncodedString() : "oA==",
    ]
    record[number == 0 ? "challenge" : "payload"] =
      marks["!"] != nil
      ? "another challenge, long enough"
      : marks["?"] != nil ? "short" : String(decoding: clientData(key, number), as: UTF8.self)
    if marks["?"] != nil { record["clientDataHash"] = String(repeating: "01", count: 32) }
    record["deviceId"] = text("=") ?? text("+")
    if number > 0, marks["="] != nil { record["keyId"] = nil }
    record["serverCounter"] = text("#").flatMap { Int($0) }
    record["subject"] = text("/")
    record["decision"] = marks["~"] != nil ? "rejected" : marks["^"] != nil ? "accepted" : nil
    record.merge(members) { $1 }
    return String(
      decoding: try JSONSerialization.data(withJSONObject: record, options: .sortedKeys),
      as: UTF8.self)
  }

  private static func place(_ word: Substring) -> Int {
    Int(word.utf8.first ?? 0) - Int(UInt8(ascii: "a"))
  }

  /// Returns a key as a list has it.
  private static func known(_ word: Substring) -> KnownKey {
    let words = word.dropFirst().dropLast().split(separator: "#")
    let key = place(words[0])
    let token = day.tokens[key][0]
    // The 65 bytes whose SHA-256 the key identifier is.
    let point = token.indices.lazy.filter { token[$0] == 4 && $0 + 65 <= token.count }
      .map { Array(token[$0..<($0 + 65)]) }.first { Digest256.sha256($0.span) == keyIDs[key] }
    return KnownKey(
      keyID: keyIDs[key], publicKey: point ?? [], appID: SyntheticApp.bank.id,
      lastCounter: words.count > 1 ? UInt32(words[1]) : nil)
  }

  /// Audits logs by the settings among some words.
  private static func audit(
    _ inputs: [String], _ words: [Substring], _ history: RunMemory?
  ) throws -> SmallAudit.Outcome {
    let known = words.filter { $0.hasPrefix("[") }.map(known)
    return try day.audit.run(inputs) { configuration in
      configuration.history = history
      configuration.knownKeys = known
      configuration.verification.verifier = .openssl
      configuration.detection.counterGap = 6
      if words.contains("exact") { configuration.detection.replayScope = .exact }
    }
  }

  /// Audits the logs of all nights in one run without a state.
  func together() throws -> SmallAudit.Outcome { try Self.audit(logs, [], nil) }

  /// Audits a night, and more lines after its own.
  mutating func run(
    _ night: some StringProtocol, _ more: [String] = [],
    _ change: (inout RunMemory) -> Void = { _ in }
  ) throws -> SmallAudit.Outcome {
    let words = String(night).split(separator: " ")
    let lines = try words.filter { word in
      !word.hasPrefix("[") && !["reference", "exact"].contains(word)
    }.map { try Self.line($0) }
    logs.append(
      try scratch.write(
        "\(logs.count)", (lines + more).map { $0 + "\n" }.joined()))
    let mode: RunMemory.Mode = words.contains("reference") ? .reference : .advance
    var run = history.beginRun(mode: mode, date: "2026-03-0\(logs.count)")
    change(&run)
    let outcome = try Self.audit([logs[logs.count - 1]], words, run)
    if mode == .advance {
      for finding in outcome.findings {
        try run.findings.remember(finding)
        open[finding.fingerprint] = finding
      }
      for finding in outcome.closed { open[finding.fingerprint] = nil }
    }
    history.commit()
    return outcome
  }

  /// Audits a night, and returns the results as words.
  mutating func play(_ night: some StringProtocol, _ more: [String] = []) throws -> String {
    let outcome = try run(night, more)
    let keys = outcome.keys.map { row in
      "\(Self.name(row.keyID)) \(row.status.name) \(row.verified)/\(row.assertions)"
        + (row.failed > 0 ? " \(row.failed) failed" : "")
        + (row.subject.isEmpty ? "" : " \(row.subject)")
    }
    let findings = outcome.findings.map {
      Self.text($0) + ($0.count > 1 ? " x\($0.count)" : "")
    }
    let words = findings + outcome.closed.map { "-\($0.code.name)" } + keys
    return words.isEmpty ? "nothing" : words.joined(separator: ", ")
  }

  private static func name(_ keyID: Digest256?) -> String {
    zip(keyIDs, ["a", "b", "c"]).first { $0.0 == keyID }?.1 ?? "?"
  }

  /// Returns a finding as words, without the number of its records.
  static func text(_ finding: Finding) -> String {
    func place(_ position: Position) -> String { "\(position.source):\(position.line)" }
    return "\(finding.severity.name) \(finding.code.name) \(name(finding.keyID)) "
      + place(finding.position) + (finding.related.map { " (\(place($0)))" } ?? "")
  }
}
