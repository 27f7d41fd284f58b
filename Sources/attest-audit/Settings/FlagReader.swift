import AppAttest
import AuditEngine

/// Reads what was typed; every mistake is bad usage (64).
struct FlagReader {
  let flags: AuditFlags

  /// The largest list of inputs, in bytes.
  private static let listLimit = 64 << 20

  /// What the flags say; a schema file is read with `substitution`.
  func layer(_ substitution: Substitution) throws(CommandError) -> SettingsLayer {
    var layer = SettingsLayer()
    layer.schema = try schema(substitution)
    layer.inputs = try inputs()
    layer.standardInputName = try value("--stdin-name", flags.stdinName, .text)
    layer.apps = try apps()
    layer.environments = try value("--environment", flags.environment, .environments)
    layer.anchors = named("--trust-anchor", flags.trustAnchors)
    layer.receiptAnchors = named("--receipt-anchor", flags.receiptAnchors)
    layer.receipts = try value("--receipts", flags.receipts, .cases)
    layer.keys = flags.keys.map { NamedPath(path: $0, origin: "--keys") }
    layer.attestationMaxAge = try value(
      "--attestation-max-age", flags.attestationMaxAge, .duration)
    layer.reorderTolerance = try value("--reorder-tolerance", flags.reorderTolerance, .duration)
    layer.retryTolerance = try value("--retry-tolerance", flags.retryTolerance, .duration)
    layer.replayScope = try value("--replay-scope", flags.replayScope, .cases)
    layer.counterGap = try value("--counter-gap", flags.counterGap, .counterGap)
    layer.challengesRequired = try value("--challenges", flags.challenges, .challenges)
    layer.challengeTTL = try value("--challenge-ttl", flags.challengeTTL, .positiveDuration)
    layer.memory = try value("--memory", flags.memory, .memory)
    layer.jobs = try value("--jobs", flags.jobs, .jobs)
    layer.verifier = try value("--verifier", flags.verifier, .cases)
    layer.crossCheck = try value("--cross-check", flags.crossCheck, .percent)
    layer.tempDirectory = try value("--temp-dir", flags.tempDir, .path)
    layer.out = try value("--out", flags.out, .path)
    layer.overwrite = flags.overwrite ? true : nil
    layer.verdicts = flags.verdicts ? true : nil
    layer.metrics = try value("--metrics", flags.metrics, .path)
    layer.onlyNew = flags.onlyNew ? true : nil
    layer.stateDir = try value("--state", flags.state, .path)
    layer.stateMode = try value("--state-mode", flags.stateMode, .cases)
    layer.stateWindow = try value("--state-window", flags.stateWindow, .positiveDuration)
    layer.pendingFor = try value("--pending-for", flags.pendingFor, .duration)
    layer.settle = try value("--settle", flags.settle, .duration)
    layer.waitLock = try value("--wait-lock", flags.waitLock, .duration)
    layer.failOn = try value("--fail-on", flags.failOn, .failOn)
    layer.quiet = flags.quiet ? true : nil
    layer.logLevel = try value("--log-level", flags.logLevel, .logLevel)
    return layer
  }

  /// Throws where a flag would do nothing: what is said of the state's advance does not concern a
  /// run in `mode` that only looks at it.
  func check(mode: RunHistory.Mode?) throws(CommandError) {
    guard mode == .reference else { return }
    let idle = [
      ("--state-window", flags.stateWindow), ("--pending-for", flags.pendingFor),
      ("--settle", flags.settle), ("--wait-lock", flags.waitLock),
    ]
    guard let flag = idle.first(where: { $0.1 != nil }) else { return }
    throw CommandError(
      .usage, "\(flag.0): a run in state mode reference writes nothing and waits for nothing",
      hint: "leave it out, or say --state-mode advance")
  }

  /// The day that `${date}` stands for, `now` being milliseconds since 1970.
  func date(now: Int64) throws(CommandError) -> String {
    try value("--date", flags.date, .day) ?? AuditDay.yesterday(of: now)
  }

  private func value<Value>(
    _ flag: String, _ text: String?, _ format: SettingFormat<Value>
  ) throws(CommandError) -> Value? {
    guard let text else { return nil }
    switch format.read(text) {
    case .success(let value): return value
    case .failure(let complaint): throw CommandError(.usage, "\(flag): \(complaint.text)")
    }
  }

  private func schema(_ substitution: Substitution) throws(CommandError) -> SchemaFile? {
    guard let name = try value("--schema", flags.schema, .path) else { return nil }
    return try SchemaFile.named(
      name, origin: "--schema", key: "", folder: "", status: .usage, substitution: substitution)
  }

  private func named(_ flag: String, _ paths: [String]) -> [NamedPath]? {
    paths.isEmpty ? nil : paths.map { NamedPath(path: $0, origin: flag) }
  }

  private func apps() throws(CommandError) -> [AppPolicy]? {
    var apps: [AppPolicy] = []
    for text in flags.appIDs {
      guard let id = try value("--app-id", text, .appID) else { continue }
      if !apps.contains(where: { $0.id == id }) { apps.append(AppPolicy(id: id)) }
    }
    return apps.isEmpty ? nil : apps
  }

  private func inputs() throws(CommandError) -> [String]? {
    var inputs = flags.inputs
    if let list = flags.filesFrom {
      if list == "-", inputs.contains("-") {
        throw CommandError(
          .usage, "--files-from: standard input cannot be both the list and an input")
      }
      let bytes = try NamedPath(path: list, origin: "--files-from")
        .read(limit: Self.listLimit, status: .usage)
      inputs += bytes.split(separator: 0x0A).compactMap { line in
        let text = String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
        return text.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } ? nil : text
      }
    }
    guard inputs.allSatisfy({ !$0.isEmpty }) else {
      throw CommandError(.usage, "an input's name is empty")
    }
    return inputs.isEmpty ? nil : inputs
  }
}
