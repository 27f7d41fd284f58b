import AuditLog
import Basics

/// A way of writing JSON again without a change of its meaning, as programs do that have parsed it.
struct JSONForm: Hashable {
  /// Whether members are in the order of their names.
  var isSorted = false
  /// Whether a space follows each comma and colon.
  var hasSpaces = false
  var escapesSlashes = false
  /// Whether characters outside ASCII are written as `\u` escapes.
  var escapesUnicode = false

  /// Every form, the commonest first.
  static let all = [false, true].flatMap { unicode in
    [false, true].flatMap { slashes in
      [false, true].flatMap { spaces in
        [false, true].map { sorted in
          JSONForm(
            isSorted: sorted, hasSpaces: spaces, escapesSlashes: slashes, escapesUnicode: unicode)
        }
      }
    }
  }

  /// The form in words.
  var words: String {
    let words = [
      isSorted ? "its members sorted" : nil,
      hasSpaces ? "spaces after commas and colons" : "no spaces",
      escapesSlashes ? "slashes escaped" : nil,
      escapesUnicode ? "characters outside ASCII escaped" : nil,
    ]
    return "written as JSON with " + words.compactMap(\.self).joined(separator: ", ")
  }

  /// Returns the forms in which a text can differ, each with its bytes, or none if the text is not
  /// an object or an array.
  static func forms(of text: ArraySlice<UInt8>) -> [(form: JSONForm, bytes: [UInt8])] {
    let first = text.first { $0 > 0x20 }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      let nodes = JSONDocument().read(text)
    else { return [] }
    let hasSlash = text.contains(UInt8(ascii: "/"))
    let hasUnicode = nodes.contains { node in
      node.text.contains { $0 > 0x7F } || node.name?.contains { $0 > 0x7F } ?? false
    }
    return all.filter { (hasSlash || !$0.escapesSlashes) && (hasUnicode || !$0.escapesUnicode) }
      .map { ($0, $0.bytes(of: nodes)) }
  }

  /// Returns a text in this form, or nil if the text is not an object or an array.
  func bytes(of text: ArraySlice<UInt8>) -> [UInt8]? {
    guard let nodes = JSONDocument().read(text),
      nodes[0].kind == .object || nodes[0].kind == .array
    else { return nil }
    return bytes(of: nodes)
  }

  private func bytes(of nodes: [JSONDocument.Value]) -> [UInt8] {
    var out: [UInt8] = []
    write(nodes[...], &out)
    return out
  }

  /// Writes the first of `nodes` and the values inside it. The recursion is as deep as the
  /// document.
  private func write(_ nodes: ArraySlice<JSONDocument.Value>, _ out: inout [UInt8]) {
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
        if index > 0 { out += hasSpaces ? ", ".utf8 : ",".utf8 }
        if let name = value.first?.name {
          out += quoted(name)
          out += hasSpaces ? ": ".utf8 : ":".utf8
        }
        write(value, &out)
      }
      out.append(UInt8(ascii: node.kind == .object ? "}" : "]"))
    }
  }

  private func quoted(_ text: ArraySlice<UInt8>) -> [UInt8] {
    let plain = JSONString.quoted(String(decoding: text, as: UTF8.self))
    guard escapesSlashes || escapesUnicode else { return plain }
    var out: [UInt8] = []
    for unit in String(decoding: plain, as: UTF8.self).utf16 {
      if unit == UInt16(UInt8(ascii: "/")), escapesSlashes {
        out += "\\/".utf8
      } else if unit > 0x7F, escapesUnicode {
        out += "\\u".utf8
        out += Hex.text([UInt8(unit >> 8), UInt8(unit & 0xFF)]).utf8
      } else if unit > 0x7F {
        return plain.flatMap { $0 == UInt8(ascii: "/") ? [UInt8(ascii: "\\"), $0] : [$0] }
      } else {
        out.append(UInt8(unit))
      }
    }
    return out
  }
}
