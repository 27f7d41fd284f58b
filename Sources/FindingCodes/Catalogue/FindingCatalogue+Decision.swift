extension FindingCatalogue {
  /// The findings from the server's own decision.
  package static let decision: [FindingEntry] = [
    FindingEntry(
      .decisionRejectedValid, "decision.rejected_valid", .low, "honest request rejected",
      decision: .none,
      meaning: "The server rejected a request with which nothing is wrong.",
      abuse: "None; an attacker who can cause it keeps users out.",
      harmless: "A reason outside App Attest: a rate limit, a blocked account, a fault.",
      remedy: "If it is frequent, look for a check of the server that is stricter than Apple's.")
  ]
}
