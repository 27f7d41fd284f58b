import AuditLog

/// An array with several records on one line. A line's pointers reach none of them.
package struct RecordArray {
  /// The members on the way to the array, as a JSON Pointer.
  package let pointer: String
  /// The program for `jq` that writes each record as an object.
  private let program: String
  /// The number of tokens in such an array.
  package let tokens: Int
  /// The first file that has tokens in such an array.
  package let source: String

  /// The place of the array, or nil if a schema cannot read its records: they are rows of values, or
  /// in arrays of arrays.
  let place: JSONPointer?

  /// The largest number of lines that are examined.
  private static let lineLimit = 100

  /// Finds the array that holds the most tokens, or returns nil if there is none.
  init?(_ sample: LogSample) {
    var part = sample
    part.lines = Array(sample.lines.lazy.filter(\.holdsToken).prefix(Self.lineLimit))
    self.init(part, FoundTokens(part).tokens)
  }

  private init?(_ sample: LogSample, _ tokens: [FoundToken]) {
    let pointers = sample.pointers
    let arrays = tokens.map { Self.array(around: $0.pointer, sample.lines[$0.line], pointers) }
    let counts = Dictionary(arrays.compactMap(\.self).map { ($0, 1) }, uniquingKeysWith: +)
    // Fewer may be forged.
    guard let (array, count) = counts.most, count * 2 > tokens.count,
      let first = arrays.firstIndex(of: array)
    else { return nil }
    let line = sample.lines[tokens[first].line]
    pointer = pointers.text(array)
    program = Self.program(array, line, pointers)
    self.tokens = count
    let isOfObjects = line.values.contains {
      pointers.parent($0.pointer) == array && $0.kind != .array
    }
    let isReached = ProgramText.path(to: array, in: line, pointers) != nil
    place = isOfObjects && isReached ? pointers.pointer(array) : nil
    source = sample.sources[line.source]
  }

  /// A command for a shell that writes each record on a separate line.
  package var command: String {
    "jq -c \(ShellText.quoted(program)) " + ShellText.quoted(source)
  }

  /// Returns the texts of the objects in the array at a path, or in strings of it.
  static func elements(
    _ nodes: ArraySlice<JSONDocument.Value>, at steps: ArraySlice<String>
  ) -> [ArraySlice<UInt8>] {
    guard nodes.first?.kind == (steps.isEmpty ? .array : .object) else { return [] }
    if let step = steps.first {
      let member = nodes.parts.first { $0.first?.name?.elementsEqual(step.utf8) ?? false }
      return member.map { elements($0, at: steps.dropFirst()) } ?? []
    }
    return nodes.parts.compactMap(\.first).compactMap { node in
      if node.kind == .object { return node.raw }
      return node.kind == .string && node.text.first == UInt8(ascii: "{") ? node.text : nil
    }
  }

  /// Returns the program that makes objects of the elements of an array.
  private static func program(
    _ array: Int, _ line: SampleLine, _ pointers: PointerTable
  ) -> String {
    let path = path(to: array, line, pointers)
    let elements = line.values.filter { pointers.parent($0.pointer) == array }
    guard elements.first?.kind == .array, let first = elements.first?.pointer else { return path }
    let inner = line.values.filter { pointers.parent($0.pointer) == first }
    if inner.first?.kind == .object {
      return path + " | map({key: (.field // .name // .key), value}) | from_entries"
    }
    // The names of columns can be in an array beside the rows.
    let columns = line.values.first { value in
      value.kind == .array && value.pointer != array
        && pointers.parent(value.pointer) == pointers.parent(array)
        && line.values.filter { pointers.parent($0.pointer) == value.pointer }
          .allSatisfy { $0.kind == .string }
    }
    if let columns, let names = ProgramText.path(to: columns.pointer, in: line, pointers) {
      return "\(names) as $names | \(path) | [$names, .] | transpose | "
        + "map({key: .[0], value: .[1]}) | from_entries"
    }
    return path
      + " | to_entries | map({key: \"column\\(.key)\", value}) | from_entries"
  }

  /// Returns the path to all elements of an array, and of those that contain it.
  private static func path(to array: Int, _ line: SampleLine, _ pointers: PointerTable) -> String {
    ([array] + pointers.parents(of: array)).reduce("[]") { path, at in
      let parent = pointers.parent(at)
      let isElement = parent != PointerTable.root && line[parent]?.kind == .array
      return (isElement ? "[]" : ProgramText.member(pointers.name(at))) + path
    }
  }

  /// Returns the array of records that a pointer goes through: of objects that are no pairs of a
  /// name and a value, or of arrays. Of arrays that directly contain each other it returns the outermost: a row
  /// is no record of its own.
  private static func array(
    around pointer: Int, _ line: SampleLine, _ pointers: PointerTable
  ) -> Int? {
    let path = [pointer] + pointers.parents(of: pointer)
    let isArray = path.map { line[$0]?.kind == .array }
    let element = path.indices.dropLast().first { index in
      guard isArray[index + 1] else { return false }
      return isArray[index]
        || line[path[index]]?.kind == .object && !isPair(path[index], line, pointers)
    }
    return element.map { element in
      path[isArray[(element + 1)...].firstIndex(of: false).map { $0 - 1 } ?? path.count - 1]
    }
  }

  /// Returns whether an object is a pair of a name and a value.
  private static func isPair(_ object: Int, _ line: SampleLine, _ pointers: PointerTable) -> Bool {
    let members = line.values.filter { pointers.parent($0.pointer) == object }
      .map { pointers.name($0.pointer).lowercased() }
    return members.count <= 2 && members.contains("value")
      && (members.contains("name") || members.contains("key"))
  }
}
