import AuditLog
import AuditSettings
import Basics
import LogDiscovery

/// The pipeline file that is written.
struct PipelineText {
  /// The paths in the form that the file has to name.
  struct Paths {
    var inputs: [String]
    var anchors: [String]
    var receiptAnchors: [String]
    var keys: String?
  }

  let discovery: Discovery
  let paths: Paths

  /// Returns the text of the file without its tests.
  var text: String {
    let lines =
      [
        "# Written by attest-audit init from \(discovery.sample.count) lines of the log. Read it before "
          + "you rely on it:",
        "# decide about lines with 'perhaps', 'left out' or 'not found'.", "version: 1", "",
      ] + inputLines + [""] + AppsSection(apps: discovery.apps).lines + [""] + trustLines + [""]
      + keyLines + SchemaSection(draft: discovery.draft, sample: discovery.sample).lines
    return lines.map { $0 + "\n" }.joined()
  }

  private var inputLines: [String] {
    let written = paths.inputs.filter { $0 != "-" && YAMLText.isPlainLine($0) }
    guard !written.isEmpty else {
      return ["# inputs: none here; name them on the command line"]
    }
    return ["inputs: [\(written.map(YAMLText.scalar).joined(separator: ", "))]"]
  }

  private var keyLines: [String] {
    paths.keys.map { ["keys: \(YAMLText.scalar($0))", ""] } ?? []
  }

  private var trustLines: [String] {
    let sections = [("anchors", paths.anchors), ("receiptAnchors", paths.receiptAnchors)]
      .filter { !$0.1.isEmpty }
    guard !sections.isEmpty else {
      return ["# trust: Apple's root certificates, because no others were named"]
    }
    return ["trust:"]
      + sections.map { name, files in
        "  \(name): [\(files.map(YAMLText.scalar).joined(separator: ", "))]"
      }
  }
}
