import Basics
import Foundation

/// A table of nanoseconds for each record, and their ratio to one verification.
struct BenchTable {
  /// The nanoseconds of one P-256 verification.
  let verification: Double
  private var rows: [(name: String, nanoseconds: Double)] = []

  init(verification: Double) {
    self.verification = verification
  }

  mutating func add(_ name: String, nanoseconds: Double) {
    rows.append((name, nanoseconds))
  }

  /// The table, a line for each row.
  var text: String {
    rows.map { row in
      let ratio = String(format: "%9.4f", row.nanoseconds / verification)
      let time = String(format: "%10.0f ns", row.nanoseconds)
      return "  \(row.name.padded(to: 34, least: 1))\(time)\(ratio) verifications"
    }.joined(separator: "\n") + "\n"
  }

  /// Returns a whole number with its thousands separated.
  static func number(_ value: Double) -> String {
    var digits = Array(String(Int(value.rounded())))
    var index = digits.count - 3
    while index > 0 {
      digits.insert(",", at: index)
      index -= 3
    }
    return String(digits)
  }
}
