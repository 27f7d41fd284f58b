/// Turns a line into its values, each with its pointer, through strings that themselves hold JSON.
/// The work is bounded by the line's length: no value is looked at more often than it is nested.
struct LineFlattener {
  /// The most values of a line that are kept.
  static let valueLimit = 256
  /// The longest pointer, in names: what a schema may hold.
  private static let depthLimit = 16
  /// The most elements of an array that get a pointer.
  private static let elementLimit = 8
  /// The most pointers that one line may add: no line can fill the table alone.
  private static let newPointerLimit = 96

  /// The most member names of a line that are looked up.
  private static let nameLimit = 512

  private var values: [SampleValue] = []
  private var seen: Set<Int> = []
  private var added = 0
  private var names = 0
  private var hasDuplicates = false

  /// The values of a line, which is known to be one JSON object, and whether a name stands twice.
  static func flatten(
    _ line: [UInt8], _ pointers: inout PointerTable
  ) -> (values: [SampleValue], hasDuplicates: Bool) {
    var flattener = LineFlattener()
    var reader = JSONScanner(line[...])
    _ = flattener.read(&reader, at: PointerTable.root, depth: 0, &pointers)
    return (flattener.values, flattener.hasDuplicates)
  }

  /// Reads one value and what is inside it; false where it is no JSON.
  private mutating func read(
    _ reader: inout JSONScanner, at pointer: Int, depth: Int, _ pointers: inout PointerTable
  ) -> Bool {
    guard depth <= Self.depthLimit, values.count < Self.valueLimit else { return reader.skip() }
    let start = reader.position
    switch reader.peek {
    case UInt8(ascii: "{"):
      guard readObject(&reader, at: pointer, depth: depth, &pointers) else { return false }
      keep(.object, pointer, text: [], raw: reader.slice(from: start))
    case UInt8(ascii: "["):
      guard readArray(&reader, at: pointer, depth: depth, &pointers) else { return false }
      keep(.array, pointer, text: [], raw: reader.slice(from: start))
    case UInt8(ascii: "\""):
      guard let text = reader.readString() else { return false }
      keep(.string, pointer, text: text, raw: reader.slice(from: start))
      enter(text, at: pointer, depth: depth, &pointers)
    default:
      guard let (kind, text) = reader.readWord() else { return false }
      keep(kind, pointer, text: text, raw: text)
    }
    return true
  }

  private mutating func readObject(
    _ reader: inout JSONScanner, at pointer: Int, depth: Int, _ pointers: inout PointerTable
  ) -> Bool {
    reader.pass()
    if reader.take(UInt8(ascii: "}")) { return true }
    repeat {
      guard let name = reader.readString(), reader.take(UInt8(ascii: ":")) else { return false }
      let member = member(name, of: pointer, &pointers)
      // Of a name that stands twice the first counts here; an audit reports the line.
      guard let member, seen.insert(member).inserted else {
        if member != nil { hasDuplicates = true }
        guard reader.skip() else { return false }
        continue
      }
      guard read(&reader, at: member, depth: depth + 1, &pointers) else { return false }
    } while reader.take(UInt8(ascii: ","))
    return reader.take(UInt8(ascii: "}"))
  }

  private mutating func readArray(
    _ reader: inout JSONScanner, at pointer: Int, depth: Int, _ pointers: inout PointerTable
  ) -> Bool {
    reader.pass()
    if reader.take(UInt8(ascii: "]")) { return true }
    var index = 0
    repeat {
      let name = Array(String(index).utf8)[...]
      if index < Self.elementLimit, let element = member(name, of: pointer, &pointers),
        seen.insert(element).inserted
      {
        guard read(&reader, at: element, depth: depth + 1, &pointers) else { return false }
      } else {
        guard reader.skip() else { return false }
      }
      index += 1
    } while reader.take(UInt8(ascii: ","))
    return reader.take(UInt8(ascii: "]"))
  }

  /// Reads a string's text as JSON, where it is an object or an array and nothing else.
  private mutating func enter(
    _ text: ArraySlice<UInt8>, at pointer: Int, depth: Int, _ pointers: inout PointerTable
  ) {
    var reader = JSONScanner(text)
    guard depth < Self.depthLimit, [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(reader.peek)
    else { return }
    let before = (values.count, seen)
    let isWhole =
      reader.peek == UInt8(ascii: "{")
      ? readObject(&reader, at: pointer, depth: depth, &pointers)
      : readArray(&reader, at: pointer, depth: depth, &pointers)
    if !isWhole || !reader.isAtEnd {
      values.removeSubrange(before.0...)
      seen = before.1
    }
  }

  private mutating func member(
    _ name: ArraySlice<UInt8>, of pointer: Int, _ pointers: inout PointerTable
  ) -> Int? {
    guard names < Self.nameLimit else { return nil }
    names += 1
    if let known = pointers.member(name, of: pointer, mayAdd: false) { return known }
    guard added < Self.newPointerLimit else { return nil }
    added += 1
    return pointers.member(name, of: pointer, mayAdd: true)
  }

  private mutating func keep(
    _ kind: SampleValue.Kind, _ pointer: Int, text: ArraySlice<UInt8>, raw: ArraySlice<UInt8>
  ) {
    guard pointer != PointerTable.root, values.count < Self.valueLimit else { return }
    values.append(SampleValue(pointer: pointer, kind: kind, text: text, raw: raw))
  }
}
