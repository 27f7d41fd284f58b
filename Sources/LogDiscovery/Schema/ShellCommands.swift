import AuditLog

/// The time of lines that have it only before their JSON. Schemas do not look there.
enum PrefixTime {
  /// A day in digits or with the name of its month, a time, and a zone if there is one.
  private static let pattern =
    "([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}[./-][0-9A-Za-z]{2,3}[./-][0-9]{4})[T :]"
    + "[0-9]{2}:[0-9]{2}:[0-9.,]*[0-9]( ?(Z|[+-][0-9:]{4,6}))?"

  /// Returns a shell command that moves the time into the JSON, or nil if few lines have one.
  static func command(_ sample: LogSample, _ lines: [SampleLine]) -> String? {
    guard let time = try? Regex(pattern), let first = lines.first else { return nil }
    let dated = lines.count {
      String(decoding: $0.bytes[..<$0.start], as: UTF8.self).contains(time)
    }
    guard dated * 10 >= lines.count * 9 else { return nil }
    return ##"sed -E 's#^[^"]*(\##(pattern))[^"]*\{"#{"time":"\1","#' "##
      + ShellText.quoted(sample.sources[first.source])
  }
}

/// The kinds of tokens. Schemas do not read them in the tokens.
enum TokenKinds {
  /// Returns a shell command that adds the kind to each line with a token at the place of most tokens, by the
  /// characters with which only attestations begin there, or nil if these or the place cannot be named.
  static func command(_ tokens: [FoundToken], _ sample: LogSample) -> String? {
    let counts = Dictionary(grouping: tokens, by: \.pointer).mapValues(\.count)
    guard sample.records.isEmpty, let place = counts.most?.pointer,
      let first = tokens.first(where: { $0.pointer == place && $0.role == .attestation }),
      let path = ProgramText.path(to: place, in: sample.lines[first.line], sample.pointers),
      let beginning = beginning(tokens.filter { $0.pointer == place }, first, sample)
    else { return nil }
    let isTaken = sample.pointers.number(of: JSONPointer(["kind"])) != nil
    let program =
      "(try \(path) catch null) as $token | if ($token | type) == \"string\" then "
      + "\(isTaken ? ".tokenKind" : ".kind") = (if $token | startswith(\"\(beginning)\") "
      + "then \"attestation\" else \"assertion\" end) else . end"
    let source = sample.sources[sample.lines[first.line].source]
    return "jq -c \(ShellText.quoted(program)) \(ShellText.quoted(source))"
  }

  /// Returns the characters that the texts of all attestations have in common with the first, and no assertion's.
  private static func beginning(
    _ tokens: [FoundToken], _ first: FoundToken, _ sample: LogSample
  ) -> String? {
    let texts = tokens.map { (role: $0.role, text: sample.lines[$0.line][$0.pointer]?.text ?? []) }
    let text = sample.lines[first.line][first.pointer]?.text ?? []
    let length = (4...16).first { length in
      texts.allSatisfy {
        ($0.role == .attestation) == $0.text.starts(with: text.prefix(length))
      }
    }
    return length.map { String(decoding: text.prefix($0), as: UTF8.self) }
  }
}

/// Pieces of programs for `jq`.
enum ProgramText {
  static func member(_ name: String) -> String {
    let isPlain = !name.isEmpty && name.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
    let quoted = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return isPlain ? ".\(name)" : ".\"\(quoted)\""
  }

  /// Returns the path to a value through objects, or nil if it passes through anything else.
  static func path(to pointer: Int, in line: SampleLine, _ pointers: PointerTable) -> String? {
    let objects = pointers.parents(of: pointer)
    guard objects.allSatisfy({ line[$0]?.kind == .object }) else { return nil }
    return ([pointer] + objects).reversed().map { member(pointers.name($0)) }.joined()
  }
}
