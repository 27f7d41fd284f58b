import AuditLog
import Basics

/// JSON written again by a program that has parsed it: without spaces, with characters unescaped.
enum WrittenJSON {
  /// Returns the text of an object or array, or nil if `text` is neither.
  ///
  /// - Parameter isSorted: True to write members in the order of their names.
  static func bytes(of text: ArraySlice<UInt8>, isSorted: Bool) -> [UInt8]? {
    guard let nodes = JSONDocument().read(text) else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(text.count)
    write(nodes[...], isSorted, &out)
    return out
  }

  /// Writes the first of `nodes` and the values inside it. The recursion is as deep as the
  /// document.
  private static func write(
    _ nodes: ArraySlice<JSONDocument.Value>, _ isSorted: Bool, _ out: inout [UInt8]
  ) {
    guard let node = nodes.first else { return }
    switch node.kind {
    case .string: out += quoted(node.text)
    case .number, .boolean, .null: out += node.raw
    case .array, .object:
      var inner: [ArraySlice<JSONDocument.Value>] = []
      var next = nodes.startIndex + 1
      while next < nodes.startIndex + node.size {
        inner.append(nodes[next..<(next + nodes[next].size)])
        next += nodes[next].size
      }
      if isSorted, node.kind == .object {
        inner.sort { ($0.first?.name ?? []).lexicographicallyPrecedes($1.first?.name ?? []) }
      }
      out.append(UInt8(ascii: node.kind == .object ? "{" : "["))
      for (index, value) in inner.enumerated() {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        if let name = value.first?.name {
          out += quoted(name)
          out.append(UInt8(ascii: ":"))
        }
        write(value, isSorted, &out)
      }
      out.append(UInt8(ascii: node.kind == .object ? "}" : "]"))
    }
  }

  private static func quoted(_ text: ArraySlice<UInt8>) -> [UInt8] {
    JSONString.quoted(String(decoding: text, as: UTF8.self))
  }
}
