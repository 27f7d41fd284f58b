extension CBORReader {
  /// Passes over a map whose head was read. The keys of ordinary maps (few, numbers or strings in
  /// one piece) are compared without allocation, others in one form in a set.
  mutating func skipMap(
    after head: CBORHead, _ bytes: Span<UInt8>, checked: Bool, depth: Int
  ) throws(CBORError) {
    var entries = try CBORCount(head, itemsEach: 2, remaining: bytes.count - offset)
    let start = self
    let total = entries
    var marks = InlineArray<8, CBORKeyMark>(repeating: CBORKeyMark())
    var count = 0
    var isOrdinary = true
    while try next(&entries, bytes) {
      let key = self
      try skip(bytes, checked: checked, depth: depth + 1)
      if checked, isOrdinary {
        if count < marks.count, let mark = CBORKeyMark(key, bytes) {
          for index in 0..<count where marks[index].equals(mark, in: bytes) {
            throw .duplicateKey
          }
          marks[count] = mark
          count += 1
        } else {
          isOrdinary = false
        }
      }
      try skip(bytes, checked: checked, depth: depth + 1)
    }
    if !isOrdinary { try Self.checkKeys(from: start, entries: total, bytes) }
  }

  /// Throws if a key occurs twice among the entries of a map that is otherwise valid.
  private static func checkKeys(
    from start: CBORReader, entries total: CBORCount, _ bytes: Span<UInt8>
  ) throws(CBORError) {
    var reader = start
    var entries = total
    var seen: Set<[UInt8]> = []
    while try reader.next(&entries, bytes) {
      var key: [UInt8] = []
      try CBORKey.appendCanonical(&reader, bytes, to: &key)
      guard seen.insert(key).inserted else { throw .duplicateKey }
      try reader.skip(bytes, checked: false)
    }
  }
}

/// A key that can be compared in place: a number, or a string in one piece.
struct CBORKeyMark {
  private var major: UInt8 = 0
  private var value: UInt64 = 0
  private var range = 0..<0

  init() {}

  /// Reads the key at the reader's position, or returns nil if it is of another kind.
  init?(_ key: CBORReader, _ bytes: Span<UInt8>) {
    var reader = key
    guard let head = try? reader.readHead(bytes), head.major <= 3, !head.isIndefinite else {
      return nil
    }
    major = head.major
    value = head.argument
    if major >= 2 { range = reader.offset..<(reader.offset + Int(clamping: value)) }
  }

  func equals(_ other: CBORKeyMark, in bytes: Span<UInt8>) -> Bool {
    guard major == other.major, value == other.value else { return false }
    return major < 2 || bytes.extracting(range).equals(bytes.extracting(other.range))
  }
}
