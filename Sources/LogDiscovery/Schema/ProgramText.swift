import AuditLog

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
