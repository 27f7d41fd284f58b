import AuditLog
import Basics

/// An array with several records on one line. A line's pointers reach none of them.
package struct RecordArray {
  /// The members on the way to the array, as a JSON Pointer.
  package let pointer: String
  /// The first file that has tokens in such an array.
  package let source: String
  /// A command for a shell that writes each record on a separate line.
  package let command: String
  /// The place of the array, or nil if a schema cannot read its records.
  let place: JSONPointer?
  /// Whether lines without the array have tokens, too.
  let hasSingles: Bool

  /// Finds the array that holds the most tokens, or returns nil if there is none.
  init?(_ sample: LogSample) {
    var part = sample
    part.lines = Array(sample.lines.lazy.filter(\.holdsToken).prefix(100))
    let pointers = sample.pointers
    let found = FoundTokens(part).tokens.map { token in
      (array: Self.array(around: token.pointer, part.lines[token.line], pointers), token)
    }
    let counts = Dictionary(found.compactMap(\.array).map { ($0, 1) }, uniquingKeysWith: +)
    // Fewer may be forged.
    guard let (array, count) = counts.most, count * 2 > found.count,
      let token = found.first(where: { $0.array == array })?.1
    else { return nil }
    let line = part.lines[token.line]
    pointer = pointers.text(array)
    source = sample.sources[line.source]
    let program = Self.program(array, line, pointers)
    command = "jq -c \(ShellText.quoted(program)) " + ShellText.quoted(source)
    let isOfObjects = Self.parts(of: array, line, pointers).contains { $0.kind != .array }
    let isReached = ProgramText.path(to: array, in: line, pointers) != nil
    place = isOfObjects && isReached ? pointers.pointer(array) : nil
    hasSingles = found.contains { $0.array == nil && part.lines[$0.1.line][array] == nil }
    // The command is for arrays that are not in strings.
    if place == nil, line[array]?.kind == .string { return nil }
  }

  /// Returns the value at a path of members, or nil if there is none.
  static func value(_ nodes: JSONNodes, at steps: ArraySlice<String>) -> JSONDocument.Value? {
    guard let step = steps.first else { return nodes.first?.kind == .null ? nil : nodes.first }
    guard nodes.first?.kind == .object else { return nil }
    return nodes.parts.first { $0.first?.name?.elementsEqual(step.utf8) ?? false }
      .flatMap { value($0, at: steps.dropFirst()) }
  }

  /// Returns the elements of an array, or of a string with one, that are objects or strings with an object.
  static func elements(
    _ array: JSONDocument.Value, _ document: JSONDocument
  ) -> [JSONDocument.Value] {
    guard let nodes = document.read(array.kind == .string ? array.text : array.raw),
      nodes[0].kind == .array
    else { return [] }
    return nodes[...].parts.compactMap(\.first).filter { node in
      node.kind == .object || node.kind == .string && node.text.first == UInt8(ascii: "{")
    }
  }

  private static func parts(
    of container: Int, _ line: SampleLine, _ pointers: PointerTable
  ) -> [SampleValue] {
    line.values.filter { pointers.parent($0.pointer) == container }
  }

  /// Returns the program that makes objects of the elements of an array.
  private static func program(
    _ array: Int, _ line: SampleLine, _ pointers: PointerTable
  ) -> String {
    // All elements of the array, and of those that contain it.
    let path = ([array] + pointers.parents(of: array)).reduce("[]") { path, at in
      line[pointers.parent(at)]?.kind == .array
        ? "[]" + path : ProgramText.member(pointers.name(at)) + path
    }
    guard let first = parts(of: array, line, pointers).first, first.kind == .array else {
      return path
    }
    if parts(of: first.pointer, line, pointers).first?.kind == .object {
      return path + " | map({key: (.field // .name // .key), value}) | from_entries"
    }
    // The names of columns can be in an array beside the rows.
    let columns = parts(of: pointers.parent(array), line, pointers).first { value in
      value.kind == .array && value.pointer != array
        && parts(of: value.pointer, line, pointers).allSatisfy { $0.kind == .string }
    }
    if let columns, let names = ProgramText.path(to: columns.pointer, in: line, pointers) {
      return "\(names) as $names | \(path) | [$names, .] | transpose | "
        + "map({key: .[0], value: .[1]}) | from_entries"
    }
    return path + " | to_entries | map({key: \"column\\(.key)\", value}) | from_entries"
  }

  /// Returns the outermost array that a pointer goes through: a row in it is not a record.
  private static func array(
    around pointer: Int, _ line: SampleLine, _ pointers: PointerTable
  ) -> Int? {
    let path = [pointer] + pointers.parents(of: pointer)
    // An array can be in a string.
    let isArray = path.map { at in
      line[at].map { $0.kind == .array || $0.kind == .string && $0.text.first == UInt8(ascii: "[") }
        ?? false
    }
    let element = path.indices.dropLast().first { index in
      guard isArray[index + 1] else { return false }
      let names = parts(of: path[index], line, pointers).map {
        pointers.name($0.pointer).lowercased()
      }
      let isPair =
        names.count <= 2 && names.contains("value")
        && (names.contains("name") || names.contains("key"))
      return isArray[index] || line[path[index]]?.kind == .object && !isPair
    }
    return element.map { element in
      path[isArray[(element + 1)...].firstIndex(of: false).map { $0 - 1 } ?? path.count - 1]
    }
  }
}

extension JSONDocument.Value {
  /// Returns an array, or a string with one, that contains one element only.
  func written(_ element: JSONDocument.Value) -> [UInt8] {
    let array = Array("[".utf8) + element.raw + Array("]".utf8)
    return kind == .string ? JSONString.quoted(String(decoding: array, as: UTF8.self)) : array
  }
}
