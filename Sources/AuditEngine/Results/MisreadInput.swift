internal import AuditLog

extension InputRow {
  /// Returns the sentence about an input that looks as if it were read with the wrong schema, with a command that helps.
  /// `path` is that of its file, or nil if it is none, and `name` is shown.
  package func misreading(by schema: String, _ path: String?, name: String) -> String {
    if let path, let content = ForeignContent.of(path: path) {
      let command = ShellText.command(
        "\(content.command) | attest-audit audit - --stdin-name \(ShellText.quoted(name))")
      return
        "\(name) is \(content.name), and no JSON Lines; \(command), with the other options of this "
        + "run, reads it"
    }
    let help =
      // A schema in the pipeline file can come from init: only the reason helps.
      if schema == LogSchema.inlineName {
        ShellText.command("attest-audit inspect FILE:LINE") + " shows the reason for a line"
      } else if path.map(ForeignContent.mayHaveObjects) ?? true {
        "is it in another form? " + ShellText.command("attest-audit init \(ShellText.quoted(name))")
          + " infers a schema"
      } else {
        "it contains no JSON objects; convert it to JSON Lines: one JSON object on each line"
      }
    return
      "\(unreadableLines) of \(filledLines) \(filledLines == 1 ? "line" : "lines") of \(name) could not "
      + "be read with the schema \(schema): \(help)"
  }
}
