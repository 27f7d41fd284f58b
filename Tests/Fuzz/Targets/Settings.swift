import AppAttest
import AuditEngine
import AuditLog
import AuditSettings
import TestSupport

extension FuzzTarget {
  /// A pipeline file: settings, or one clear line about it.
  static let pipeline = FuzzTarget(
    name: "pipeline", limit: 8192, mutations: 400,
    seeds: {
      try FuzzSeeds.files(in: "pipelines", ending: ".yaml")
        + FuzzSeeds.files(in: "testdata", ending: ".yaml")
    },
    prepare: {
      { bytes in
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        let substitution = Substitution(date: "2026-11-20", environment: ["NAME": "value: [1]"])
        do throws(CommandError) {
          let context = PipelineNode.Context(file: "f.yaml", substitution: substitution)
          let root = try YAMLFile.read(text, context: context)
          let path = NamedPath(path: "/nowhere/f.yaml", origin: "f.yaml")
          let layer = try PipelineFile.read(root, path)
          _ = try SettingsResolver(layer: layer, environment: [:], day: "2026-11-20").resolve()
        } catch {
          require(error.isOneLine, "\(error)")
        }
      }
    })

  /// A schema file: one that reads lines, or one clear line about it.
  static let schema = FuzzTarget(
    name: "schema", limit: 8192, mutations: 100,
    seeds: {
      try FuzzSeeds.files(in: "pipelines/schemas", ending: ".yaml")
    },
    prepare: {
      let lines = try FuzzSeeds.schemas.flatMap { try FuzzSeeds.lines(of: $0, most: 1) }
      return { bytes in
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        let context = PipelineNode.Context(file: "f.yaml")
        do throws(CommandError) {
          let root = try YAMLFile.read(text, context: context)
          let schema = try SchemaFileReader.read(root, name: "f")
          let reader = RecordReader(
            schema: schema.compiled, isAppAttestObject: AppAttestSniffer.isAppAttestObject)
          var buffer = ByteBuffer()
          for line in lines {
            withLine(line, behind: [0x22]) { text in
              _ = unsafe reader.read(text, into: &buffer)
              _ = unsafe (reader.shape(ofSkippedIn: text), reader.decision())
            }
          }
        } catch {
          require(error.isOneLine, "\(error)")
        }
      }
    })

  /// A list of known keys: keys that are what they say, or one clear line with the list's line.
  static let knownKeys = FuzzTarget(
    name: "known-keys", limit: 8192, mutations: 60,
    seeds: {
      let list = try FuzzSeeds.file("testdata/known-keys.csv")
      let json = """
        {"keyId":"","publicKey":"","appId":"A.b","attestedAt":1772366400.25,"lastCounter":7,"subject":12}
        """
      return [list, Array(json.utf8)]
    },
    prepare: {
      let scratch = try Scratch()
      return { bytes in
        let path = try scratch.write("k.csv", bytes)
        do throws(CommandError) {
          let file = try KnownKeysFile.read(NamedPath(path: path, origin: "--keys"))
          for key in file.keys {
            require(key.publicKey.count == 65, "a key of \(key.publicKey.count) bytes")
            require(
              Digest256.sha256(key.publicKey.span) == key.keyID, "a key of another identifier")
            require(!key.appID.isEmpty, "no App ID")
          }
          require(Set(file.keys.map(\.keyID)).count == file.keys.count, "a key that occurs twice")
        } catch {
          require(error.isOneLine && error.message.contains("k.csv"), "\(error)")
        }
      }
    })
}

extension CommandError {
  /// Whether people see one line, and a hint of one line.
  var isOneLine: Bool {
    !message.isEmpty && !message.contains("\n") && hint?.contains("\n") != true
  }
}
