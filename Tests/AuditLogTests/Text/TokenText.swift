import Foundation
import TestSupport

/// Texts with tokens.
enum TokenText {
  /// Returns the assertion that begins with its signature.
  static func assertion(_ fill: UInt8) -> [UInt8] {
    [0xA2] + signature(fill) + authenticatorData(fill)
  }

  private static func signature(_ fill: UInt8, ending: [UInt8] = []) -> [UInt8] {
    let numbers = ([0, 32] as [UInt8]).flatMap { start -> [UInt8] in
      [0x02, 32] + (start..<(start + 32)).map { fill &+ $0 &* 7 }
    }
    let length = UInt8(numbers.count + ending.count)
    return [0x69] + Array("signature".utf8) + [0x58, length + 2, 0x30, length] + numbers + ending
  }

  private static func authenticatorData(_ fill: UInt8) -> [UInt8] {
    [0x71] + Array("authenticatorData".utf8) + [0x58, 37] + (0..<37).map { fill &- $0 &* 5 }
  }

  /// The tokens in `Tests/Cases/token-texts.txt`: two that begin with their signatures; two that differ in their
  /// signatures, which are behind the rest; one with further members; one that begins as the first does and goes on;
  /// one whose end looks like a token in base64url; one whose junk is dashes in base64url, and the members of another one; one
  /// with a tag before its signature, and four whose signatures are behind the rest, in other forms; one with tags before its
  /// names, and two whose names are bytes; one whose first key is no text, and one with a deep member; two attestations of another
  /// format, with Apple's extension in chunks, and without it; two whose junk agrees once escapes in it are decoded; and two that contain the members of another one,
  /// which five characters more show, or one before them.
  static func token(_ letter: Character) -> [UInt8] {
    switch letter {
    case "A": assertion(3)
    case "B": [0xA2] + authenticatorData(3) + signature(3)
    case "H": [0xA2] + authenticatorData(3) + signature(9)
    case "I": [0xA2] + signature(3, ending: [0x3E, 0xA2]) + authenticatorData(3)
    case "L": [0xA4, 0x01, 0x00, 0x02, 0x00] + assertion(3).dropFirst()
    case "X": assertion(3) + [0]
    case "T": assertion(9)[..<11] + [0xC2] + assertion(9)[11...]
    case "D": withJunk(Array(repeatElement([0xFB, 0xEF, 0xBE], count: 64).joined()), 3)
    case "M": Array(assertion(9).dropFirst())
    case "Y":
      withJunk(Array(Data(base64Encoded: String(repeating: "u0041", count: 24)) ?? Data()), 9)
    case "Z": withJunk([UInt8](repeating: 0, count: 90), 3)
    case "V": [0xA2] + authenticatorData(3) + signature(9)[..<10] + [0xC2] + signature(9)[10...]
    case "N": signed(as: [0x82] + signature(9)[10...] + [1])
    case "Q": signed(as: [0x58, 64] + [UInt8](repeating: 9, count: 64))
    case "W": signed(as: [0x58, 74, 0x30, 0x84, 0, 0, 0, 68] + signature(9)[14...])
    case "P": inChunks
    case "K": [0xA2, 0xC2] + signature(9) + [0xD9, 0xD9, 0xF7] + authenticatorData(9)
    case "J": [0xA2, 0x49] + signature(9).dropFirst() + [0x51] + authenticatorData(9).dropFirst()
    case "U": [0xA3, 0xE0, 0] + assertion(9).dropFirst()
    case "S":
      [0xA3, 0x61, 0x78] + [UInt8](repeating: 0x81, count: 33) + [0] + assertion(9).dropFirst()
    case "O":
      attestation(
        leaf: [0x5F, 0x46] + nonceExtension[..<6] + [0x45] + nonceExtension[6...] + [0xFF])
    case "R": attestation(leaf: [0x4A] + nonceExtension.dropLast())
    case "E": containing([0, 0, 0, 0, 0, 0xDB, 0, 0], [0xA3] + others)
    case "G": containing([0, 0, 0, 0x16, 2, 0x40, 0, 0], shifted(others))
    default: assertion(9)
    }
  }

