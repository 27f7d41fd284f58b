import AppAttest
import AuditEngine
import AuditSettings
import TestSupport

/// A list of known keys: keys that are what they say, or one clear line with the list's line.
struct KnownKeysTarget: FuzzTarget {
  static let name = "known-keys"
  static let limit = 8192

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static func seeds() throws -> [[UInt8]] {
    let list = try FuzzSeeds.file("testdata/known-keys.csv")
    let json = """
      {"keyId":"","publicKey":"","appId":"A.b","attestedAt":1772366400.25,"lastCounter":7,"subject":12}
      """
    return [list, Array(json.utf8)]
  }

  func run(_ bytes: [UInt8]) throws {
    let path = try scratch.write("k.csv", bytes)
    do throws(CommandError) {
      let file = try KnownKeysFile.read(NamedPath(path: path, origin: "--keys"))
      for key in file.keys {
        require(key.publicKey.count == 65, "a key of \(key.publicKey.count) bytes")
        require(Digest256.sha256(key.publicKey.span) == key.keyID, "a key of another identifier")
        require(!key.appID.isEmpty, "no App ID")
      }
      require(Set(file.keys.map(\.keyID)).count == file.keys.count, "a key that occurs twice")
    } catch {
      require(error.isOneLine && error.message.contains("k.csv"), "\(error)")
    }
  }
}
