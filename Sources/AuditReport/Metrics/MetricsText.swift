internal import Basics

/// Metrics in the text format of Prometheus, version 0.0.4. Every metric is a gauge of one run.
struct MetricsText {
  static let prefix = "attest_audit_"

  private(set) var text = ""
  private let common: [(String, String)]

  /// Makes an empty text. `common` are labels of every sample.
  init(common: [(String, String)]) {
    self.common = common
  }

  /// Adds a metric of one sample. `name` is without the prefix.
  mutating func add(_ name: String, _ help: String, _ value: UInt64) {
    begin(name, help)
    sample(name, [], String(value))
  }

  /// Adds a metric of one sample in milliseconds, written as seconds.
  mutating func add(_ name: String, _ help: String, seconds milliseconds: Int64) {
    begin(name, help)
    sample(name, [], Self.seconds(milliseconds))
  }

  /// Adds a metric with a sample for each value of a label. Without values there is no metric.
  mutating func add(_ name: String, _ help: String, by label: String, _ values: [(String, UInt64)])
  {
    guard !values.isEmpty else { return }
    begin(name, help)
    for (value, count) in values { sample(name, [(label, value)], String(count)) }
  }

  private mutating func begin(_ name: String, _ help: String) {
    text += "# HELP \(Self.prefix)\(name) \(help)\n# TYPE \(Self.prefix)\(name) gauge\n"
  }

  private mutating func sample(_ name: String, _ labels: [(String, String)], _ value: String) {
    let labels = (labels + common).map { "\($0)=\"\(Self.escape($1))\"" }
    text += Self.prefix + name
    if !labels.isEmpty { text += "{" + labels.joined(separator: ",") + "}" }
    text += " \(value)\n"
  }

  static func escape(_ value: String) -> String {
    var escaped = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  private static func seconds(_ milliseconds: Int64) -> String {
    "\(milliseconds < 0 ? "-" : "")\(milliseconds.magnitude / 1000)."
      + "\(milliseconds.magnitude % 1000)".zeroPadded(to: 3)
  }
}
