import Basics
import Foundation

/// Project Wycheproof's cases, which lie outside the repository.
package struct Wycheproof: Decodable {
  package struct Group: Decodable {
    private struct Key: Decodable { var uncompressed: String }

    private var publicKey: Key
    package var tests: [Test]

    /// The X9.62 uncompressed point.
    package var point: [UInt8] { Wycheproof.bytes(publicKey.uncompressed) }
  }

  package struct Test: Decodable {
    private var msg, sig, result: String
    package var tcId: Int

    package var message: [UInt8] { Wycheproof.bytes(msg) }
    package var signature: [UInt8] { Wycheproof.bytes(sig) }
    package var isValid: Bool { result == "valid" }
  }

  private var testGroups: [Group]

  private static let folder = Repository.vectors.appending(path: "wycheproof")
  package static let isPresent = FileManager.default.fileExists(atPath: folder.path)

  /// Returns the groups of the file of a curve and a hash.
  package static func groups(_ curve: String, _ hash: String) throws -> [Group] {
    let file = folder.appending(path: "ecdsa_\(curve)_\(hash)_test.json")
    return try JSONDecoder().decode(Wycheproof.self, from: Data(contentsOf: file)).testGroups
  }

  private static func bytes(_ hex: String) -> [UInt8] { Hex.bytes(hex.utf8) ?? [] }
}
