import Foundation
import LogForge
import TestSupport

/// Writes log lines so that a lenient server reads them as it read them before.
struct EvasiveWriter {
  enum Trick: String, CaseIterable {
    // Of any text of base64.
    case base64url, noPadding, spaces, breaks, junk, percent, mixed, dashes, units
    // Of the line as JSON.
    case escapes, whitespace, order, unknownFields, nulls
    // Of the default form alone: fields that a client may have written.
    case hexKey, platform, format, noKind, otherKind, requestID, sameRequest, subject
  }

  let tricks: [Trick]
  private let isDefault: Bool

  init(schema: ForgedSchema, _ random: inout Generator) {
    isDefault = schema == .default
    var drawn: [Trick] = []
    for trick in Trick.allCases where random.once(in: 5) { drawn.append(trick) }
    tricks = drawn
  }

  func rewrite(_ line: String, _ random: inout Generator) throws -> String {
    guard var object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    else { return line }
    if isDefault, object["token"] != nil {
      // The server took it.
      object["decision"] = "accepted"
      for trick in tricks { lie(trick, &object, &random) }
    }
    if tricks.contains(.unknownFields) {
      object["x\(random.below(99))"] = ["token": ["AAAA", 1, NSNull()] as [Any]] as [String: Any]
    }
    if tricks.contains(.nulls) { object["y\(random.below(99))"] = NSNull() }
    return try text(object, &random)
  }

  /// Returns a record as it came before, when the server refused it, or nil where its form tells nothing of that.
  func refused(_ line: String, _ random: inout Generator) throws -> String? {
    guard isDefault,
      var object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
      object["token"] != nil
    else { return nil }
    object["decision"] = "rejected"
    if random.once(in: 2) { object["requestId"] = "r-\(random.below(1 << 30))" }
    return try text(object, &random)
  }

  private func lie(_ trick: Trick, _ record: inout [String: Any], _ random: inout Generator) {
    switch trick {
    case .platform: record["platform"] = "android"
    case .format: record["format"] = "play-integrity"
    case .noKind: record["kind"] = nil
    case .otherKind:
      record["kind"] = record["kind"] as? String == "attestation" ? "assertion" : "attestation"
    case .requestID: record["requestId"] = "r-\(random.below(1 << 30))"
    case .sameRequest: record["requestId"] = "r"
    case .subject: record["subject"] = random.once(in: 2) ? nil : "s-\(random.below(3))"
    default: break
    }
  }

  // MARK: JSON

  private func text(_ value: Any, _ random: inout Generator) throws -> String {
    let space = tricks.contains(.whitespace) ? " \t" : ""
    switch value {
    case let object as [String: Any]:
      var names = object.keys.sorted()
      if tricks.contains(.order) { names.shuffle(using: &random) }
      var members: [String] = []
      for name in names {
        let member = try text(object[name] ?? NSNull(), &random)
        members.append("\(space)\(try quoted(name))\(space):\(space)\(member)\(space)")
      }
      return "{" + members.joined(separator: ",") + "}"
    case let list as [Any]:
      var items: [String] = []
      for item in list { items.append(try text(item, &random)) }
      return "[" + items.joined(separator: ",") + "]"
    case let string as String:
      let quoted = try quoted(encoded(string))
      return tricks.contains(.escapes) ? escaped(quoted, &random) : quoted
    default: return try quoted(value)
    }
  }

  private func quoted(_ value: Any) throws -> String {
    String(
      decoding: try JSONSerialization.data(
        withJSONObject: value, options: [.fragmentsAllowed, .withoutEscapingSlashes]), as: UTF8.self
    )
  }

  /// Some letters of a JSON string as `\u0041`.
  private func escaped(_ text: String, _ random: inout Generator) -> String {
    var result = ""
    var isEscape = false
    for (index, scalar) in text.unicodeScalars.enumerated() {
      let isLetter = scalar.isASCII && scalar.properties.isAlphabetic
      if isLetter, !isEscape, index > 0, random.once(in: 5) {
        result += "\\u00" + String(scalar.value, radix: 16)
      } else {
        result.unicodeScalars.append(scalar)
      }
      isEscape = scalar == "\\" && !isEscape
    }
    return result
  }

  // MARK: Base64

  /// Returns a text of base64 as another server would write it; any other text as it is.
  private func encoded(_ text: String) -> String {
    guard text.utf8.count >= 40, text.utf8.allSatisfy(Self.isBase64) else { return text }
    return tricks.reduce(text) { encoded($0, $1) }
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2F, 0x3D, 0x5F: true
    default: false
    }
  }

  private func encoded(_ text: String, _ trick: Trick) -> String {
    let isToken = text.utf8.count > 44
    switch trick {
    case .base64url: return text.replacing("+", with: "-").replacing("/", with: "_")
    case .noPadding: return text.replacing("=", with: "")
    case .spaces: return text.replacing("+", with: " ")
    case .percent: return text.replacing("+", with: "%2B").replacing("=", with: "%3D")
    case .mixed: return text.replacing("/", with: "_", maxReplacements: 1)
    case .breaks where isToken:
      return "\(text.prefix(text.count / 2))\r\n\(text.dropFirst(text.count / 2))"
    case .junk where isToken: return "\(text.prefix(8))!\(text.dropFirst(8))"
    // Python and Java pass over them, where no other alphabet is meant.
    case .dashes where isToken && !text.contains { $0 == "-" || $0 == "_" }:
      return text.map(String.init).joined(separator: "-")
    // Node takes the lower half of each.
    case .units where isToken:
      return String(
        String.UnicodeScalarView(text.unicodeScalars.map { Unicode.Scalar($0.value + 0x100) ?? $0 })
      )
    case .hexKey where isDefault && !isToken:
      guard let bytes = Data(base64Encoded: text), bytes.count == 32 else { return text }
      return bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    default: return text
    }
  }
}
