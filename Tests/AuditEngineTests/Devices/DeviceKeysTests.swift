import AppAttest
import AuditLog
import Foundation
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Keys of a device` {
  private static func known(
    _ key: UInt8, _ device: String?, attestedAt: Int64? = nil
  ) -> KnownKey {
    KnownKey(
      keyID: digest(key), publicKey: [], appID: "A.b", attestedAt: attestedAt, deviceID: device)
  }

  /// The attestations of the device `D` in their order, and the list of known keys. As text, an attestation of key 2 at
  /// the time 20 is `2@20`, with `!` if it failed and `~` if the server rejected it; `[2@20]` and `[2]` are in the list,
  /// with the name of another device behind them.
  private struct Events {
    var attestations: [(time: Int64, key: UInt8, claim: DeviceClaim)] = []
    var list: [KnownKey] = []

    init(_ text: String) {
      for word in text.split(separator: " ") {
        let numbers = word.split { !$0.isNumber }.compactMap { Int64($0) }
        let (key, time) = (UInt8(numbers[0]), numbers.dropFirst().first)
        if word.hasPrefix("[") {
          let device = word.split(separator: "]").dropFirst().first ?? "D"
          let name = device == "-" ? nil : String(device.replacing("'", with: ""))
          list.append(known(key, name, attestedAt: time))
        } else {
          let claim = DeviceClaim(isValid: word.last != "!", isRejected: word.last == "~")
          attestations.append((time ?? 0, key, claim))
        }
      }
    }

    /// Returns what is known of the keys: of those that a question names, or at the times that it names.
    func answer(_ question: String) -> String {
      let words = question.split(separator: " ")
      let imported = ImportedDevice.sorted(list)
      var keys = DeviceKeys(imported: imported.keys(of: Digest256.sha256(Array("D".utf8).span)))
      for (_, key, claim) in attestations { keys.register(digest(key), claim) }
      switch words[0] {
      case "others":
        return keys.others(than: UInt8(words[2]).map(digest)).map { "\($0.bytes[0])" }
          .joined(separator: " ")
      case "candidates":
        return (1...9).filter { keys.isCandidate(digest($0)) }.map { "\($0)" }
          .joined(separator: " ")
      default:
        var left = attestations[...]
        return words.dropFirst().compactMap { Int64($0) }.map { time in
          while let next = left.first, next.time <= time {
            keys.take(digest(next.key), next.claim)
            left = left.dropFirst()
          }
          return keys.key(at: time).map { "\($0.keyID.bytes[0])" + ($0.isClaimed ? "?" : "") }
            ?? "-"
        }.joined(separator: " ")
      }
    }
  }

  @Test(arguments: TextCase.read("device-keys"))
  func `a device's keys are those that its attestations and the list say`(_ one: TextCase) {
    let parts = one.message.components(separatedBy: " =>")
    let answer = parts[1].drop { $0 == " " }
    #expect(Events(one.text).answer(parts[0]) == answer, "\(one.text)")
  }

  @Test func `records.R77: what the server rejected takes no key's place, however much it is`() {
    var keys = DeviceKeys()
    keys.register(digest(1), .stored)
    for key in 2...200 { keys.register(digest(UInt8(key)), .rejected) }
    #expect(keys.others(than: digest(200)).first == digest(1) && keys.isCandidate(digest(1)))
    #expect(!keys.isCandidate(digest(2)))
  }

  @Test(arguments: 0..<50)
  func `each device finds its own keys in the list, and no others`(_ seed: UInt64) {
    var random = Generator(seed)
    let names = ["A", "B", "C", "D", "E", nil]
    let known = (0..<random.below(40)).map { index in
      Self.known(
        UInt8(index), names[random.below(6)],
        attestedAt: random.below(3) == 0 ? nil : Int64(random.below(6)))
    }
    let list = ImportedDevice.sorted(known)
    for name in ["A", "B", "C", "D", "E", "F", ""] {
      let found = list.keys(of: Digest256.sha256(Array(name.utf8).span)).map(\.keyID)
      let own = known.enumerated().filter { $0.element.deviceID == name }.sorted {
        ($0.element.attestedAt ?? .min, $0.offset) < ($1.element.attestedAt ?? .min, $1.offset)
      }
      #expect(found == own.map(\.element.keyID))
    }
  }
}
