import AppAttest
import AuditLog
import AuditSettings
import Foundation
import LogDiscovery
import TestSupport

extension FuzzTarget {
  /// A line, read through one of the shipped schemas: what it is read as depends on its bytes alone, not on
  /// what was read before it, nor on what stands behind it in memory.
  static let record = FuzzTarget(
    name: "record", limit: 8192, mutations: 150,
    seeds: {
      // The number of a schema, and a line in it.
      try FuzzSeeds.schemas.enumerated().flatMap { index, schema in
        try FuzzSeeds.lines(of: schema, most: 8).map { [UInt8(index)] + $0 }
      }
    },
    prepare: {
      // For each schema two readers.
      let readers = try FuzzSeeds.schemas.map { name in
        let schema = try SchemaFile.named(
          name, origin: "fuzz", key: "", folder: "",
          substitution: Substitution())
        return (0..<2).map { _ in
          RecordReader(
            schema: schema.compiled, isAppAttestObject: AppAttestSniffer.isAppAttestObject)
        }
      }

      return { bytes in
        guard let first = bytes.first else { return }
        let pair = readers[Int(first) % readers.count]
        let line = Array(bytes.dropFirst())
        let expected = outcome(of: line, pair[0], filler: 0)
        // The same reader again after another line, and one that saw nothing but its own lines.
        _ = outcome(of: line.reversed(), pair[0], filler: 0x7D)
        require(
          outcome(of: line, pair[0], filler: 0x22) == expected, "depends on what was read before")
        require(
          outcome(of: line, pair[1], filler: 0x5C) == expected, "depends on what stands behind")
      }
    })

  /// A line that no rule fits. The search for a token in it depends on its bytes alone, and finds a token behind it.
  static let tokenSearch = FuzzTarget(
    name: "token-search", limit: 4096, mutations: 800,
    seeds: {
      // Lines with tokens, as they are, as strings of JSON, and in base64.
      let lines = try FuzzSeeds.schemas.flatMap { try FuzzSeeds.lines(of: $0, most: 2) }
      return lines.flatMap { line in
        [
          line,
          (try? JSONEncoder().encode([String(decoding: line, as: UTF8.self)])).map(Array.init),
        ]
        .compactMap(\.self) + [wrapped(line)]
      }
    },
    prepare: {
      let signature =
        [0xA2, 0x69] + Array("signature".utf8) + [0x58, 70] + [UInt8](repeating: 7, count: 70)
      let data =
        [0x71] + Array("authenticatorData".utf8) + [0x58, 37] + [UInt8](repeating: 9, count: 37)
      let token = Array("\"\(Data(signature + data).base64EncodedString())\"".utf8)
      // One of two searches sees nothing but the lines themselves.
      let searches = (
        TokenSearch(AppAttestSniffer.tokenFront), TokenSearch(AppAttestSniffer.tokenFront)
      )
      return { bytes in
        let holds = holdsToken(bytes, searches.0, filler: 0)
        _ = holdsToken(bytes.reversed(), searches.0, filler: 0x41)
        require(
          holdsToken(bytes, searches.0, filler: 0x22) == holds, "depends on what was read before")
        require(
          holdsToken(bytes, searches.1, filler: 0x6F) == holds, "depends on what stands behind")
        // Whatever is before a token, and in base64 as well.
        let line = bytes + token
        require(holdsToken(line, searches.1, filler: 0), "a token hides behind a line")
        require(holdsToken(wrapped(line), searches.1, filler: 0), "a token hides in base64")
      }
    })

  /// A log that `init` reads: the schema that it writes is read back as the same value.
  static let initLog = FuzzTarget(
    name: "init", limit: 32_768, mutations: 1,
    seeds: {
      try FuzzSeeds.schemas.map { schema in
        Array(try FuzzSeeds.lines(of: schema, most: 9).joined(separator: [0x0A]))
      }
    },
    prepare: {
      let scratch = try Scratch()
      return { bytes in
        let path = try scratch.write("log.jsonl", bytes)
        let sample = SampleReader.read([path], limit: 60)
        guard !sample.lines.isEmpty else { return }
        let discovery = Discovery(
          sample, anchors: [AppleTrust.appAttestationRootCA], keys: [:], appIDs: [],
          isAppID: { SettingFormat<String>.appID.parse($0) != nil })
        guard let schema = discovery.draft.schema(of: sample) else { return }
        let text = SchemaWriter(schema, replayScope: nil).lines.joined(separator: "\n")
        let context = PipelineNode.Context(file: "found.yaml")
        do throws(CommandError) {
          let root = try YAMLFile.read(text, context: context)
          require(
            try SchemaFileReader.read(root, name: schema.name).definition == schema,
            "\(schema)\n\(text)")
        } catch {
          require(false, "\(error)\n\(text)")
        }
      }
    })
}

private func outcome(of line: [UInt8], _ reader: RecordReader, filler: UInt8) -> String {
  var buffer = ByteBuffer()
  return withLine(line, behind: [filler]) { text in
    let outcome = unsafe reader.read(text, into: &buffer)
    let shape = unsafe reader.shape(ofSkippedIn: text)
    return "\(outcome) \(reader.decision()) \(shape) \(buffer.storage[..<buffer.count])"
  }
}

/// Returns a line whose body is `bytes` in base64.
private func wrapped(_ bytes: [UInt8]) -> [UInt8] {
  Array(#"{"path":"/v2/attest","isBase64Encoded":true,"body":""#.utf8)
    + Array(Data(bytes).base64EncodedData()) + Array(#""}"#.utf8)
}

private func holdsToken(_ line: [UInt8], _ search: TokenSearch, filler: UInt8) -> Bool {
  withLine(line, behind: [filler]) { unsafe search.finds($0) }
}
