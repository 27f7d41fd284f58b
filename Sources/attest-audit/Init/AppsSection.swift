import AppAttest
import Basics
import LogDiscovery

/// The `apps:` section: apps that half of the records need, others as comments (`records.R96`).
struct AppsSection {
  let apps: AppSearch

  private static let unnamedLimit = 10

  var lines: [String] {
    guard !apps.apps.isEmpty else {
      return [
        "# not found: apps: no token names its app; add them",
        "# apps:", "#   - id: ABCDE12345.com.example.bank",
      ] + unnamed
    }
    let needed = apps.apps.filter { apps.doubt($0) == nil }
    var lines: [String] = []
    if apps.verifications.valid == 0 {
      lines.append("# No attestation verified: the environments are not known.")
    }
    lines.append(needed.isEmpty ? "# apps:" : "apps:")
    lines += needed.flatMap(text)
    for app in apps.apps {
      guard let doubt = apps.doubt(app) else { continue }
      lines.append("  # left out: \(doubt). Only if the app is yours, add it:")
      lines += text(app).map { "  #" + $0.dropFirst(1) }
    }
    return lines + unnamed
  }

  /// The comments about apps that have tokens but no name.
  private var unnamed: [String] {
    var lines = apps.unnamed.prefix(Self.unnamedLimit).map { app in
      "  # left out: no line names the app of \(apps.counts(app.tokens)). Only if it is yours, add its "
        + "App ID, of the SHA-256 \(Hex.text(app.rpIDHash.bytes))"
    }
    let rest = apps.unnamed.dropFirst(Self.unnamedLimit)
    if !rest.isEmpty {
      lines.append(
        "  # left out: \(rest.count) more apps that no line names, of "
          + apps.counts(rest.reduce(0) { $0 + $1.tokens }))
    }
    return lines
  }

  private func text(_ app: FoundApp) -> [String] {
    var lines = ["  - id: \(YAMLText.scalar(app.id))"]
    let total = app.attestations
    let seen = AttestEnvironment.allCases.filter { app.verified[$0, default: 0] > 0 }
    guard total > 0 else {
      let note =
        app.tokens == 0
        ? "named on the command line; no token is of this app"
        : "\(apps.counts(app.tokens)), but no attestation verified"
      return lines + ["    # \(note)", "    environments: [production]"]
    }
    let words = seen.map { "\(app.verified[$0, default: 0]) \($0.name)" }.joined(separator: ", ")
    lines.append("    # attestations that verified: \(words); \(apps.counts(app.tokens))")
    for environment in seen where !app.needs(environment) {
      lines.append(
        "    # left out: \(app.verified[environment, default: 0]) of \(total) \(environment.name)")
    }
    let names = seen.filter(app.needs).map(\.name)
    lines.append("    environments: [\(names.joined(separator: ", "))]")
    return lines
  }
}
