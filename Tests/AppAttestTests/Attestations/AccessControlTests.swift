import AppAttest
import Foundation
import Testing

@testable import LogForge

/// Attestations of Macs by a synthetic authority (`verification.R36`).
struct AccessControlTests {
  private static let time: Int64 = 1_789_000_000_123
  private static let hash = [UInt8](repeating: 7, count: 32)
  /// Apple's value for System Integrity Protection and Full Security, `facts.R36`.
  private static let full = Array(
    Data(
      base64Encoded: "MEAMAjExMDowCQwCb2uhAwEB/zAJDAJvYaEDAQH/MAsMBG9kZWyhAwEB/"
        + "zAVDARvc2duoAYMBHJzZWMwBaYDAgEB")!)

  private let authority: SyntheticAuthority
  private let device: Device

  init() throws {
    authority = try SyntheticAuthority(seed: 5, SigningTools())
    let keys = try KeyTable(count: 32, seed: 5)
    let devices = (0..<32).map { keys.device($0) }
    device = try #require(devices.first { !$0.isDevelopment && $0.app == .bank })
  }

  /// Returns the checks that fail, by both ways of reading, of an attestation without a receipt. `marks`
  /// are [4] of …100.8.5 and [1026] of …100.8.7.
  private func failures(
    _ marks: (key: Int, platform: String), access: [UInt8]?, receipts: ReceiptPolicy = .ignore,
    _ policy: MacOSAccessControlPolicy = .verify, at late: Int64 = 0, serial: [UInt8]? = nil
  ) throws -> [AttestationCheck] {
    var random = device.random(9, 0)
    var recipe = device.attestation(
      at: Self.time, clientDataHash: Self.hash, authority: authority, &random)
    recipe.system = .iOS27
    recipe.system.otherMarks = marks
    recipe.accessControl = access
    recipe.leafSerial = serial ?? CBORWriter.bigEndian(UInt64(Self.time), 6)
    recipe.notBefore = Self.time / 1000 - 86_400
    recipe.notAfter = Self.time / 1000 + 10 * 86_400
    recipe.rawReceipt = []
    let token = try AttestationMint.mint(recipe, SigningTools()).token
    let verifier = try AttestationVerifier(
      apps: ConfiguredApps([AppPolicy(id: device.app.id)]),
      trustAnchors: [authority.root.certificate],
      receiptAnchors: [authority.receiptRoot.certificate],
      receipts: receipts, macOSAccessControl: policy)
    let record = AttestationRecord(
      keyIdentifier: try #require(Digest256(device.id)), clientDataHash: Self.hash, appID: nil,
      time: Self.time + late)
    guard case .judged(let judged) = verifier.judge(token: token.span, of: record) else {
      return [.format]
    }
    #expect((judged.verified == nil) == !judged.failures.allSatisfy(\.check.leavesValid))
    // The issuer is known now: the attestation is read without OpenSSL, and judged alike.
    let ordinary = verifier.read(token: token.span, of: record)
    #expect(ordinary?.judgement == judged)
    return judged.failures.map(\.check)
  }

  @Test func `a Mac's key has exactly Apple's access control`() throws {
    let other = Array(Self.full.dropLast()) + [0]
    for marks in [(13, "macosx"), (10, "macosx"), (13, "iphoneos")] {
      #expect(try failures(marks, access: Self.full) == [])
      for access in [other, Self.full + [0], [], nil] {
        #expect(try failures(marks, access: access) == [.accessControl], "\(marks)")
        #expect(try failures(marks, access: access, .ignore) == [])
      }
    }
    // Other devices have other values, or none.
    for marks in [(10, "iphoneos"), (12, "macosx "), (0, "")] {
      for access in [other, nil] { #expect(try failures(marks, access: access) == []) }
    }
  }

  @Test func `without a receipt the leaf's serial number is Apple's signed time`() throws {
    // verification.R43; facts.R35. Tolerances of verification.R17.
    let day: Int64 = 86_400_000
    for receipts in [ReceiptPolicy.ignore, .verify] {
      let missing: [AttestationCheck] = receipts == .ignore ? [] : [.receiptInvalid]
      func checks(_ late: Int64, _ serial: [UInt8]? = nil) throws -> [AttestationCheck] {
        try failures((10, "iphoneos"), access: nil, receipts: receipts, at: late, serial: serial)
      }
      for late in [0, -300_000, day] { #expect(try checks(late) == missing) }
      for late in [-300_001, day + 1] { #expect(try checks(late) == missing + [.timeDisagrees]) }
      // Not 6 bytes, or not a time at which the leaf was valid: nothing is known.
      let early = CBORWriter.bigEndian(UInt64(Self.time - 2 * day), 6)
      for serial in [[1], early, [1] + CBORWriter.bigEndian(UInt64(Self.time), 6)] as [[UInt8]] {
        #expect(try checks(day + 1, serial) == missing)
      }
    }
  }
}
