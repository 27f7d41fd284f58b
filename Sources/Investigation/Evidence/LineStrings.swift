internal import AuditLog
internal import Basics

/// The texts in a line of JSON, each with a name for people. They are candidates for the signed
/// data.
struct LineStrings {
  struct Text {
    let name: String
    let bytes: [UInt8]
  }

  /// The texts in the order of the line.
  let texts: [Text]

  /// The largest number of texts. Further ones are skipped.
  private static let limit = 48
  /// The length of the longest text, in bytes. Longer texts are no client data that anybody would
  /// try.
  private static let lengthLimit = 1 << 20

  init(_ line: [UInt8]) {
    guard let start = line.firstIndex(of: UInt8(ascii: "{")),
      let values = JSONDocument().read(line[start...])
    else {
      texts = []
      return
    }
    var found: [Text] = []
    for value in values where value.kind == .string && found.count < Self.limit {
      guard !value.text.isEmpty, value.text.count <= Self.lengthLimit else { continue }
      let name = value.name.map { String(decoding: $0, as: UTF8.self) } ?? "a list"
      found.append(Text(name: name, bytes: Array(value.text)))
    }
    texts = found
  }
}

/// JSON rewritten without a change of meaning, in the forms that servers and clients write.
enum JSONRewriting {
  /// Returns the text in other forms, each with a description. Returns none if it is no object or
  /// array.
  static func forms(_ text: [UInt8]) -> [(name: String, bytes: [UInt8])] {
    guard let first = text.first(where: { $0 > 0x20 }),
      first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      let values = JSONDocument().read(text[...])
    else { return [] }
    return [
      ("without spaces", write(values, sorted: false, separators: (",", ":"))),
      ("with its keys sorted", write(values, sorted: true, separators: (",", ":"))),
      (
        "with spaces behind commas and colons",
        write(values, sorted: false, separators: (", ", ": "))
      ),
      ("with its keys sorted and spaces", write(values, sorted: true, separators: (", ", ": "))),
      ("with slashes escaped", replaced(write(values, sorted: false, separators: (",", ":")))),
    ]
  }

  private static func write(
    _ values: [JSONDocument.Value], sorted: Bool, separators: (String, String)
  ) -> [UInt8] {
    var output: [UInt8] = []
    append(values, 0, sorted, separators, &output)
    return output
  }

  private static func append(
    _ values: [JSONDocument.Value], _ index: Int, _ sorted: Bool, _ separators: (String, String),
    _ output: inout [UInt8]
  ) {
    let value = values[index]
    guard value.kind == .object || value.kind == .array else {
      if value.kind == .string { output += quoted(value.text) } else { output += value.raw }
      return
    }
    var children: [Int] = []
    var at = index + 1
    while at < index + value.size {
      children.append(at)
      at += max(1, values[at].size)
    }
    if sorted, value.kind == .object {
      children.sort {
        (values[$0].name ?? []).lexicographicallyPrecedes(values[$1].name ?? [])
      }
    }
    output += value.kind == .object ? "{".utf8 : "[".utf8
    for (place, child) in children.enumerated() {
      if place > 0 { output += separators.0.utf8 }
      if value.kind == .object {
        output += quoted(values[child].name ?? [])
        output += separators.1.utf8
      }
      append(values, child, sorted, separators, &output)
    }
    output += value.kind == .object ? "}".utf8 : "]".utf8
  }

  private static func quoted(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var output = [UInt8(ascii: "\"")]
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
      case 0x0A: output += "\\n".utf8
      case 0x0D: output += "\\r".utf8
      case 0x09: output += "\\t".utf8
      case 0..<0x20:
        output += "\\u00".utf8
        output += Hex.text([byte]).utf8
      default: output.append(byte)
      }
    }
    return output + [UInt8(ascii: "\"")]
  }

  private static func replaced(_ text: [UInt8]) -> [UInt8] {
    text.flatMap { $0 == UInt8(ascii: "/") ? [UInt8(ascii: "\\"), $0] : [$0] }
  }
}