  /// Apple's extension for the nonce, and an attestation of another format with a leaf.
  private static let nonceExtension: [UInt8] = [
    0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x08, 0x02,
  ]
  private static func attestation(leaf: [UInt8]) -> [UInt8] {
    [0xA3, 0x63] + Array("fmt".utf8) + [0x66] + Array("packed".utf8) + [0x67]
      + Array("attStmt".utf8)
      + [0xA1, 0x63] + Array("x5c".utf8) + [0x81] + leaf + [0x68] + Array("authData".utf8) + [
        0x58, 37,
      ]
      + [UInt8](repeating: 7, count: 37)
  }

  /// The members of another token, and the head of a further one of so many bytes as the last two of the first token have.
  private static var others: [UInt8] {
    assertion(9).dropFirst() + [0x61, 0x79, 0x59, 0, UInt8(assertion(3).count - 1)]
  }

  /// Returns a token with two tags before it and further bytes in its first member.
  private static func containing(_ tag: [UInt8], _ further: [UInt8]) -> [UInt8] {
    [0xDB, 0, 0, 0, 0, 0, 0, 0, 0, 0xDB] + tag
      + [0xA3, 0x61, 0x78, 0x59, 0, UInt8(further.count)] + further + assertion(3).dropFirst()
  }

  /// Returns bytes with two bits before them.
  private static func shifted(_ bytes: [UInt8]) -> [UInt8] {
    zip([0] + bytes, bytes + [0]).map { $0 << 6 | $1 >> 2 }
  }

  /// Returns a token that begins as another one does, with a signature in another form.
  private static func signed(as value: [UInt8]) -> [UInt8] {
    [0xA2] + authenticatorData(3) + signature(9)[..<10] + value
  }

  /// A token whose first name is bytes in chunks.
  private static var inChunks: [UInt8] {
    let name: [UInt8] = [0x5F, 0x44] + Array("sign".utf8) + [0x45] + Array("ature".utf8) + [0xFF]
    return [0xA2] + name + signature(9)[10...] + authenticatorData(9)
  }

  private static func withJunk(_ junk: [UInt8], _ fill: UInt8) -> [UInt8] {
    [0xA3, 0x62, 0x6A, 0x6B, 0x58, UInt8(junk.count)] + junk + assertion(fill).dropFirst()
  }

  /// A row of `Tests/Cases/token-texts.txt`: the audited tokens; whether there is a further one; and lines, each a text
  /// for each place and each other character, in what values of JSON have.
  struct Row: Sendable {
    var audited: [[UInt8]] = []
    var isFound = false
    var lines: [String] = []
  }

