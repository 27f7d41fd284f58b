extension FindingCatalogue {
  /// The findings from the server's own decision.
  package static let decision: [FindingEntry] = [
    FindingEntry(
      .decisionRejectedValid, "decision.rejected_valid", .low, "honest request rejected",
      decision: .none,
      meaning: "The server rejected a request in which the audit found no fault.",
      abuse: "None. An attacker who can cause this locks users out.",
      harmless: "The server had another reason: a rate limit, a blocked account, a fault.",
      remedy: "If it is frequent, look for a check in the server that is stricter than Apple's.")
  ]
}
