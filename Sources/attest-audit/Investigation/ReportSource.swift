import AppAttest
import ArgumentParser
import AuditEngine
import AuditReport
import AuditSettings
import AuditState
import Foundation
import Investigation

/// The report that an investigation begins with, and the present places of its inputs.
struct ReportSource: ParsableArguments {
  @Option(help: "Read this report folder.", completion: .directory)
  var report: String?

  @Option(
    help: ArgumentHelp(
      "Look for inputs that were moved in this folder; repeatable.", valueName: "dir"),
    completion: .directory)
  var logs: [String] = []

  @Option(help: "Read the list of known keys from here, if it was moved.", completion: .file())
  var keys: String?

  @Flag(help: "Follow symbolic links at the paths of inputs.")
  var follow = false

  /// Opens the report.
  func explainer() throws(CommandError) -> Explainer {
    guard let report else {
      throw CommandError(.usage, "no report is given", hint: "use --report DIR")
    }
    var explainer = try Explainer(
      Self.stored(report), logs: logs, keys: keys, followsLinks: follow,
      environment: ProcessInfo.processInfo.environment)
    let settings = try explainer.report.recordedSettings
    guard let state = settings.state else { return explainer }
    let path = state.hasPrefix("/") ? state : settings.folder + "/" + state
    // The state of the run has the keys that earlier nights attested.
    if let directory = try? StateDirectory.open(path: path, mode: .reference, now: Clock.now) {
      explainer.stateKey = { key in
        guard let known = (try? directory.key(key)) ?? nil, !known.publicKey.isEmpty else {
          return nil
        }
        return KnownKey(
          keyID: key, publicKey: known.publicKey, appID: known.appID,
          environment: known.environment, attestedAt: known.attestedAt)
      }
    }
    return explainer
  }

  /// Opens a report's folder.
  static func stored(_ path: String) throws(CommandError) -> StoredReport {
    do throws(ReportError) { return try StoredReport(path: path) } catch {
      throw CommandError(error)
    }
  }
}
