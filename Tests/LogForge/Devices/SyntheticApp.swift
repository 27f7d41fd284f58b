internal import Minting

/// An app of the forged world.
package struct SyntheticApp: Sendable, Equatable {
  /// App ID: prefix, a point, bundle identifier.
  package let id: String
  /// SHA-256 of the App ID.
  package let rpIDHash: [UInt8]
  package let allowsDevelopment: Bool
  /// The allowed validation categories, by Apple's number. If empty, they are not checked.
  package let categories: [UInt32]
  /// The allowed bundle versions. If empty, they are not checked.
  package let bundleVersions: [String]

  init(
    _ id: String, allowsDevelopment: Bool, categories: [UInt32] = [],
    bundleVersions: [String] = []
  ) {
    self.id = id
    rpIDHash = MintingDigest.sha256(Array(id.utf8))
    self.allowsDevelopment = allowsDevelopment
    self.categories = categories
    self.bundleVersions = bundleVersions
  }

  /// Returns the code hash of one bundle version, 32 bytes.
  func codeHash(of version: String) -> [UInt8] {
    MintingDigest.sha256(Array("code of \(id) \(version)".utf8))
  }

  /// An app with production and development keys of any category.
  package static let bank = SyntheticApp(
    "SYNTH00001.com.example.synthetic.bank", allowsDevelopment: true)
  /// An app with production keys only, from the App Store or TestFlight, in two versions.
  package static let game = SyntheticApp(
    "SYNTH00002.org.example.synthetic.game", allowsDevelopment: false, categories: [2, 4],
    bundleVersions: ["7.1", "7.2"])
  /// An app with a strict policy: one category, a range of versions and one text, and code hashes. It requires all
  /// three values.
  static let vault = SyntheticApp(
    "SYNTH00003.com.example.synthetic.vault", allowsDevelopment: false, categories: [4],
    bundleVersions: ["7.11"])
  /// An app that nobody configured.
  static let stranger = SyntheticApp(
    "SYNTH00009.net.example.synthetic.stranger", allowsDevelopment: true)

  static let named: [Substring: SyntheticApp] = [
    "bank": .bank, "game": .game, "vault": .vault, "stranger": .stranger,
  ]
}
