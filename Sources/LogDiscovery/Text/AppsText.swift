import AppAttest
import Basics

/// The `apps:` section of a pipeline file: the apps that there is no reason to doubt, and the
/// others as comments.
struct AppsText {
  let apps: AppSearch

  /// The largest number of apps without a name that are written one by one.
  private static let unnamedLimit = 10

  /// The lines of the section, without indentation.
  var lines: [String] {
    let trusted = apps.apps.filter { apps.doubt($0) == nil }
    let doubted = apps.apps.filter { apps.doubt($0) != nil }
    guard !apps.apps.isEmpty else {
      return [
        "# not found: apps: no token names its app; add them",
        "# apps:", "#   - id: ABCDE12345.com.example.bank",
      ] + unnamed
    }
    var lines: [String] = []
    if apps.verifications.valid == 0 {
      lines.append("# No attestation verified: the environments are not known.")
    }
    lines.append(trusted.isEmpty ? "# apps:" : "apps:")
    lines += trusted.flatMap(text)
    for app in doubted {
      lines.append(
        "  # left out: \(apps.doubt(app) ?? ""). Only if it is yours, write it so:")
      lines += text(app).map { "  #" + $0.dropFirst(1) }
    }
    return lines + unnamed
  }

  /// The comments about apps that have tokens but no name.
  private var unnamed: [String] {
    var lines = apps.unnamed.prefix(Self.unnamedLimit).map { app in
      "  # left out: nothing names its app: \(apps.counts(app)). Only if it is yours, add its App ID, "
        + "of the SHA-256 \(Hex.text(app.rpIDHash.bytes))"
    }
    let rest = apps.unnamed.dropFirst(Self.unnamedLimit)
    if !rest.isEmpty {
      lines.append(
        "  # left out: \(rest.count) more apps that nothing names, of "
          + "\(rest.reduce(0) { $0 + $1.tokens }) tokens")
    }
    return lines
  }

  private func text(_ app: FoundApp) -> [String] {
    var lines = ["  - id: \(YAMLText.scalar(app.id))"]
    let total = app.verified.values.reduce(0, +)
    guard total > 0 else {
      let note =
        app.tokens == 0
        ? "named on the command line; no token is of this app"
        : "\(apps.counts(app)), but no attestation verified"
      return lines + ["    # \(note)", "    environments: [production]"]
    }
    let seen = AttestEnvironment.allCases.filter { app.verified[$0, default: 0] > 0 }
    let words = seen.map { "\(app.verified[$0, default: 0]) \($0.name)" }.joined(separator: ", ")
    lines.append("    # attestations that verified: \(words); \(apps.counts(app))")
    let trusted = seen.filter { app.doubt($0) == nil }
    for environment in seen {
      guard let doubt = app.doubt(environment) else { continue }
      lines.append("    # left out: \(environment.name): \(doubt)")
    }
    let names = trusted.isEmpty ? [AttestEnvironment.production.name] : trusted.map(\.name)
    lines.append("    environments: [\(names.joined(separator: ", "))]")
    return lines
  }
}
