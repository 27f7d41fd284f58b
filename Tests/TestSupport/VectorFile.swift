package import Foundation

/// One file of the genuine vectors beside the package, outside the repository. Tests that need them
/// are skipped if they are absent.
package struct VectorFile: Decodable, Sendable {
  package var kind: String
  package var appId: String?
  package var environment: String?
  package var keyId: String?
  package var clientDataHashBase64: String?
  package var token: String
  package var publicKeyX962Base64: String?
  package var counter: UInt32?
  package var verifiedAt: String?
  package var expected: String
  /// `absent` if the publisher removed the receipt.
  package var receipt: String?

  /// The name of the file, without its extension.
  package var name = ""

  private enum CodingKeys: String, CodingKey {
    case kind, appId, environment, keyId, clientDataHashBase64
    case token, publicKeyX962Base64, counter, verifiedAt
    case expected, receipt
  }

  /// Whether the vectors lie beside the package.
  package static let isPresent = FileManager.default.fileExists(atPath: Repository.vectors.path)

  /// Every vector, in the order of the names, or none if they are absent.
  package static let all: [VectorFile] = made {
    let folder = Repository.vectors
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return try names.sorted().filter { $0.hasSuffix(".json") }.map { name in
      let data = try Data(contentsOf: folder.appending(path: name))
      var vector = try JSONDecoder().decode(VectorFile.self, from: data)
      vector.name = String(name.dropLast(5))
      return vector
    }
  }

  /// Reads an RFC 3339 time of a vector.
  package static func date(_ text: String) -> Date {
    let plain = Date.ISO8601FormatStyle(includingFractionalSeconds: false)
    let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    return made { try (try? plain.parse(text)) ?? fractional.parse(text) }
  }
}
