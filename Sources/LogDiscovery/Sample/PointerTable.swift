package import AuditLog
internal import Basics

/// The JSON Pointers (RFC 6901) of a sample, each with a number. Number 0 is the whole record, and number 1 the line around
/// it.
package struct PointerTable {
  /// The largest number of pointers, and the length of the longest member name, in bytes.
  private static let (limit, nameLimit) = (1 << 16, 200)

  private struct Key: Hashable {
    var parent: Int
    var name: String
  }

  private var nodes = [Key(parent: 0, name: ""), Key(parent: 0, name: "^")]
  private var numbers: [Key: Int] = [:]
  /// The objects whose member names compare without ASCII case.
  private(set) var headers: Set<Int> = []

  static let (root, line) = (0, 1)

  /// Returns the number of the member `name` of `parent`, a new one if `mayAdd`. Returns nil for a
  /// name that no pipeline file can have, and if there are too many.
  mutating func member(_ name: ArraySlice<UInt8>, of parent: Int, mayAdd: Bool) -> Int? {
    guard name.count <= Self.nameLimit, let text = String(validating: name, as: UTF8.self) else {
      return nil
    }
    let key = Key(parent: parent, name: text)
    if let number = numbers[key] { return number }
    // A pipeline file has the name as it is.
    guard mayAdd, nodes.count < Self.limit, !text.contains("${"),
      !text.unicodeScalars.contains(where: \.isUnseen)
    else { return nil }
    let number = nodes.count
    nodes.append(key)
    numbers[key] = number
    let name = Self.lowercase(text)
    if name.hasSuffix("headers") || name == "header" { headers.insert(number) }
    return number
  }

  /// Records that the object at a pointer holds headers, whatever its name.
  mutating func mark(headers number: Int) { if number > Self.line { headers.insert(number) } }

  /// Returns the pointer of a value in the record or in the line.
  package func pointer(_ number: Int) -> JSONPointer {
    let path = [number] + parents(of: number)
    let isOfLine = path.last.map { parent($0) == Self.line } ?? false
    return JSONPointer(path.reversed().map(name), isOfLine: isOfLine)
  }

  /// Returns the pointer as text: `/body/key_id`.
  package func text(_ number: Int) -> String { number == Self.root ? "" : pointer(number).text }

  func number(of pointer: JSONPointer) -> Int? {
    var at = pointer.isOfLine ? Self.line : Self.root
    for step in pointer.steps {
      guard let next = numbers[key(step, of: at)] else { return nil }
      at = next
    }
    return at
  }

  /// Returns the pointers around a pointer, the innermost first, without the root and the line.
  func parents(of number: Int) -> [Int] {
    Array(sequence(first: nodes[number].parent) { nodes[$0].parent }.prefix { $0 > Self.line })
  }

  func parent(_ number: Int) -> Int { nodes[number].parent }

  func children(_ number: Int) -> [Int] {
    nodes.indices.filter { $0 > Self.line && nodes[$0].parent == number }
  }

  func name(_ number: Int) -> String { nodes[number].name }

  /// Returns the words of the last name of a pointer that gives the meaning of a value.
  func meaning(_ number: Int) -> NameWords { NameWords(name(holder(number))) }

  /// Returns the name of a value for people: its last name, or the pointer of an element of a list.
  func words(_ number: Int) -> String { Int(name(number)) == nil ? name(number) : text(number) }

  /// Members that give only the type of the value in them, as databases and protocols write values.
  private static let types: Set<String> = [
    "s", "n", "b", "bool", "m", "l", "$date", "$oid", "$numberint", "$numberlong",
    "$numberdouble", "stringvalue", "intvalue", "boolvalue", "doublevalue", "bytesvalue",
  ]

  /// Returns the pointer whose name gives a value's meaning: itself, or the one around it.
  func holder(_ number: Int) -> Int {
    let parent = nodes[number].parent
    return parent > Self.line && Self.types.contains(Self.lowercase(name(number)))
      ? parent : number
  }

  func depth(_ number: Int) -> Int { number == Self.root ? 0 : parents(of: number).count + 1 }

  func isInside(_ inner: Int, _ outer: Int) -> Bool { parents(of: inner).contains(outer) }

  /// Returns the object of headers that a pointer steps through, or nil if there is none.
  func header(of number: Int) -> Int? { parents(of: number).first(where: headers.contains) }

  /// Returns the pointers by a header's place in a list or a number, which no file may have.
  func takenByPlace() -> Set<Int> {
    func isNumber(_ name: String) -> Bool { Decimal.number(name) != nil }
    var found: Set<Int> = []
    for number in nodes.indices {
      let parent = nodes[number].parent
      guard parent > Self.line else { continue }
      let isInHeaders = headers.contains(parent) || headers.contains(nodes[parent].parent)
      let isInPair =
        nodes[parent].parent > Self.line && isNumber(nodes[parent].name)
        && ["value", "1"].contains(Self.lowercase(nodes[number].name))
      if found.contains(parent) || isInPair || (isInHeaders && isNumber(nodes[number].name)) {
        found.insert(number)
      }
    }
    return found
  }

  /// Gives all spellings of a header one number and the most frequent name. Returns the new numbers.
  mutating func foldHeaders(counts: [Int: Int]) -> [Int] {
    var canonical = Array(nodes.indices)
    var spellings: [Int: [Int]] = [:]
    numbers = [:]
    for number in nodes.indices.dropFirst(2) {
      let key = key(nodes[number].name, of: canonical[nodes[number].parent])
      canonical[number] = numbers[key] ?? number
      numbers[key] = canonical[number]
      spellings[canonical[number], default: []].append(number)
    }
    for (number, spellings) in spellings {
      let best = spellings.max { left, right in
        (counts[left, default: 0], nodes[right].name) < (
          counts[right, default: 0], nodes[left].name
        )
      }
      // The number stays, so that pointers inside keep their parent.
      nodes[number].name = nodes[best ?? number].name
    }
    headers.formIntersection(nodes.indices.dropFirst().map { canonical[nodes[$0].parent] })
    return canonical
  }

  private func key(_ name: String, of parent: Int) -> Key {
    Key(parent: parent, name: headers.contains(parent) ? Self.lowercase(name) : name)
  }

  private static func lowercase(_ name: String) -> String {
    String(decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
