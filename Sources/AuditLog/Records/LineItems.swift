internal import CSimdjson

/// The records of a line that has several (`records.R84`). Used by one thread.
@safe final class LineItems {
  @safe enum Element {
    /// The text of a record with ``LineBatch/padding`` after it, valid until the next element.
    case record(UnsafeBufferPointer<UInt8>)
    /// The text of a value that is neither an object nor a string with one.
    case other(UnsafeBufferPointer<UInt8>)
  }

  /// The most items of a line: a position has 16 bits for them.
  static let limit = Int(UInt16.max)

  let line: JSONLine
  /// The slots of values of the line that belong to each record.
  let shared: [(record: Int, line: Int)]
  private let records: [Int?]
  private let skipsPrefix: Bool
  private let document = JSONDocument()
  private let room = TextRoom()
  /// The elements that are left, with what is behind the array in a string, or the line itself if that is the record.
  private(set) var rest = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  private var isLine = false
  /// Whether the line itself is the record, so that no part of it is outside.
  private(set) var isWhole = false
  /// The array, or the string with it, as it is written in the line. It is empty if it is in another string.
  private(set) var array = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)

  init(_ tree: LineTree, skipsPrefix: Bool) {
    self.skipsPrefix = skipsPrefix
    line = JSONLine(tree.tree)
    records = tree.records
    shared = tree.shared
  }

  /// Finds the array in the line that was read last, whose object is `object`. Returns false if there is none.
  func start(_ object: UnsafeBufferPointer<UInt8>) throws(Reject) -> Bool {
    clear()
    isWhole = false
    unsafe array = UnsafeBufferPointer(start: nil, count: 0)
    guard line.open(.max) else {
      throw Reject(.malformedJSON, JSONLine.Failure.noMemory.reason())
    }
    guard line.sets.duplicates == 0, line.sets.broken == 0 else {
      throw Reject(.ambiguousField, "A member around the records occurs twice or is not wrapped.")
    }
    for slot in records {
      guard let slot else {
        unsafe rest = object
        isLine = true
        isWhole = true
        return true
      }
      let value = line.value(slot)
      guard value.isPresent else { continue }
      let raw = unsafe line.raw(slot)
      let text = unsafe value.kind == .other ? raw : value.text
      if unsafe Self.contains(object, raw) { unsafe array = raw }
      guard let bracket = unsafe text.firstIndex(where: { !LinePrefix.isSpace($0) }),
        unsafe text[bracket] == UInt8(ascii: "[")
      else { return false }
      unsafe rest = UnsafeBufferPointer(rebasing: text[(bracket + 1)...])
      // An array of numbers has no records, and can be a token itself (`records.R82`).
      if let first = unsafe rest.first(where: { !LinePrefix.isSpace($0) }),
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
      {
        unsafe array = UnsafeBufferPointer(start: nil, count: 0)
      }
      return true
    }
    return false
  }

  /// Whether `null` is in place of the records of the line that was read last, or around them.
  var isNull: Bool {
    records.contains { slot in
      guard let slot else { return false }
      return line.value(slot).kind == .null || line.sets.under_null & (1 << UInt64(slot)) != 0
    }
  }

  func clear() {
    unsafe rest = UnsafeBufferPointer(start: nil, count: 0)
    isLine = false
  }

  func isOutside(_ part: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe !isWhole && !Self.contains(array, part)
  }

  private static func contains(
    _ text: UnsafeBufferPointer<UInt8>, _ part: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard let from = text.baseAddress, let start = part.baseAddress else { return false }
    return unsafe start >= from && start < from + text.count
  }

  /// Returns the number of elements that are left, at most one more than ``limit``.
  func count() -> Int {
    if isLine { return 1 }
    let kept = unsafe rest
    defer { unsafe rest = kept }
    var count = 0
    while count <= Self.limit, unsafe nextText() != nil { count += 1 }
    return count
  }

  /// Calls `body` with each element that is left, which all stay.
  func look(_ body: (Element) -> Void) {
    let kept = unsafe (rest, isLine)
    while let element = next() { body(element) }
    unsafe (rest, isLine) = kept
  }

  func next() -> Element? {
    if isLine {
      isLine = false
      defer { unsafe rest = UnsafeBufferPointer(start: nil, count: 0) }
      return unsafe .record(rest)
    }
    guard let text = unsafe nextText() else { return nil }
    switch unsafe text.first {
    case UInt8(ascii: "{"): return unsafe .record(text)
    case UInt8(ascii: "\""): return unsafe string(text)
    default: return unsafe .other(text)
    }
  }

  private func string(_ text: UnsafeBufferPointer<UInt8>) -> Element {
    let bytes =
      unsafe document.read(Array(text)[...], takesOdd: true)?.first?.text
      ?? Array(text.dropFirst().dropLast())[...]
    let start = unsafe bytes.withUnsafeBufferPointer { unsafe LinePrefix.length($0) }
    // Before the object there can be what the second reading passes over (`records.R81`).
    let front = bytes.drop {
      $0 == 0 || LinePrefix.isSpace($0) || LineBatch.byteOrderMark.contains($0)
    }
    let isObject = front.first == UInt8(ascii: "{") || skipsPrefix && start > 0
    guard isObject else { return unsafe .other(text) }
    room.start(bytes.count + LineBatch.padding)
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe room.append(attest_json_value(bytes: bytes.baseAddress, length: bytes.count))
      return unsafe .record(UnsafeBufferPointer(start: room.text.bytes, count: bytes.count))
    }
  }

  /// Returns the text of the next element, and goes behind it. The array need not be sound.
  private func nextText() -> UnsafeBufferPointer<UInt8>? {
    var start = 0
    while unsafe start < rest.count,
      unsafe LinePrefix.isSpace(rest[start]) || rest[start] == UInt8(ascii: ",")
    {
      start += 1
    }
    guard unsafe start < rest.count, unsafe rest[start] != UInt8(ascii: "]") else { return nil }
    var end = start
    var depth = 0
    var isString = false
    scan: while unsafe end < rest.count {
      let byte = unsafe rest[end]
      switch byte {
      case UInt8(ascii: "\\") where isString: end += 1
      case UInt8(ascii: "\""): isString.toggle()
      case _ where isString: break
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { break scan }
        depth -= 1
      case UInt8(ascii: ",") where depth == 0: break scan
      default: break
      }
      end += 1
    }
    end = unsafe min(end, rest.count)
    var behind = end
    while behind > start, unsafe LinePrefix.isSpace(rest[behind - 1]) { behind -= 1 }
    let text = unsafe UnsafeBufferPointer(rebasing: rest[start..<behind])
    unsafe rest = UnsafeBufferPointer(rebasing: rest[end...])
    return unsafe text
  }
}
