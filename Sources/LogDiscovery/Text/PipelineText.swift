import AppAttest

/// The pipeline file that is written.
package struct PipelineText {
  /// The paths in the form that the file has to name.
  package struct Paths {
    var inputs: [String]
    var anchors: [String]
    var receiptAnchors: [String]

    package init(inputs: [String], anchors: [String], receiptAnchors: [String]) {
      self.inputs = inputs
      self.anchors = anchors
      self.receiptAnchors = receiptAnchors
    }
  }

  private let discovery: Discovery
  private let paths: Paths
  private let timeText: (Int64) -> String

  /// Makes the file.
  ///
  /// - Parameter timeText: Returns milliseconds since 1970 as RFC 3339.
  package init(
    discovery: Discovery, paths: Paths, timeText: @escaping (Int64) -> String
  ) {
    self.discovery = discovery
    self.paths = paths
    self.timeText = timeText
  }

  /// The text of the whole file.
  package var text: String {
    var lines = [
      "# Written by attest-audit init from \(discovery.sample.count) lines of the log. Look through it"
        + " before you rely on it:",
      "# what stands behind 'perhaps', 'left out' or 'not found' is yours to decide.", "version: 1",
      "",
    ]
    lines += inputLines + [""] + AppsText(apps: discovery.apps).lines + [""] + trustLines + [""]
    lines += SchemaText(discovery.schema, discovery.sample).lines
    let tests = TestsText(discovery: discovery, timeText: timeText).lines
    if !tests.isEmpty { lines += [""] + tests }
    return lines.joined(separator: "\n") + "\n"
  }

  private var inputLines: [String] {
    let written = paths.inputs.filter { $0 != "-" && YAMLText.isPlainLine($0) }
    guard !written.isEmpty else {
      return ["# inputs: none here; name them on the command line"]
    }
    return ["inputs: [\(written.map(YAMLText.scalar).joined(separator: ", "))]"]
  }

  private var trustLines: [String] {
    let sections = [("anchors", paths.anchors), ("receiptAnchors", paths.receiptAnchors)]
      .filter { !$0.1.isEmpty }
    guard !sections.isEmpty else {
      return ["# trust: Apple's root certificates, as no others were named"]
    }
    return ["trust:"]
      + sections.map { name, files in
        "  \(name): [\(files.map(YAMLText.scalar).joined(separator: ", "))]"
      }
  }
}
