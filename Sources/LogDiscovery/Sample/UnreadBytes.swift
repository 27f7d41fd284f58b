import AppAttest
import AuditLog

/// Tokens in forms of bytes that no audit reads: arrays of signed bytes, as Java writes them, and objects of indexes, as
/// JavaScript writes a Uint8Array.
package struct UnreadBytes {
  /// The number of lines with such a token.
  package private(set) var lines = 0
  /// A clause about the place and the form of the first.
  package let words: String
  /// A command for a shell that writes the tokens as an audit reads them, or nil if they are in arrays.
  package let command: String?

  /// Finds such tokens in a sample, and marks their lines as lines with a token.
  init?(_ sample: inout LogSample, _ document: JSONDocument) {
    var first: (line: SampleLine, value: SampleValue)?
    for (index, line) in sample.lines.enumerated() {
      guard let value = line.values.first(where: { Self.isToken($0, document) }) else { continue }
      first = first ?? (line, value)
      sample.lines[index].holdsToken = true
      lines += 1
    }
    guard let (line, value) = first else { return nil }
    words =
      "at \(sample.pointers.text(value.pointer)) as "
      + (value.kind == .array
        ? "arrays of signed bytes, as Java writes them"
        : "objects of indexes, as JavaScript writes a Uint8Array")
    let source = ShellText.quoted(sample.sources[line.source])
    command = ProgramText.path(to: value.pointer, in: line, sample.pointers).map { path in
      let program = "(try \(path) | iterables) |= [.[] | (. + 256) % 256]"
      return "jq -c \(ShellText.quoted(program)) \(source)"
    }
  }

  /// Returns whether a value has a member `0`: those of its other indexes are not values of a log.
  static func areIndexed(_ nodes: JSONNodes) -> Bool {
    nodes.first?.kind == .object && nodes.dropFirst().first?.name?.elementsEqual("0".utf8) ?? false
  }

  private static func isToken(_ value: SampleValue, _ document: JSONDocument) -> Bool {
    let isSigned = value.kind == .array && value.raw.contains(UInt8(ascii: "-"))
    guard isSigned || value.kind == .object, FoundTokens.lengths.contains(value.raw.count),
      let nodes = document.read(value.raw), isSigned || areIndexed(nodes[...])
    else { return false }
    let bytes = nodes.dropFirst().enumerated().compactMap { index, node -> UInt8? in
      guard isSigned || node.name?.elementsEqual(String(index).utf8) ?? false,
        let number = Int(String(decoding: node.text, as: UTF8.self)), (-128...255).contains(number)
      else { return nil }
      return UInt8(truncatingIfNeeded: number)
    }
    return bytes.count + 1 == nodes.count && AppAttestSniffer.isAppAttestObject(bytes.span)
  }
}
