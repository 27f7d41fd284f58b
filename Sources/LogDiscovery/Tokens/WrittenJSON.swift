import AuditLog

/// JSON written anew, as programs do that have parsed it: without spaces, characters as they are.
enum WrittenJSON {
  /// Returns the text of an object or array; nil where `text` is none.
  ///
  /// - Parameter isSorted: Whether members stand in the order of their names.
  static func bytes(of text: ArraySlice<UInt8>, isSorted: Bool) -> [UInt8]? {
    guard let nodes = JSONDocument().read(text) else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(text.count)
    write(nodes[...], isSorted, &out)
    return out
  }

  /// Writes the first of `nodes` and what is inside it; as deep as the document.
  private static func write(
    _ nodes: ArraySlice<JSONDocument.Value>, _ isSorted: Bool, _ out: inout [UInt8]
  ) {
    guard let node = nodes.first else { return }
    switch node.kind {
    case .string: write(node.text, &out)
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
          write(name, &out)
          out.append(UInt8(ascii: ":"))
        }
        write(value, isSorted, &out)
      }
      out.append(UInt8(ascii: node.kind == .object ? "}" : "]"))
    }
  }

  /// Writes a string with the escapes that it cannot do without (RFC 8259, section 7).
  private static func write(_ text: ArraySlice<UInt8>, _ out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): out += [UInt8(ascii: "\\"), byte]
      case 0x08: out += Array("\\b".utf8)
      case 0x09: out += Array("\\t".utf8)
      case 0x0A: out += Array("\\n".utf8)
      case 0x0C: out += Array("\\f".utf8)
      case 0x0D: out += Array("\\r".utf8)
      case 0..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        out += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: out.append(byte)
      }
    }
    out.append(UInt8(ascii: "\""))
  }
}
