import Foundation
import OpenSSL
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

  subscript(dynamicMember name: String) -> [UInt8] { Self.named("\(prefix).\(name)") }

  /// Returns the bytes by their whole name.
  static func named(_ name: String) -> [UInt8] { Array(all[name] ?? Data()) }
}

let pki = MintedOnce(prefix: "pki")
let cms = MintedOnce(prefix: "cms")
let rsa = MintedOnce(prefix: "rsa")
let crowd = MintedOnce(prefix: "crowd")

/// The content of `cms`.
let signedContent = Array("a receipt, or what stands for one".utf8)

/// Returns the SHA-256 of one part, or of two.
func sha256(_ first: [UInt8], _ second: [UInt8]? = nil) -> [UInt8] {
  unsafe [UInt8](unsafeUninitializedCapacity: 32) { output, count in
    guard let start = output.baseAddress else { return }
    if let second {
      unsafe SHA256.hash(first.span, second.span, into: start)
    } else {
      unsafe SHA256.hash(first.span, into: start)
    }
    count = 32
  }
}

/// Returns the seconds since 1970 of a UTC time such as `2026-01-01T00:00:00Z`.
func seconds(_ text: String) -> Int64 {
  made { Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970) }
}
