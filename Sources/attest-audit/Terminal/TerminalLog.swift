import AuditSettings
import Logging

/// Log lines on standard error, without a time: `attest-audit: notice: …`.
struct TerminalLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var text = "\(event.level.rawValue): \(event.message)"
    let extra = metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 })
    for (key, value) in extra.sorted(by: { $0.key < $1.key }) { text += " \(key)=\(value)" }
    Console.note(text)
  }

  /// Returns the program's logger, from `level` upwards.
  static func logger(_ level: LogLevel) -> Logger {
    let shown = Logger.Level(rawValue: level.rawValue) ?? .notice
    return Logger(label: "attest-audit") { _ in TerminalLog(logLevel: shown) }
  }
}
