import AuditLog

/// Lines that a container runtime cut into parts.
///
/// In Kubernetes' log format (CRI) each begins with a time, a stream, and `P` for a part that another
/// follows. Docker writes objects whose `log` ends without a line end.
package struct LineParts {
  /// The first file with such lines.
  package let source: String
  /// The number of lines that others follow.
  package internal(set) var count = 0
  /// Whether Docker wrote the lines.
  var isDocker = false

  /// A command for a shell that joins the parts of each stream.
  package var command: String {
    let file = ShellText.quoted(source)
    guard isDocker else {
      return "awk '{s=$2; t=$3; h=$1; sub(/^[^ ]+ [^ ]+ [^ ]+ /, \"\"); b[s]=b[s] $0; "
        + "if (t!=\"P\") {print h, s, \"F\", b[s]; b[s]=\"\"}}' " + file
    }
    return "jq -cn 'foreach inputs as $r ({}; .[$r.stream] += $r.log | .line = null | "
      + "if $r.log | endswith(\"\\n\") then .line = $r + {log: .[$r.stream]} | .[$r.stream] = \"\" "
      + "else . end; .line // empty)' " + file
  }

  /// Returns the parts among Docker's lines, or nil if there are none: whole lines end with a line
  /// end, and other programs write none of them so.
  static func docker(_ sample: LogSample) -> LineParts? {
    guard let log = sample.pointers.number(of: JSONPointer(["log"])),
      let stream = sample.pointers.number(of: JSONPointer(["stream"]))
    else { return nil }
    let lines = sample.lines.filter { line in
      ["stdout", "stderr"].contains(line[stream]?.string) && line[log]?.kind == .string
    }
    let parts = lines.filter { $0[log]?.text.last != 0x0A }
    guard let first = parts.first, parts.count < lines.count else { return nil }
    return LineParts(source: sample.sources[first.source], count: parts.count, isDocker: true)
  }
}
