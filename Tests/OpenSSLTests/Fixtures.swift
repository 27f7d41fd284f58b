import Foundation
import TestSupport
import Testing

/// Certificates and SignedData of `Tests/Cases/certificates.txt`, by the name after their prefix.
@dynamicMemberLookup
struct MintedOnce: Sendable {
  let prefix: String

  private static let all = made {
    Dictionary(
      uniqueKeysWithValues: try Repository.text("Tests/Cases/certificates.txt")
        .split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
          let words = line.split(separator: " ")
          return (String(words[0]), try #require(Data(base64Encoded: String(words[1]))))
        })
  }

  subscript(dynamicMember name: String) -> [UInt8] {
    Array(Self.all["\(prefix).\(name)"] ?? Data())
  }
}

let pki = MintedOnce(prefix: "pki")
let cms = MintedOnce(prefix: "cms")
let rsa = MintedOnce(prefix: "rsa")
let crowd = MintedOnce(prefix: "crowd")

/// The content of `cms`.
let signedContent = Array("a receipt, or what stands for one".utf8)

/// The folder of the genuine and the Wycheproof vectors, outside the repository. Tests that need
/// them are skipped where they are absent.
enum SharedFolder {
  static let vectors = Repository.vectors

  static let isPresent = FileManager.default.fileExists(atPath: vectors.path)
  static let comment: Comment = "the vectors are not beside this package"

  /// Returns the token of a genuine vector.
  static func token(_ name: String) throws -> [UInt8] {
    let data = try Data(contentsOf: vectors.appending(path: name + ".json"))
    let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    let token = try #require(object?["token"] as? String)
    return Array(try #require(Data(base64Encoded: token)))
  }
}

/// Returns the seconds since 1970 of a UTC time such as `2026-01-01T00:00:00Z`.
func seconds(_ text: String) -> Int64 {
  made { Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970) }
}
