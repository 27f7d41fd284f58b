import ArgumentParser
import AuditEngine
import AuditSettings

/// Finding codes and families of codes, as a user names them.
enum CodeNames {
  /// The names that a shell completes.
  static let all: [String] = {
    let families = FindingCatalogue.entries.map { String($0.family) }
    return Array(Set(families)).sorted() + FindingCatalogue.entries.map(\.name)
  }()

  static let completion = CompletionKind.list(all)

  /// Returns the codes of a name. `origin` is the flag that gives it.
  static func codes(_ name: String, origin: String) throws(CommandError) -> [FindingCode] {
    let codes = FindingCode.allCases.filter { $0.name == name || $0.entry.family == name }
    guard codes.isEmpty else { return codes }
    throw CommandError(
      .usage, "\(origin): no code is called '\(name)'",
      hint: NearestName.of(name, among: all).map { "did you mean '\($0)'?" })
  }
}
