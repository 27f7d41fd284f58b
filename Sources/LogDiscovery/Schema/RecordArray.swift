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
    var found: [Int: (tokens: Int, line: Int)] = [:]
    for token in tokens {
      guard let array = Self.array(around: token.pointer, sample.lines[token.line], sample.pointers)
      else { continue }
      found[array, default: (0, token.line)].tokens += 1
    }
    guard
      let (array, most) = found.max(by: { ($0.value.tokens, $1.key) < ($1.value.tokens, $0.key) })
    else { return nil }
    // Fewer may be forged.
    guard most.tokens * 2 > tokens.count else { return nil }
    pointer = sample.pointers.text(array)
    program = Self.program(array, sample.lines[most.line], sample.pointers)
    self.tokens = most.tokens
    let line = sample.lines[most.line]
    let isOfObjects = line.values.contains {
      sample.pointers.parent($0.pointer) == array && $0.kind != .array
    }
    let isReached = ProgramText.path(to: array, in: line, sample.pointers) != nil
    place = isOfObjects && isReached ? sample.pointers.pointer(array) : nil
    source = sample.sources[sample.lines[most.line].source]
  }

  /// A command for a shell that writes each record on a separate line.
  package var command: String {
    "jq -c \(ShellText.quoted(program)) " + ShellText.quoted(source)
  }

  /// Returns the texts of the objects in the array at a path, or in strings of it.
  static func elements(
    _ nodes: ArraySlice<JSONDocument.Value>, at steps: ArraySlice<String>
  ) -> [ArraySlice<UInt8>] {
    guard let whole = nodes.first, whole.kind == (steps.isEmpty ? .array : .object) else {
      return []
    }
    var found: [ArraySlice<UInt8>] = []
    var next = nodes.startIndex + 1
    while next < nodes.startIndex + whole.size {
      let node = nodes[next]
      let inner = nodes[next..<(next + node.size)]
      next += node.size
      if let step = steps.first {
        if node.name.map({ step.utf8.elementsEqual($0) }) ?? false {
          return elements(inner, at: steps.dropFirst())
        }
      } else if node.kind == .object {
        found.append(node.raw)
      } else if node.kind == .string, node.text.first == UInt8(ascii: "{") {
        found.append(node.text)
      }
    }
    return found
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
    var path = "[]"
    var at = array
    while at != PointerTable.root {
      let parent = pointers.parent(at)
      let isElement = parent != PointerTable.root && line[parent]?.kind == .array
      path = (isElement ? "[]" : ProgramText.member(pointers.name(at))) + path
      at = parent
    }
    return path
  }

  /// Returns the outermost of the arrays that directly contain each other: a row is no record of its own.
  private static func whole(_ array: Int, _ line: SampleLine, _ pointers: PointerTable) -> Int {
    var array = array
    while case let parent = pointers.parent(array), parent != PointerTable.root,
      line[parent]?.kind == .array
    { array = parent }
    return array
  }

  /// Returns the array of records that a pointer goes through: of objects that are no pairs of a
  /// name and a value, or of arrays.
  private static func array(
    around pointer: Int, _ line: SampleLine, _ pointers: PointerTable
  ) -> Int? {
    var at = pointer
    while at != PointerTable.root {
      let parent = pointers.parent(at)
      if parent != PointerTable.root, line[parent]?.kind == .array {
        switch line[at]?.kind {
        case .object:
          let members = line.values.filter { pointers.parent($0.pointer) == at }
            .map { pointers.name($0.pointer).lowercased() }
          let isPair =
            members.count <= 2 && members.contains("value")
            && (members.contains("name") || members.contains("key"))
          if !isPair { return whole(parent, line, pointers) }
        case .array: return whole(parent, line, pointers)
        default: break
        }
      }
      at = parent
    }
    return nil
  }
}
