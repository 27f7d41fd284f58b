import AuditLog

/// The command that joins lines that a container runtime cut into parts.
package struct LineParts {
  /// A command for a shell that joins the parts of each stream.
  package let command: String

  /// Finds the first part in a sample, or returns nil if there is none.
  package init?(_ sample: LogSample) {
    if let line = sample.unread.first(where: { LinePart.isCRI($0.bytes[...]) }) {
      // `P` marks a part that another follows, `F` the last one.
      command =
        "awk '{s=$2; t=$3; h=$1; sub(/^[^ ]+ [^ ]+ [^ ]+ /, \"\"); b[s]=b[s] $0; "
        + "if (t!=\"P\") {print h, s, \"F\", b[s]; b[s]=\"\"}}' "
        + ShellText.quoted(sample.sources[line.source])
      return
    }
    let document = JSONDocument()
    guard
      let line = sample.logLines.first(where: { LinePart.isDocker($0.bytes[...], document) })
    else { return nil }
    command =
      "jq -cn 'foreach inputs as $r ({}; .[$r.stream] += $r.log | .line = null | "
      + "if $r.log | endswith(\"\\n\") then .line = $r + {log: .[$r.stream]} | "
      + ".[$r.stream] = \"\" else . end; .line // empty)' "
      + ShellText.quoted(sample.sources[line.source])
  }
}

/// The time of lines that have it only before their JSON. Schemas do not look there.
struct PrefixTime {
  /// A command for a shell that moves it into the JSON.
  let command: String

  /// Examines the text before the JSON of lines with tokens. Returns nil if it has a date and a
  /// time on few of them.
  init?(_ sample: LogSample, tokenLines: Set<Int>) {
    let lines = tokenLines.sorted().map { sample.lines[$0] }
    let dated = lines.count { Self.hasTime($0.bytes[..<$0.start]) }
    guard let first = lines.first, dated * 10 >= lines.count * 9 else { return nil }
    command =
      "sed -E 's/^[^{]*([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]+(Z|[+-][0-9:]+)?)[^{]*\\{/"
      + "{\"time\":\"\\1\",/' " + ShellText.quoted(sample.sources[first.source])
  }

  /// Returns whether a text holds a time such as `2026-03-01T00:`, or the same with a space.
  private static func hasTime(_ text: ArraySlice<UInt8>) -> Bool {
    let form = Array("0000-00-00T00:".utf8)
    return text.indices.contains { start in
      let rest = text[start...].prefix(form.count)
      return rest.count == form.count
        && zip(rest, form).allSatisfy { byte, wanted in
          switch wanted {
          case UInt8(ascii: "0"): (0x30...0x39).contains(byte)
          case UInt8(ascii: "T"): byte == wanted || byte == 0x20
          default: byte == wanted
          }
        }
    }
  }
}

/// Pieces of programs for `jq`.
enum ProgramText {
  /// Returns a step to a member.
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

  /// Returns a command for a shell that makes texts of objects at a place, or of texts of objects, as
  /// they were before they were parsed: without spaces, and if `isSorted` is true, with members in the order of their
  /// names.
  static func unparse(_ path: String, isSorted: Bool, source: String) -> String {
    let sort =
      "walk(if type == \"object\" then to_entries | sort_by(.key) | from_entries else . end) | "
    let program =
      "\(path) |= (if type == \"string\" then (fromjson? // .) else . end | "
      + "if type == \"object\" or type == \"array\" then "
      + (isSorted ? sort : "") + "tojson else . end)"
    return "jq -c \(ShellText.quoted(program)) " + ShellText.quoted(source)
  }
}
