import AppAttest
import AuditReport

/// The pipeline file that is written.
struct PipelineText {
  let search: SchemaSearch
  /// Paths as the file has to name them.
  var inputs: [String]
  var anchors: [String]
  var receiptAnchors: [String]

  /// An environment with a smaller share of an app's attestations than this is not allowed for it.
  private static let leastEnvironment = 10

  var text: String {
    var lines = [
      "# Written by \(Tool.name) init from \(search.sample.count) lines of the log. Look through it"
        + " before you rely on it:",
      "# what stands behind 'perhaps' or 'not found' is yours to decide.", "version: 1", "",
    ]
    lines += inputLines + [""] + appLines + [""] + trustLines + [""]
    lines += SchemaText(search.schema, search.sample.pointers).lines
    let tests = TestsText(search: search).lines
    if !tests.isEmpty { lines += [""] + tests }
    return lines.joined(separator: "\n") + "\n"
  }

  private var inputLines: [String] {
    let written = inputs.filter { $0 != "-" && YAMLText.isPlainLine($0) }
    guard !written.isEmpty else {
      return ["# inputs: none here; name them on the command line"]
    }
    return ["inputs: [\(written.map(YAMLText.scalar).joined(separator: ", "))]"]
  }

  // MARK: Apps

  private var appLines: [String] {
    let apps = search.apps.apps
    guard !apps.isEmpty else {
      return [
        "# not found: apps: no token names its app; add them",
        "# apps:", "#   - id: ABCDE12345.com.example.bank",
      ]
    }
    var lines: [String] = []
    if search.apps.verifications.valid == 0 {
      lines.append("# No attestation verified: the environments are not known.")
    }
    lines.append("apps:")
    for app in apps { lines += text(app) }
    return lines
  }

  private func text(_ app: FoundApp) -> [String] {
    let total = app.verified.values.reduce(0, +)
    let environments = AttestEnvironment.allCases.filter {
      let count = app.verified[$0, default: 0]
      return count > 0 && count * Self.leastEnvironment >= total
    }
    var lines = ["  - id: \(YAMLText.scalar(app.id))"]
    if total == 0 {
      let note =
        app.tokens == 0
        ? "named on the command line; no token is of this app"
        : "\(app.tokens) tokens, but no attestation verified"
      return lines + ["    # \(note)", "    environments: [production]"]
    }
    let seen = AttestEnvironment.allCases.filter { app.verified[$0, default: 0] > 0 }
      .map { "\(app.verified[$0, default: 0]) \($0.name)" }.joined(separator: ", ")
    lines.append("    # attestations that verified: \(seen)")
    lines.append("    environments: [\(environments.map(\.name).joined(separator: ", "))]")
    return lines
  }

  private var trustLines: [String] {
    if anchors.isEmpty, receiptAnchors.isEmpty {
      return ["# trust: Apple's root certificates, as no others were named"]
    }
    var lines = ["trust:"]
    if !anchors.isEmpty {
      lines.append("  anchors: [\(anchors.map(YAMLText.scalar).joined(separator: ", "))]")
    }
    if !receiptAnchors.isEmpty {
      lines.append(
        "  receiptAnchors: [\(receiptAnchors.map(YAMLText.scalar).joined(separator: ", "))]")
    }
    return lines
  }
}
