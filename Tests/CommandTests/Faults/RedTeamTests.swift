import Foundation
import TestSupport
import Testing

/// Known attacks that a server accepted, written as somebody would write them who knows this program:
/// with lies, odd encodings, other orders, and over several files and nights. None ends at status 0.
struct RedTeamTests {
  /// How many are composed; 100,000 by hand.
  private static let rounds =
    ProcessInfo.processInfo.environment["ATTEST_AUDIT_RED_TEAM"].flatMap { Int($0) } ?? 12
  private static let first =
    ProcessInfo.processInfo.environment["ATTEST_AUDIT_RED_TEAM_SEED"].flatMap { Int($0) } ?? 1

  private static let attacks = [
    "replay.assertion", "replay.attestation", "replay.cross_key", "replay.client_data_hash",
    "counter.repeated", "counter.regression", "assertion.signature_invalid",
    "assertion.app_id_mismatch", "assertion.malformed", "attestation.chain_untrusted",
    "attestation.nonce_mismatch", "attestation.key_id_mismatch", "attestation.app_id_mismatch",
    "attestation.environment_mismatch", "attestation.counter_nonzero", "attestation.malformed",
    "key.unknown", "key.untrusted", "record.client_data_hash_mismatch",
  ]

  @Test func `no evasion takes an accepted attack to status 0`() throws {
    for seed in Self.first..<(Self.first + Self.rounds) {
      var random = Generator(UInt64(seed))
      let attack = Self.attacks[random.below(Self.attacks.count)]
      let day = try ForgedDay()
      try day.forge([
        "--attacks", attack, "--seed", "\(1 + random.below(1000))", "--keys", "3",
        "--assertions", "30", "--files", "2",
      ])
      var evasion = Evasion(random: random)
      let used = try evasion.rewrite(day.scratch)
      var worst: Int32 = 0
      for night in 0..<evasion.nights {
        let flags =
          evasion.nights == 1
          ? []
          : ["--state", "state", "--state-mode", "advance", "--settle", "0s"]
        let outcome = try Program.run(
          [
            "audit", "night-\(night)", "--pipeline", "day/pipeline.yaml", "--out",
            "report-\(night)", "--quiet",
          ] + flags, in: day.scratch.path)
        #expect([0, 1, 2].contains(outcome.status), "\(seed) \(attack) \(used): \(outcome.errors)")
        worst = max(worst, outcome.status)
      }
      #expect(worst > 0, "ATTEST_AUDIT_RED_TEAM_SEED=\(seed): \(attack) \(used) is not seen")
    }
  }
}

/// Ways to write lines that a lenient server reads as it read them before.
private struct Evasion {
  enum Trick: String, CaseIterable {
    case base64url, noPadding, spaces, breaks, junk, percent, hexKey
    case escapes, whitespace, unknownFields, platform, format, noKind, requestID
  }

  var random: Generator
  let nights: Int
  private let tricks: [Trick]

  init(random: Generator) {
    var random = random
    nights = random.once(in: 3) ? 2 : 1
    tricks = Trick.allCases.filter { _ in random.once(in: 4) }
    self.random = random
  }

  /// Puts the day's lines, written otherwise, into the folders `night-0`, …: the tricks used.
  mutating func rewrite(_ scratch: Scratch) throws -> String {
    let folder = scratch.path + "/day/logs"
    var lines: [String] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
      let text = String(
        decoding: try Packed.unpack(scratch.bytes("day/logs/" + name)), as: UTF8.self)
      for line in text.split(separator: "\n") { lines.append(try rewrite(String(line))) }
    }
    if random.once(in: 2) { lines.shuffle(using: &random) }
    let count = 1 + random.below(4)
    for night in 0..<nights {
      let share = lines.enumerated().filter { $0.offset % nights == night }.map(\.element)
      for file in 0..<count {
        let own = share.enumerated().filter { $0.offset % count == file }.map(\.element)
        try write(own, to: "night-\(night)/\(random.below(1000))-\(file).jsonl", scratch)
      }
    }
    return "\(tricks.map(\.rawValue)), \(count) files, \(nights) nights"
  }

  private mutating func write(_ lines: [String], to name: String, _ scratch: Scratch) throws {
    let end = random.once(in: 3) ? "\r\n" : "\n"
    var text = random.once(in: 4) ? "\u{FEFF}" : ""
    for line in lines {
      if random.once(in: 9) { text += " \t" + end }
      text += line + end
    }
    let bytes = Array(text.utf8)
    switch random.below(3) {
    case 0: try scratch.write(name, try Packed.zstd(bytes))
    case 1: try scratch.write(name, try Packed.gzip(bytes))
    default: try scratch.write(name, bytes)
    }
  }

  private mutating func rewrite(_ line: String) throws -> String {
    guard
      var record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    else { return line }
    // The server took it.
    if record["token"] != nil { record["decision"] = "accepted" }
    for trick in tricks { apply(trick, &record) }
    let names = record.keys.sorted().shuffled(using: &random)
    let space = tricks.contains(.whitespace) ? " \t" : ""
    let members = try names.map { name -> String in
      let value = try JSONSerialization.data(
        withJSONObject: record[name] ?? NSNull(), options: [.fragmentsAllowed])
      var text = String(decoding: value, as: UTF8.self)
      if tricks.contains(.escapes), record[name] is String { text = escaped(text) }
      return "\(space)\"\(name)\"\(space):\(space)\(text)\(space)"
    }
    return "{" + members.joined(separator: ",") + "}"
  }

  private mutating func apply(_ trick: Trick, _ record: inout [String: Any]) {
    func change(_ names: [String], _ body: (String) -> String) {
      for name in names {
        if let text = record[name] as? String { record[name] = body(text) }
      }
    }
    switch trick {
    case .base64url:
      change(["token", "keyId"]) {
        $0.replacing("+", with: "-").replacing("/", with: "_")
      }
    case .noPadding: change(["token", "keyId"]) { $0.replacing("=", with: "") }
    case .spaces: change(["token", "keyId"]) { $0.replacing("+", with: " ") }
    case .breaks:
      change(["token"]) { text in
        text.isEmpty ? text : "\(text.prefix(text.count / 2))\r\n\(text.dropFirst(text.count / 2))"
      }
    case .junk: change(["token"]) { "\($0.prefix(8))!\($0.dropFirst(8))" }
    case .percent: change(["token"]) { $0.replacing("+", with: "%2B").replacing("=", with: "%3D") }
    case .hexKey:
      change(["keyId"]) { text in
        guard let bytes = Data(base64Encoded: text), bytes.count == 32 else { return text }
        return bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      }
    case .platform: if record["token"] != nil { record["platform"] = "android" }
    case .format: if record["token"] != nil { record["format"] = "play-integrity" }
    case .noKind: record["kind"] = nil
    case .requestID: record["requestId"] = "r-\(random.below(1 << 30))"
    case .unknownFields:
      record["x\(random.below(99))"] = ["token": ["AAAA", 1, NSNull()] as [Any]] as [String: Any]
    case .escapes, .whitespace: break
    }
  }

  /// Some letters of a JSON string as `\u0041`.
  private mutating func escaped(_ text: String) -> String {
    var result = ""
    var isEscape = false
    for (index, byte) in text.utf8.enumerated() {
      let isLetter = (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      if isLetter, !isEscape, index > 0, random.once(in: 5) {
        result += "\\u00" + String(byte, radix: 16)
      } else {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      }
      isEscape = byte == 0x5C && !isEscape
    }
    return result
  }
}
