package import AuditEngine
internal import Basics

package struct SimulationFacts: Sendable {
  /// A setting in which two policies differ, with the values as `check` shows them.
  package typealias Difference = (setting: String, current: String, candidate: String)

  /// The sentences on what a simulation cannot know.
  package static let limit = [
    "A client that had been refused would have behaved differently afterwards: clients are not "
      + "simulated, and later requests of a refused key are judged as they were logged.",
    "A request that the server rejected for a reason outside App Attest counts as newly accepted if "
      + "the candidate does not refuse it.",
  ]

  package var differences: [Difference]
  package var startedAt: Int64
  package var finishedAt: Int64
  /// Milliseconds by a monotonic clock.
  package var elapsed: Int64

  package init(
    differences: [Difference], startedAt: Int64, finishedAt: Int64, elapsed: Int64
  ) {
    self.differences = differences
    self.startedAt = startedAt
    self.finishedAt = finishedAt
    self.elapsed = elapsed
  }
}

extension Simulation.Counts {
  /// The share of accepted requests that the candidate refuses, in thousandths of a percent.
  package var milliPercent: UInt64 {
    accepted == 0 ? 0 : UInt64((Double(refused) * 100_000 / Double(accepted)).rounded())
  }

  /// Returns whether the candidate refuses more than this share, 0 to 1, of the accepted requests.
  package func isAbove(_ share: Double) -> Bool { Double(refused) > share * Double(accepted) }

  /// The share in percent, `0.125%`.
  package var shareText: String {
    "\(milliPercent / 1000)." + "\(milliPercent % 1000)".zeroPadded(to: 3) + "%"
  }
}
