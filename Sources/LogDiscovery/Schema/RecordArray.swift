import AuditLog

/// An array with several records on one line. A line's pointers reach none of them.
package struct RecordArray {
  /// The members on the way to the array, as a JSON Pointer.
  package let pointer: String
  /// The same path in the syntax of `jq`.
  private let path: String
  /// The number of tokens in such an array.
  package let tokens: Int
  /// The first file that has tokens in such an array.
  package let source: String

  /// The largest number of members of the objects in a list of names and values.
  private static let pairMembers = 2

  /// Finds the array that holds the most tokens, or returns nil if there is none.
  init?(_ sample: LogSample, _ tokens: [FoundToken]) {
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
    path = Self.path(to: array, sample.lines[most.line], sample.pointers)
    self.tokens = most.tokens
    source = sample.sources[sample.lines[most.line].source]
  }

  /// A command for a shell that writes each record on a line of its own.
  package var command: String {
    "jq -c \(ShellText.quoted(path)) " + ShellText.quoted(source)
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

  /// Returns the array of objects that a pointer goes through.
  private static func array(
    around pointer: Int, _ line: SampleLine, _ pointers: PointerTable
  ) -> Int? {
    var at = pointer
    while at != PointerTable.root {
      let parent = pointers.parent(at)
      if parent != PointerTable.root, line[parent]?.kind == .array, line[at]?.kind == .object {
        let members = line.values.count { pointers.parent($0.pointer) == at }
        if members > pairMembers { return parent }
      }
      at = parent
    }
    return nil
  }
}
