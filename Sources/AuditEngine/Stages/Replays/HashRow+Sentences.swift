/// Findings about counters as the reports have them.
extension HashRow.Tentative {
  /// What is said of an assertion with that counter.
  func sentence(_ counter: UInt32) -> String {
    switch code {
    case .counterRegression where counter == 0: return "The counter of an assertion is 0."
    case .counterRegression: return "The counter fell from \(expected) to \(counter)."
    case .counterReordered: return "The counter \(counter) came shortly after \(expected)."
    case .counterGap: return "The counter rose from \(expected) to \(counter)."
    default: return "Another assertion of the key carried the counter \(counter) before."
    }
  }
}

extension HashRow.ServerMismatch {
  /// What is said of the assertion.
  var sentence: String { "The server had stored the counter \(stored), not \(expected)." }
}
