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
