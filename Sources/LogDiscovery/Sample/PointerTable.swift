/// The JSON Pointers (RFC 6901) of a sample, each under a number; number 0 is the whole line.
package struct PointerTable {
  /// The most pointers that are told apart.
  private static let limit = 1 << 16
  /// The longest member name that is looked at, in bytes.
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

  /// The number of the member `name` of what stands at `parent`; nil for a name that cannot stand in
  /// a pipeline file, and where there are too many pointers.
  ///
  /// - Parameter mayAdd: Whether a pointer that was never seen gets a number.
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

  /// How often a header stood in each of its first spellings.
  private var spellings: [Int: [String: Int]] = [:]
  /// The most spellings of a header that are told apart.
  private static let spellingLimit = 16

  private mutating func count(_ spelling: String, of number: Int) {
    let known = spellings[number] ?? [nodes[number].name: 1]
    guard known[spelling] != nil || known.count < Self.spellingLimit else { return }
    spellings[number] = known
    spellings[number, default: [:]][spelling, default: 0] += 1
  }

  /// Notes that headers stand at a pointer, whatever its name.
  mutating func mark(headers number: Int) {
    guard number != Self.root, headers.insert(number).inserted else { return }
    for child in nodes.indices where child != Self.root && nodes[child].parent == number {
      let key = Key(parent: number, name: Self.lowercase(nodes[child].name))
      if numbers[key] == nil { numbers[key] = child }
    }
  }

  /// Returns whether a name survives being written into YAML and filled in with variables.
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

  /// The pointer as text: `/body/key_id`.
  package func text(_ number: Int) -> String {
    var text = ""
    var at = number
    while at != Self.root {
      let name = nodes[at].name.replacing("~", with: "~0").replacing("/", with: "~1")
      text = "/" + name + text
      at = nodes[at].parent
    }
    return text
  }

  /// The pointer that a pointer is one step longer than.
  func parent(_ number: Int) -> Int { nodes[number].parent }

  /// The pointers that are one step longer than a pointer.
  func children(_ number: Int) -> [Int] {
    nodes.indices.filter { $0 != Self.root && nodes[$0].parent == number }
  }

  /// The last name of a pointer.
  func name(_ number: Int) -> String { nodes[number].name }

  /// Members that say no more than the type of the value in them, as databases and protocols write
  /// values.
  private static let types: Set<String> = [
    "s", "n", "b", "bool", "m", "l", "$date", "$oid", "$numberint", "$numberlong",
    "$numberdouble", "stringvalue", "intvalue", "boolvalue", "doublevalue", "bytesvalue",
  ]

  /// The last name of a pointer that says what a value is, and not its type alone.
  func meaning(_ number: Int) -> String { name(holder(number)) }

  /// The pointer whose name says what a value is: itself, or what holds it and its type.
  func holder(_ number: Int) -> Int {
    let parent = nodes[number].parent
    return parent != Self.root && Self.types.contains(Self.lowercase(name(number)))
      ? parent : number
  }

  /// The number of names in a pointer.
  func depth(_ number: Int) -> Int { nodes[number].depth }

  /// Returns whether `inner` stands inside what stands at `outer`.
  func isInside(_ inner: Int, _ outer: Int) -> Bool {
    var at = inner
    while at != Self.root {
      at = nodes[at].parent
      if at == outer { return true }
    }
    return false
  }

  /// The object of headers that a pointer steps through; nil where there is none.
  func header(of number: Int) -> Int? {
    var at = number
    while at != Self.root {
      at = nodes[at].parent
      if headers.contains(at) { return at }
    }
    return nil
  }

  /// The pointers that take a header by its place in a list, or one whose name is a number: a pipeline
  /// file with one of them is refused.
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

  /// Finds the objects of headers and gives the spellings of one header one number: the most frequent
  /// spelling's.
  ///
  /// - Parameter counts: How often each pointer was seen.
  /// - Returns: For each number the number that stands for it from now on.
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
        // The number stays, the spelling changes: what is inside keeps its parent.
        nodes[known].name = name
      }
    }
    headers = Set(nodes.indices.dropFirst().map { canonical[nodes[$0].parent] })
      .filter { isHeaders[$0] }
    return canonical
  }

  private static func namesHeaders(_ name: String) -> Bool {
    let name = lowercase(name)
    return name.hasSuffix("headers") || name == "header"
  }

  /// The name with ASCII letters in lower case.
  private static func lowercase(_ name: String) -> String {
    String(
      decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
