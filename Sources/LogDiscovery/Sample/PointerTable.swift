package import AuditLog

/// The JSON Pointers (RFC 6901) of a sample, each with a number. Number 0 is the whole line.
package struct PointerTable {
  /// The largest number of pointers that are kept apart.
  private static let limit = 1 << 16
  /// The length of the longest member name that is examined, in bytes.
  private static let nameLimit = 200

  private struct Node {
    var parent: Int
    var name: String
    var depth: Int
  }

  private struct Key: Hashable {
    var parent: Int
    var name: String
  }

  private var nodes = [Node(parent: 0, name: "", depth: 0)]
  private var numbers: [Key: Int] = [:]
  /// The objects whose member names compare without ASCII case.
  private(set) var headers: Set<Int> = []

  static let root = 0

  /// Returns the number of the member `name` of the value at `parent`. Returns nil for a name that
  /// cannot be written in a pipeline file, and if there are too many pointers.
  ///
  /// - Parameter mayAdd: True to give a number to a pointer that was never seen.
  mutating func member(_ name: ArraySlice<UInt8>, of parent: Int, mayAdd: Bool) -> Int? {
    guard name.count <= Self.nameLimit, let text = String(validating: name, as: UTF8.self) else {
      return nil
    }
    let isHeader = headers.contains(parent)
    let key = Key(parent: parent, name: isHeader ? Self.lowercase(text) : text)
    if let number = numbers[key] {
      if isHeader { count(text, of: number) }
      return number
    }
    guard mayAdd, nodes.count < Self.limit, Self.canBeWritten(text) else { return nil }
    let number = nodes.count
    nodes.append(Node(parent: parent, name: text, depth: nodes[parent].depth + 1))
    numbers[key] = number
    if Self.namesHeaders(text) { headers.insert(number) }
    return number
  }

  /// The counts of the first spellings of each header.
  private var spellings: [Int: [String: Int]] = [:]
  /// The largest number of spellings of a header that are counted separately.
  private static let spellingLimit = 16

  private mutating func count(_ spelling: String, of number: Int) {
    let known = spellings[number] ?? [nodes[number].name: 1]
    guard known[spelling] != nil || known.count < Self.spellingLimit else { return }
    spellings[number] = known
    spellings[number, default: [:]][spelling, default: 0] += 1
  }

  /// Records that the object at a pointer holds headers, whatever its name.
  mutating func mark(headers number: Int) {
    guard number != Self.root, headers.insert(number).inserted else { return }
    for child in nodes.indices where child != Self.root && nodes[child].parent == number {
      let key = Key(parent: number, name: Self.lowercase(nodes[child].name))
      if numbers[key] == nil { numbers[key] = child }
    }
  }

  /// Returns whether a name is unchanged after it is written into YAML and its variables are filled
  /// in.
  private static func canBeWritten(_ name: String) -> Bool {
    !name.contains("${")
      && name.unicodeScalars.allSatisfy { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
          .unassigned:
          false
        default: true
        }
      }
  }

  /// Returns the pointer of a number other than the root's.
  package func pointer(_ number: Int) -> JSONPointer {
    JSONPointer(([number] + parents(of: number)).reversed().map(name))
  }

  /// Returns the pointer as text: `/body/key_id`.
  package func text(_ number: Int) -> String {
    number == Self.root ? "" : pointer(number).text
  }

  /// Returns the number of a pointer, or nil if it is not in the table.
  func number(of pointer: JSONPointer) -> Int? {
    var at = Self.root
    for step in pointer.steps {
      let name = headers.contains(at) ? Self.lowercase(step) : step
      guard let next = numbers[Key(parent: at, name: name)] else { return nil }
      at = next
    }
    return at
  }

  /// Returns the pointers around a pointer, the innermost first, without the root.
  func parents(of number: Int) -> [Int] {
    Array(sequence(first: nodes[number].parent) { nodes[$0].parent }.prefix { $0 != Self.root })
  }

  /// Returns the pointer without its last step.
  func parent(_ number: Int) -> Int { nodes[number].parent }

  /// Returns the pointers that are one step longer than a pointer.
  func children(_ number: Int) -> [Int] {
    nodes.indices.filter { $0 != Self.root && nodes[$0].parent == number }
  }

  /// Returns the last name of a pointer.
  func name(_ number: Int) -> String { nodes[number].name }

  /// Returns the name of a value for people: its last name, or the pointer of an element of a list.
  func words(_ number: Int) -> String {
    Int(name(number)) == nil ? name(number) : text(number)
  }

  /// Members that give only the type of the value in them, as databases and protocols write values.
  private static let types: Set<String> = [
    "s", "n", "b", "bool", "m", "l", "$date", "$oid", "$numberint", "$numberlong",
    "$numberdouble", "stringvalue", "intvalue", "boolvalue", "doublevalue", "bytesvalue",
  ]

  /// Returns the last name of a pointer that gives the meaning of a value, and not only its type.
  func meaning(_ number: Int) -> String { name(holder(number)) }

  /// Returns the pointer whose name gives the meaning of a value: itself, or the one around it and
  /// its type.
  func holder(_ number: Int) -> Int {
    let parent = nodes[number].parent
    return parent != Self.root && Self.types.contains(Self.lowercase(name(number)))
      ? parent : number
  }

  /// Returns the number of names in a pointer.
  func depth(_ number: Int) -> Int { nodes[number].depth }

  /// Returns whether `inner` is inside the value at `outer`.
  func isInside(_ inner: Int, _ outer: Int) -> Bool { parents(of: inner).contains(outer) }

  /// Returns the object of headers that a pointer steps through, or nil if there is none.
  func header(of number: Int) -> Int? { parents(of: number).first(where: headers.contains) }

  /// Returns the pointers that take a header by its place in a list, or one whose name is a number.
  /// A pipeline file with one of them is refused.
  func takenByPlace() -> Set<Int> {
    var found: Set<Int> = []
    for number in nodes.indices.dropFirst() {
      let parent = nodes[number].parent
      guard parent != Self.root else { continue }
      let isPlace = Self.isNumber(nodes[number].name)
      let isInHeaders = headers.contains(parent) || headers.contains(nodes[parent].parent)
      let name = Self.lowercase(nodes[number].name)
      let isInPair =
        nodes[parent].parent != Self.root && Self.isNumber(nodes[parent].name)
        && (name == "value" || name == "1")
      if found.contains(parent) || (isPlace && isInHeaders) || isInPair { found.insert(number) }
    }
    return found
  }

  private static func isNumber(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Finds the objects of headers, and gives all spellings of one header the number of the most
  /// frequent spelling.
  ///
  /// - Parameter counts: The number of times that each pointer was seen.
  /// - Returns: For each number, the number that replaces it from now on.
  mutating func foldHeaders(counts: [Int: Int]) -> [Int] {
    for (number, counts) in spellings {
      let best = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
      if let best { nodes[number].name = best.key }
    }
    let isHeaders = nodes.indices.map { headers.contains($0) }
    var canonical = Array(nodes.indices)
    var spellings: [Key: Int] = [:]
    for number in nodes.indices.dropFirst() {
      let parent = canonical[nodes[number].parent]
      let name = nodes[number].name
      let key = Key(parent: parent, name: isHeaders[parent] ? Self.lowercase(name) : name)
      guard let known = spellings[key] else {
        spellings[key] = number
        continue
      }
      canonical[number] = known
      if counts[number, default: 0] > counts[known, default: 0], isHeaders[parent] {
        // The number stays and the spelling changes, so that pointers inside keep their parent.
        nodes[known].name = name
      }
    }
    headers = Set(nodes.indices.dropFirst().map { canonical[nodes[$0].parent] })
      .filter { isHeaders[$0] }
    numbers = [:]
    for number in nodes.indices.dropFirst() {
      let parent = canonical[nodes[number].parent]
      let name = nodes[number].name
      numbers[Key(parent: parent, name: headers.contains(parent) ? Self.lowercase(name) : name)] =
        canonical[number]
    }
    return canonical
  }

  private static func namesHeaders(_ name: String) -> Bool {
    let name = lowercase(name)
    return name.hasSuffix("headers") || name == "header"
  }

  /// Returns the name with ASCII letters in lower case.
  private static func lowercase(_ name: String) -> String {
    String(
      decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
