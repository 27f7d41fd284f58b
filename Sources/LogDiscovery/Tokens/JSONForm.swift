import AuditLog
import Basics

/// A way of writing JSON again without a change of its meaning, as programs do that have parsed it.
struct JSONForm: Hashable {
  var isSorted = false
  /// Whether a space follows each comma and colon.
  var hasSpaces = false
  var escapesSlashes = false
  /// Whether characters outside ASCII are written as `\u` escapes.
  var escapesUnicode = false

  /// Every form, the commonest first.
  static let all = (0..<16).map { bits in
    JSONForm(
      isSorted: bits & 1 > 0, hasSpaces: bits & 2 > 0, escapesSlashes: bits & 4 > 0,
      escapesUnicode: bits & 8 > 0)
  }

  var words: String {
    let words = [
      isSorted ? "its members sorted" : nil,
      hasSpaces ? "spaces after commas and colons" : "no spaces",
      escapesSlashes ? "slashes escaped" : nil,
      escapesUnicode ? "characters outside ASCII escaped" : nil,
    ]
    return "written as JSON with " + words.compactMap(\.self).joined(separator: ", ")
  }

  /// Returns the forms in which a text of JSON can differ.
  static func forms(of text: ArraySlice<UInt8>) -> [JSONForm] {
    let first = text.first { $0 > 0x20 }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      let nodes = JSONDocument().read(text)
    else { return [] }
    let hasSlash = text.contains(UInt8(ascii: "/"))
    let hasUnicode = nodes.contains { node in
      node.text.contains { $0 > 0x7F } || node.name?.contains { $0 > 0x7F } ?? false
    }
    return all.filter { (hasSlash || !$0.escapesSlashes) && (hasUnicode || !$0.escapesUnicode) }
  }

  /// Returns a text in this form, or nil if the text is not an object or an array.
  func bytes(of text: ArraySlice<UInt8>) -> [UInt8]? {
    guard let nodes = JSONDocument().read(text), nodes[0].kind == .object || nodes[0].kind == .array
    else { return nil }
    var bytes: [UInt8] = []
    append(nodes[...], to: &bytes)
    return bytes
  }

  /// Appends the first of `nodes` with what is in it. The recursion is as deep as the document.
  private func append(_ nodes: JSONNodes, to bytes: inout [UInt8]) {
    guard let node = nodes.first else { return }
    switch node.kind {
    case .string: bytes += quoted(node.text)
    case .number, .boolean, .null: bytes += node.raw
    case .array, .object:
      let isObject = node.kind == .object
      var inner = nodes.parts
      if isSorted, isObject {
        inner.sort { ($0.first?.name ?? []).lexicographicallyPrecedes($1.first?.name ?? []) }
      }
      bytes.append(UInt8(ascii: isObject ? "{" : "["))
      for (index, value) in inner.enumerated() {
        if index > 0 { bytes += (hasSpaces ? ", " : ",").utf8 }
        if let name = value.first?.name { bytes += quoted(name) + (hasSpaces ? ": " : ":").utf8 }
        append(value, to: &bytes)
      }
      bytes.append(UInt8(ascii: isObject ? "}" : "]"))
    }
  }

  private func quoted(_ text: ArraySlice<UInt8>) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    let plain = JSONString.quoted(String(decoding: text, as: UTF8.self))
      .flatMap { $0 == slash && escapesSlashes ? [UInt8(ascii: "\\"), $0] : [$0] }
    guard escapesUnicode else { return plain }
    return String(decoding: plain, as: UTF8.self).utf16.flatMap { unit -> [UInt8] in
      unit <= 0x7F
        ? [UInt8(unit)]
        : Array("\\u".utf8) + Hex.encode([UInt8(unit >> 8), UInt8(unit & 0xFF)].span)
    }
  }
}
