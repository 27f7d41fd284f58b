import AuditLog

/// The command that joins lines that a container runtime cut into parts.
package enum LineParts {
  /// Returns a command for a shell that joins the parts of each stream, or nil if a sample has none.
  package static func command(_ sample: LogSample) -> String? {
    if let line = sample.unread.first(where: { LinePart.isCRI($0.bytes[...]) }) {
      // `P` marks a part that another follows, `F` the last one.
      return #"awk '{s=$2; t=$3; h=$1; sub(/^[^ ]+ [^ ]+ [^ ]+ /, ""); b[s]=b[s] $0; "#
        + #"if (t!="P") {print h, s, "F", b[s]; b[s]=""}}' "#
        + ShellText.quoted(sample.sources[line.source])
    }
    let document = JSONDocument()
    let line = sample.logLines.first { LinePart.isDocker($0.bytes[...], document) }
    return line.map {
      "jq -cn 'foreach inputs as $r ({}; .[$r.stream] += $r.log | .line = null | "
        + #"if $r.log | endswith("\n") then .line = $r + {log: .[$r.stream]} | "#
        + #".[$r.stream] = "" else . end; .line // empty)' "#
        + ShellText.quoted(sample.sources[$0.source])
    }
  }
}

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
