/// A search for DeviceCheck tokens: long base64 that holds no CBOR map, under a name for such
/// tokens.
enum DeviceTokenSearch {
  /// The length of the shortest token, in bytes. A push token has 32.
  private static let shortest = 33

  /// Returns the pointer of the tokens and the lines that have one, or nil if there are none.
  static func find(_ sample: LogSample, excluding: Set<Int>) -> (pointer: Int, lines: [Int])? {
    var found: [Int: [Int]] = [:]
    for (index, line) in sample.lines.enumerated() where !excluding.contains(index) {
      for value in line.values where value.kind == .string {
        guard value.text.count > shortest,
          NameWords(sample.pointers.meaning(value.pointer)).ends([
            "devicetoken", "devicechecktoken", "devicecheck",
          ]), let bytes = ValueDecoder.base64(value.text), bytes.count >= shortest,
          bytes[0] >> 5 != 5
        else { continue }
        found[value.pointer, default: []].append(index)
      }
    }
    return found.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }
      .map { ($0.key, $0.value) }
  }
}
