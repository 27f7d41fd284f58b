import AuditLog
import LogDiscovery

/// The command that joins lines that a container runtime cut into parts.
enum LineParts {
  /// Returns a command for a shell that joins the parts of each stream, or nil if a sample has none.
  static func command(_ sample: LogSample) -> String? {
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
