import AppAttest
import AuditLog
import Testing

@testable import AuditEngine

/// The finding about a challenge that is used too late (`detection.R47`).
struct ChallengeRuleTests {
  @Test(arguments: [(Int64?.none, "1 d"), (3_600_000, "1 h")])
  func `an expired challenge is compared with the limit that applies`(
    _ limit: Int64?, _ words: String
  ) {
    var detection = DetectionPolicy()
    detection.challengesRequired = true
    detection.challengeTTL = limit
    let issue = IssuedChallenges.Issue(time: 0, position: Position(source: 0, line: 1))
    let detail = ChallengeRule(detection).detail(issue, at: 90_000_000)
    #expect(detail.text.hasSuffix(": more than the \(words) allowed."), "\(detail.text)")
  }
}
