internal import Foundation

/// JSON for people: indented, with members sorted by name.
package enum JSONText {
  /// Returns the text of a value, with the end of its last line.
  package static func pretty(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }

  /// Returns the text of an object of these members, without those that are nil.
  package static func pretty(members: [String: (any Encodable)?]) throws -> String {
    try pretty(members.compactMapValues { $0.map(Member.init) })
  }

  private struct Member: Encodable {
    let value: any Encodable

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
  }
}
