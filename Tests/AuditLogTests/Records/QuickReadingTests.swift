import TestSupport
import Testing

@testable import AuditLog

@Suite struct `Quick reading` {
  /// A scalar of each length in UTF-8, and those that JSON has short escapes for.
  private static let scalars: [Unicode.Scalar] = [
    "a", "Z", "7", " ", "\"", "\\", "/", "\u{8}", "\u{C}", "\n", "\r", "\t", "\u{0}", "\u{1F}",
    "\u{7F}", "\u{80}", "é", "\u{7FF}", "\u{800}", "€", "\u{D7FF}", "\u{E000}", "\u{FFFF}",
    "\u{10000}", "😀", "\u{10FFFF}",
  ]

  /// Returns a scalar as JSON may write it, in a form that `choice` picks.
  private func written(_ scalar: Unicode.Scalar, _ choice: Int) -> String {
    let short: [Unicode.Scalar: String] = [
      "\"": "\\\"", "\\": "\\\\", "/": "\\/", "\u{8}": "\\b", "\u{C}": "\\f", "\n": "\\n",
      "\r": "\\r", "\t": "\\t",
    ]
    if choice == 0, let escape = short[scalar] { return escape }
    if choice < 3 || scalar.value < 0x20 || scalar == "\"" || scalar == "\\" {
      return String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16, uppercase: choice == 1)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }
    return String(scalar)
  }

  @Test func `strings come back however they are written, wherever they stand`() {
    let json = JSONLine()
    var random = Generator(17)
    let fields: [LogField] = [.payload, .subject, .requestId, .appId, .clientDataHash]
    for _ in 0..<2000 {
      var line = "{"
      var texts: [(LogField, String)] = []
      for field in fields.shuffled(using: &random).prefix(1 + random.below(fields.count)) {
        var text = ""
        var encoded = ""
        for _ in 0..<random.below(random.below(4) == 0 ? 120 : 20) {
          let scalar = Self.scalars[random.below(Self.scalars.count)]
          text.unicodeScalars.append(scalar)
          encoded += written(scalar, random.below(6))
        }
        let name = field.name.unicodeScalars.map { written($0, 1 + random.below(9)) }.joined()
        let spaces = (0..<4).map { _ in random.below(4) == 0 ? " \t" : "" }
        if !texts.isEmpty { line += "," }
        line += spaces[0] + "\"\(name)\"" + spaces[1] + ":" + spaces[2] + "\"\(encoded)\""
        line += spaces[3]
        texts.append((field, text))
      }
      withLine(Array((line + "}").utf8)) { whole in
        var duplicate: LogField?
        #expect(unsafe json.read(whole, duplicate: &duplicate) == nil)
        for (field, text) in texts {
          #expect(json[field].kind == .string)
          #expect(unsafe Array(json[field].text) == Array(text.utf8))
        }
      }
    }
  }
}
