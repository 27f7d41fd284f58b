import AuditLog

/// The values at a pointer, over some lines.
struct PointerValues {
  struct Text: Hashable {
    var kind: JSONDocument.Kind
    /// The text, cut to ``PointerValues/longest`` bytes.
    var text: ArraySlice<UInt8>
    var string: String { String(decoding: text, as: UTF8.self) }
  }

  let pointer: Int
  /// The number of lines with each text. A container is an empty text.
  private(set) var texts: [Text: Int] = [:]
  /// The number of lines with a value other than null.
  private(set) var count = 0

  private static let longest = 256

  var total: Int { [.string, .number, .boolean].reduce(0) { $0 + count(of: $1) } }

  func count(of kind: JSONDocument.Kind) -> Int {
    texts.reduce(0) { $0 + ($1.key.kind == kind ? $1.value : 0) }
  }

  static func all(_ lines: [SampleLine]) -> [PointerValues] {
    var all: [Int: PointerValues] = [:]
    for value in lines.lazy.flatMap(\.values) where value.kind != .null {
      let text = Text(kind: value.kind, text: value.text.prefix(longest))
      all[value.pointer, default: PointerValues(pointer: value.pointer)].texts[text, default: 0] +=
        1
      all[value.pointer]?.count += 1
    }
    return all.values.sorted { $0.pointer < $1.pointer }
  }
}
