import LogForge
import TestSupport
import Testing

@testable import AppAttest

/// The rules of an app on what Apple's system signed into tokens.
struct TokenPolicyTests {
  private static let long = String(repeating: "ab", count: 32)

  private func extensions(
    category: UInt8? = nil, version: String? = nil, hash: [UInt8]? = nil
  ) throws -> AuthenticatorExtensions {
    var pairs: [(key: [UInt8], value: [UInt8])] = []
    if let category {
      pairs.append(
        (CBORWriter.text("apple_validation_category_01"), CBORWriter.bytes([category, 0, 0, 0])))
    }
    if let version {
      pairs.append((CBORWriter.text("apple_bundle_version_01"), CBORWriter.text(version)))
    }
    if let hash { pairs.append((CBORWriter.text("apple_cd_hash_hash_01"), CBORWriter.bytes(hash))) }
    let map = pairs.isEmpty ? [] : CBORWriter.map(pairs)
    return try AuthenticatorExtensions(map.span)
  }

  /// The rows of `Tests/Cases/version-ranges.txt`: texts with commas between them, and a range that they are within or
  /// outside of; or that are no ranges, or have the form of a range or not (`verification.R40`).
  @Test(arguments: TextCase.read("version-ranges"))
  func `versions are compared part by part, as numbers before texts`(_ one: TextCase) throws {
    for text in one.text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      let words = one.message.split(separator: " ", maxSplits: 1).map(String.init)
      switch words[0] {
      case "within": #expect(try #require(BundleVersionRange(words[1])).contains(text), "\(text)")
      case "outside": #expect(try !#require(BundleVersionRange(words[1])).contains(text), "\(text)")
      case "none": #expect(BundleVersionRange(text) == nil, "\(text)")
      default: #expect(BundleVersionRange.isRange(text) == (words[0] == "like"), "\(text)")
      }
    }
    #expect(BundleVersionRange(">=7 <=7.0") != nil)
  }

  @Test func `hashes match in 20 bytes, and in 32 if both have them`() throws {
    // verification.R37, R39.
    func hash(_ count: Int, last: UInt8 = 9) -> CodeHash {
      let bytes = [UInt8](repeating: 9, count: max(0, count - 1)) + (count > 0 ? [last] : [])
      return CodeHash(bytes.span)
    }
    for (one, other, isSame) in [
      (hash(20), hash(20), true), (hash(20), hash(32), true), (hash(32), hash(20), true),
      (hash(32), hash(32), true), (hash(32), hash(32, last: 8), false),
      (hash(20), hash(32, last: 8), true), (hash(20, last: 8), hash(32), false),
      (hash(19), hash(20), false), (hash(33), hash(33), false), (hash(0), hash(0), false),
    ] {
      #expect(one.matches(other) == isSame, "\(one.hex) \(other.hex)")
    }
    for text in [
      "", "ab", String(Self.long.dropLast()), Self.long + "ab", "g" + Self.long.dropFirst(),
    ] {
      #expect(CodeHash(hex: text) == nil)
    }
    #expect(CodeHash(hex: Self.long.uppercased())?.hex == Self.long)
  }

  @Test func `categories that Apple assigns to no app are refused by every app, and without one`()
    throws
  {
    // verification.R15, R25.
    let apps = ConfiguredApps([
      AppPolicy(id: "A.b"),
      AppPolicy(id: "A.c", categories: Set((0...12).map { .init(rawValue: $0) })),
    ])
    for category in UInt8(0)...12 {
      let isRefused = [0, 7, 8, 9].contains(category)
      for index in [0, 1, nil] {
        let reason = apps.categoryFailure(
          index: index, extensions: try extensions(category: category))
        #expect((reason != nil) == isRefused, "\(category)")
      }
    }
  }

  @Test func `an empty value that an app requires is none`() throws {
    // verification.R15, R37.
    let apps = ConfiguredApps([AppPolicy(id: "A.b", requires: [.bundleVersion, .codeHash])])
    let empty = try extensions(category: 4, version: "", hash: [])
    #expect(apps.categoryFailure(index: 0, extensions: empty) != nil)
    #expect(apps.codeFailure(index: 0, extensions: empty) != nil)
  }

  @Test func `listed versions and hashes`() throws {
    // verification.R15, R37, R40.
    let app = AppPolicy(
      id: "A.b", bundleVersions: ["beta", ">=7.10 <8"],
      codeHashes: [try #require(CodeHash(hex: Self.long))])
    let apps = ConfiguredApps([app])
    // The text of a range is not a version.
    for (version, isListed) in [
      ("beta", true), ("7.99", true), ("7.9", false), ("7.10", true), ("", false),
      (">=7.10 <8", false),
    ] {
      let reason = apps.categoryFailure(index: 0, extensions: try extensions(version: version))
      #expect((reason == nil) == isListed, "\(version)")
    }
    // A Mac sends no version, and an app without the entitlement no hash.
    #expect(apps.categoryFailure(index: 0, extensions: try extensions()) == nil)
    #expect(apps.codeFailure(index: 0, extensions: try extensions()) == nil)
    let other = [UInt8](repeating: 0xAB, count: 31)
    #expect(apps.codeFailure(index: 0, extensions: try extensions(hash: other + [0xAB])) == nil)
    for hash in [other + [0], other, []] {
      #expect(apps.codeFailure(index: 0, extensions: try extensions(hash: hash)) != nil)
    }
    #expect(apps.codeFailure(index: nil, extensions: try extensions(hash: other)) == nil)
  }

  @Test func `a mismatch names the configured app whose token it is`() {
    // verification.R41.
    let apps = ConfiguredApps([AppPolicy(id: "A.shop"), AppPolicy(id: "A.bank")])
    let name = Array("A.shop".utf8)
    let shop = Digest256.sha256(name.span)
    for (appID, words) in [
      ("A.bank", "The rpIdHash is that of A.shop"), ("A.other", "which is not configured"),
      ("A.shop.Clip", "an App Clip's token has the App ID of its full app"),
    ] {
      let detail = apps.mismatch(appID: appID, rpIDHash: shop)
      #expect(detail.contains(words) && detail.contains("A.shop"), "\(detail)")
    }
  }
}
