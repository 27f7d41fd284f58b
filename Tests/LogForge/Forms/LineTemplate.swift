/// The form of a line as JSON, with names for what differs from line to line.
///
/// - `$name` is a value; if there is none, its member is left out.
/// - `text{…}` is a string that contains an object.
/// - `~` before a member's name: it is written in one of the cases in which clients and proxies write headers.
///
/// All else is written as it stands.
struct LineTemplate: Sendable {
  private indirect enum Part: Sendable {
    case finished([UInt8])
    case value(String)
    case object([Member])
    case text([Member])
  }

  private struct Member: Sendable {
    var name: String
    var part: Part
  }

  private let members: [Member]

  init(_ text: Substring) {
    var rest = text
    members = Self.members(&rest)
  }

  /// Returns the templates of a section of `Data/templates.txt`.
  static func all(_ name: String) -> [LineTemplate] {
    DataTable.section(name, of: PackageResources.templates_txt).map { LineTemplate($0) }
  }

  private static func members(_ rest: inout Substring) -> [Member] {
    var members: [Member] = []
    rest.removeFirst()
    while rest.first != "}" {
      let name = rest.drop { ",\n\"".contains($0) }.prefix { $0 != "\"" }
      rest = rest[name.endIndex...].dropFirst(2)
      members.append(Member(name: String(name), part: part(&rest)))
    }
    rest.removeFirst()
    return members
  }

  private static func part(_ rest: inout Substring) -> Part {
    if rest.first == "{" { return .object(members(&rest)) }
    if rest.hasPrefix("text{") {
      rest.removeFirst(4)
      return .text(members(&rest))
    }
    // A comma or brace within a string, an array or a value's argument is not an end.
    var (isString, depth, before) = (false, 0, Character(" "))
    let text = rest.prefix { character in
      if character == "\"", before != "\\" { isString.toggle() }
      if !isString { depth += "([".contains(character) ? 1 : ")]".contains(character) ? -1 : 0 }
      before = character
      return isString || depth > 0 || !",}".contains(character)
    }
    rest = rest[text.endIndex...]
    return text.hasPrefix("$") ? .value(String(text.dropFirst())) : .finished(Array(text.utf8))
  }

  /// Returns a line with these values, which are asked for in the order of their names.
  func line(
    _ random: inout ForgeRandom, _ value: (String, inout ForgeRandom) -> JSONLine.Value?
  ) -> JSONLine { Self.line(members, &random, value) }

  private static func line(
    _ members: [Member], _ random: inout ForgeRandom,
    _ value: (String, inout ForgeRandom) -> JSONLine.Value?
  ) -> JSONLine {
    var line = JSONLine()
    for member in members {
      var name = member.name
      if name.hasPrefix("~") {
        name.removeFirst()
        name = [name.lowercased(), name.uppercased(), name, name][random.below(4)]
      }
      switch member.part {
      case .finished(let bytes): line.add(name, raw: bytes)
      case .value(let text):
        if let value = value(text, &random) { line.fields.append((name, value)) }
      case .object(let members): line.add(name, object: Self.line(members, &random, value))
      case .text(let members): line.add(name, jsonText: Self.line(members, &random, value))
      }
    }
    return line
  }
}

extension JSONLine.Value {
  /// Returns JSON as it stands.
  static func raw(_ text: some StringProtocol) -> Self { .finished(Array(text.utf8)) }

  /// Returns a string of UTF-8.
  static func string(_ text: some Sequence<UInt8>) -> Self {
    .finished(JSONLine.quoted(Array(text)))
  }

  static func string(_ text: String) -> Self { .string(text.utf8) }
}
