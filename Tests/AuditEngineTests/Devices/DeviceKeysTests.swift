import AppAttest
import AuditLog
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Keys of a device` {
  /// An attestation that names the device.
  private struct Attestation {
    var time: Int64
    var key: UInt8
    var isValid = true
    var isRejected = false

    var claim: DeviceClaim { DeviceClaim(isValid: isValid, isRejected: isRejected) }
  }

  private func match(_ key: UInt8, isClaimed: Bool = false) -> DeviceKeys.Match {
    DeviceKeys.Match(keyID: digest(key), isClaimed: isClaimed)
  }

  private func known(_ key: UInt8, _ device: String?, attestedAt: Int64? = nil) -> KnownKey {
    KnownKey(
      keyID: digest(key), publicKey: [], appID: "A.b", attestedAt: attestedAt, deviceID: device)
  }

  /// The keys at some times, which rise; attestations in their order.
  private func keys(
    _ attestations: [Attestation], imported: [KnownKey] = [], at times: [Int64]
  ) -> [DeviceKeys.Match?] {
    let list = ImportedDevice.sorted(imported)
    var keys = DeviceKeys(imported: list.keys(of: Digest256.sha256(Array("D".utf8).span)))
    for each in attestations { keys.register(digest(each.key), each.claim) }
    var left = attestations[...]
    return times.map { time in
      while let next = left.first, next.time <= time {
        keys.take(digest(next.key), next.claim)
        left = left.dropFirst()
      }
      return keys.key(at: time)
    }
  }

  @Test func `nothing names the device`() {
    #expect(keys([], at: [0]) == [nil])
    #expect(keys([], imported: [known(1, "E"), known(2, nil), known(3, "")], at: [0]) == [nil])
  }

  @Test func `records.R77: the last valid attestation so far, and none before the first`() {
    let attestations = [
      Attestation(time: 10, key: 1), Attestation(time: 20, key: 2), Attestation(time: 20, key: 3),
      Attestation(time: 30, key: 1),
    ]
    #expect(
      keys(attestations, at: [9, 10, 19, 20, 29, 30, 99])
        == [nil, match(1), match(1), match(3), match(3), match(1), match(1)])
  }

  @Test func `a failed attestation takes no device away`() {
    let attestations = [
      Attestation(time: 10, key: 1), Attestation(time: 20, key: 2, isValid: false),
    ]
    #expect(keys(attestations, at: [5, 15, 25]) == [nil, match(1), match(1)])
  }

  @Test func `records.R77: what the server rejected takes no key's place, however much it is`() {
    var keys = DeviceKeys()
    keys.register(digest(1), .stored)
    for key in 2...200 { keys.register(digest(UInt8(key)), .rejected) }
    #expect(keys.others(than: digest(200)).first == digest(1) && keys.isCandidate(digest(1)))
    #expect(!keys.isCandidate(digest(2)))
  }

  @Test func `failed attestations count only where there is nothing else, by the same rule`() {
    let failed = [
      Attestation(time: 10, key: 1, isValid: false), Attestation(time: 20, key: 2, isValid: false),
    ]
    let claims = [nil, match(1, isClaimed: true), match(2, isClaimed: true)]
    #expect(keys(failed, at: [5, 15, 25]) == claims)
    #expect(keys(failed, imported: [known(7, "D")], at: [5, 15, 25]).allSatisfy { $0 == match(7) })
    #expect(keys(failed + [.init(time: 90, key: 9)], at: [25, 95]) == [claims[2], match(9)])
  }

  @Test func `rejected attestations count before failed ones, behind all others`() {
    let rejected = [
      Attestation(time: 10, key: 1, isRejected: true),
      Attestation(time: 20, key: 2, isRejected: true),
    ]
    #expect(keys(rejected, at: [5, 15, 25]) == [nil, match(1), match(2)])
    #expect(keys(rejected, imported: [known(7, "D")], at: [25]) == [match(7)])
    #expect(keys(rejected + [.init(time: 90, key: 9)], at: [25, 95]) == [match(2), match(9)])
    #expect(
      keys([Attestation(time: 5, key: 3, isValid: false)] + rejected, at: [6, 25])
        == [match(3, isClaimed: true), match(2)])
  }

  @Test
  func `every key of a valid attestation or of the list can have signed, whenever it was attested`()
  {
    // records.R77.
    let list = ImportedDevice.sorted([known(7, "D"), known(8, "D", attestedAt: 5)])
    var keys = DeviceKeys(imported: list[...])
    keys.register(digest(1), .stored)
    keys.register(digest(2), .rejected)
    keys.register(digest(3), .failed)
    keys.register(digest(1), .stored)
    keys.register(digest(7), .stored)
    #expect(keys.others(than: digest(1)) == [7, 8, 2].map { digest($0) })
    #expect(keys.others(than: digest(9)) == [7, 1, 8, 2].map { digest($0) })
    #expect(keys.isCandidate(digest(2)) && !keys.isCandidate(digest(3)))
  }

  @Test func `a device with one key has no other`() {
    var keys = DeviceKeys()
    #expect(keys.others(than: digest(1)) == [])
    keys.register(digest(1), .rejected)
    keys.register(digest(2), .failed)
    #expect(keys.others(than: digest(1)) == [] && keys.others(than: digest(2)) == [digest(1)])
    // Before its attestation, its signature says so (records.R77).
    #expect(keys.others(than: nil) == [digest(1)])
    let list = ImportedDevice.sorted([known(7, "D", attestedAt: 5)])
    #expect(DeviceKeys(imported: list[...]).others(than: nil) == [digest(7)])
  }

  @Test func `a valid attestation beats an imported key from its time on`() {
    let attestations = [Attestation(time: 10, key: 1)]
    for attestedAt in [nil, 0, 5, 10, 50] as [Int64?] {
      #expect(
        keys(attestations, imported: [known(7, "D", attestedAt: attestedAt)], at: [9, 10, 60])
          == [attestedAt ?? 0 > 9 ? nil : match(7), match(1), match(1)])
    }
  }

  @Test func `of several imported keys the last attested counts`() {
    let imported = [
      known(3, "D", attestedAt: 30), known(9, "E", attestedAt: 15), known(2, "D", attestedAt: 20),
      known(4, "D", attestedAt: 30),
    ]
    #expect(
      keys([], imported: imported, at: [0, 19, 20, 29, 30, 99])
        == [nil, nil, match(2), match(2), match(4), match(4)])
    // One without a time was the device's from the beginning.
    #expect(
      keys([], imported: imported + [known(1, "D")], at: [0, 19, 20, 29, 30])
        == [match(1), match(1), match(2), match(2), match(4)])
  }

  @Test(arguments: 0..<50)
  func `each device finds its own keys in the list, and no others`(_ seed: UInt64) {
    var random = Generator(seed)
    let names = ["A", "B", "C", "D", "E", nil]
    let known = (0..<random.below(40)).map { index in
      self.known(
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