  static let texts: [Row] = rows(of: "token-texts").map { row in
    let texts = row[3].split(separator: " ").flatMap { place in
      row[4].components(separatedBy: " ").map { other in
        let other = String(
          decoding: ReadingCase.bytes(spaced(other.replacing("⟨⟩", with: ""))), as: UTF8.self)
        return filled(
          row[5].replacing(":N}}", with: ":\(place)}}")
            .replacing(":N ", with: ":\(place) "), other)
      }
    }
    let values: [(String) -> String] = [
      { "{\"x\":\(quoted($0))}" }, { "{\"b\":\(quoted("{\"t\":\(quoted($0)),\"u\":1}"))}" },
    ]
    let others: [(String) -> String] = [
      { "{\"b\":\(quoted(quoted("{\"t\":\(quoted($0))}")))}" },
      { "{\"x\":\"\(base64(Array($0.utf8)))\"}" },
      { "{\"x\":\"\(base64(Array("{\"t\":\(quoted($0))}".utf8)))\"}" },
      { "{\"x\":\"a=1&t=\(percent($0))&z=2\"}" },
      { "{\"x\":\"\(base64(Array("t=\(percent($0))".utf8)))\"}" },
      { "{\"h\":\(quoted("GET / HTTP/1.1\r\nX-Assertion: \($0)\r\nHost: a"))}" },
      { "{\"h\":\(quoted("Bearer \($0)"))}" },
    ]
    return Row(
      audited: row[0] == "-" ? [] : row[0].map { token($0) }, isFound: row[1] == "found",
      lines: row[2] == "line"
        ? texts
        : texts.flatMap { text in (row[2] == "all" ? values + others : values).map { $0(text) } })
  }

  /// Returns a text in lines of so many characters.
  static func folded(_ text: String, _ width: Int, _ end: String) -> String {
    var (lines, rest) = ([Substring](), text[...])
    while !rest.isEmpty {
      lines.append(rest.prefix(width))
      rest = rest.dropFirst(width)
    }
    return lines.joined(separator: end)
  }

  static func hexEscapes(_ text: String) -> String {
    text.utf8.map { "\\x" + String($0, radix: 16) }.joined()
  }

  static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  static func url(_ text: String) -> String {
    text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  static func numbers(_ bytes: [UInt8], _ comma: String = ",") -> String {
    "[" + bytes.map(String.init).joined(separator: comma) + "]"
  }

  static func percent(_ text: String) -> String {
    text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  static func wrapped(_ text: String) -> String {
    base64(Array("{\"keyId\":\"\(sampleKey)\",\"t\":\"\(text)\"}".utf8))
  }

  /// The ways in which a token can be written, each as a value of JSON: `Tests/Cases/token-forms.txt`.
  static let forms: [(String, @Sendable ([UInt8]) -> String)] = rows(of: "token-forms").map { row in
    (row[0], { write(row[1], $0) })
  }

  /// Returns bytes as the steps of a form write them.
  private static func write(_ steps: String, _ bytes: [UInt8]) -> String {
    steps.split(separator: " ").reduce("") { write(spaced(String($1)), $0, bytes) }
  }

  /// Returns the columns of the rows of a file.
  private static func rows(of name: String) -> [[String]] {
    ((try? Repository.text("Tests/Cases/\(name).txt")) ?? "").split(separator: "\n")
      .map { $0.components(separatedBy: "\t") }
  }

  /// Returns a text with the white space that signs stand for.
  private static func spaced(_ text: String) -> String {
    zip("␠␤␊␍␉", " \n\n\r\t").reduce(text) { $0.replacing(String($1.0), with: String($1.1)) }
  }

  /// Returns a text as one step of a form writes it; the first step of a form writes the bytes.
  private static func write(_ step: String, _ text: String, _ bytes: [UInt8]) -> String {
    let parts = step.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let argument = parts.count > 1 ? String(parts[1]) : ""
    let halves = argument.split(separator: ":", maxSplits: 1).map(String.init)
    switch parts[0] {
    case "base64": return base64(bytes)
    case "base64url": return url(base64(bytes))
    case "take": return String(text.prefix(Int(argument) ?? 0))
    case "drop": return String(text.dropFirst(Int(argument) ?? 0))
    case "hex": return hex(bytes)
    case "numbers": return numbers(bytes, argument)
    case "codes": return numbers(Array(text.utf8), argument)
    case "each":
      return "[" + bytes.map { String(format: argument, $0) }.joined(separator: ",") + "]"
    case "url": return url(text)
    case "capitals": return text.uppercased()
    case "quote": return quoted(text)
    case "quoted": return "\"\(text)\""
    case "percent": return percent(text)
    case "escapes": return text.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
    case "hexEscapes": return hexEscapes(text)
    case "wrap": return wrapped(text)
    case "encode": return base64(ReadingCase.bytes(text))
    case "first": return argument + text.dropFirst()
    case "in": return argument.replacing("@", with: text)
    case "change": return text.replacing(halves[0], with: halves[1])
    case "split":
      let count = Int(halves[0]) ?? 0
      return text.prefix(count) + halves[1] + text.dropFirst(count)
    case "fold": return folded(text, Int(halves[0]) ?? 1, halves[1])
    default: return "unknown step \(step)"
    }
  }

  /// Returns a text with its tokens and its other character.
  private static func filled(_ text: String, _ other: String) -> String {
    var result = ""
    for (index, part) in text.components(separatedBy: "{{").enumerated() {
      let halves = part.components(separatedBy: "}}")
      if index > 0, let letter = halves[0].first {
        result += write(String(halves[0].dropFirst(2)), token(letter))
      }
      result += spaced(halves[halves.count - 1].replacing("C", with: other))
    }
    return result
  }
}
