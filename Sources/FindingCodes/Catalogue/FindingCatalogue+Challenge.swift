extension FindingCatalogue {
  /// The faults of a challenge.
  package static let challenge: [FindingEntry] = [
    FindingEntry(
      .challengeExpired, "challenge.expired", .medium, "challenge used too late",
      decision: .none,
      meaning: "The challenge was used more than challengeTTL after it was last issued.",
      abuse: "An attacker keeps a signed request and sends it later.",
      harmless: "The device was offline, or the limit is too short.",
      remedy:
        "Make the server expire challenges, or set challengeTTL to the time that the server "
        + "allows."),
    FindingEntry(
      .challengeNotIssued, "challenge.not_issued", .high, "challenge never issued",
      decision: .none,
      meaning: "No record shows that the server issued this challenge before it was used.",
      abuse: "The client chose its own challenge, so it can use captured or prepared signatures.",
      harmless: "The log of the service that issues challenges is missing, damaged or late.",
      remedy:
        "Look first for an input that is silent in those hours. If none is, make the server check "
        + "that it issued the challenge."),
    FindingEntry(
      .challengeWeak, "challenge.weak", .low, "challenge too short",
      decision: .none,
      meaning:
        "A challenge has fewer than 16 bytes, or client data that should contain a challenge has.",
      abuse:
        "An attacker can guess a short challenge or wait until it appears again, and reuse its "
        + "signature.",
      harmless: "The client data contains no challenge: set replayScope to exact.",
      remedy: "Issue challenges of 16 random bytes or more."),
  ]
}
