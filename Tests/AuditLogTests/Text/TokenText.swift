import Foundation
import TestSupport

/// Texts with tokens.
enum TokenText {
  /// Returns the assertion that begins with its signature.
  static func assertion(_ fill: UInt8) -> [UInt8] {
    [0xA2] + signature(fill) + authenticatorData(fill)
  }

  private static func signature(_ fill: UInt8) -> [UInt8] {
    let numbers = ([0, 32] as [UInt8]).flatMap { start -> [UInt8] in
      [0x02, 32] + (start..<(start + 32)).map { fill &+ $0 &* 7 }
    }
    let length = UInt8(numbers.count)
    return [0x69] + Array("signature".utf8) + [0x58, length + 2, 0x30, length] + numbers
  }

  private static func authenticatorData(_ fill: UInt8) -> [UInt8] {
    [0x71] + Array("authenticatorData".utf8) + [0x58, 37] + (0..<37).map { fill &- $0 &* 5 }
  }

  /// The tokens of `Tests/Cases/tokens.txt`, as expressions with parts of two assertions.
  private static let tokens: [String: [UInt8]] = {
    let other = Array(assertion(9).dropFirst())
    // The members of another token behind two bits, and the head of a further one of so many bytes as the last two of the
    // first token have.
    let others = other + [0x61, 0x79, 0x59, 0, UInt8(assertion(3).count - 1)]
    let names: [Substring: [UInt8]] = [
      "sig3": signature(3), "sig9": signature(9), "data3": authenticatorData(3),
      "data9": authenticatorData(9),
      "dashes": Array(repeatElement([0xFB, 0xEF, 0xBE], count: 64).joined()),
      "escapes": Array(Data(base64Encoded: String(repeating: "u0041", count: 24)) ?? Data()),
      "shifted": zip([0] + others, others + [0]).map { $0 << 6 | $1 >> 2 },
    ]
    return Dictionary(
      uniqueKeysWithValues: rows(of: "tokens").filter { $0.count == 2 }.map {
        ($0[0], [UInt8](written: $0[1], names))
      })
  }()

  static func token(_ letter: Character) -> [UInt8] { tokens["\(letter)"]! }

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
