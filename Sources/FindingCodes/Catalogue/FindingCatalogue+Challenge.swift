extension FindingCatalogue {
  /// The faults of a challenge.
  package static let challenge: [FindingEntry] = [
    FindingEntry(
      .challengeExpired, "challenge.expired", .medium, "challenge used too late",
      decision: .none,
      meaning: "The challenge was used more than challengeTTL after it was last issued.",
      abuse: "A signed request was held back and sent when it suits.",
      harmless: "A device that was offline; a limit that is too tight.",
      remedy: "Have the server expire challenges, or set challengeTTL to what it allows."),
    FindingEntry(
      .challengeNotIssued, "challenge.not_issued", .high, "challenge never issued",
      decision: .none,
      meaning: "No record says that the server issued this challenge before it was used.",
      abuse: "The client chose its own challenge: captured or prepared signatures can be used.",
      harmless: "The log of the issuing service is missing, damaged or late.",
      remedy:
        "Look for a silent input in those hours first; else have the server look challenges up."),
    FindingEntry(
      .challengeWeak, "challenge.weak", .low, "challenge too short",
      decision: .none,
      meaning: "A challenge, or client data that should hold one, has fewer than 16 bytes.",
      abuse: "Short challenges can be guessed or come again, and signatures with them.",
      harmless: "Client data that holds no challenge: then replayScope is exact.",
      remedy: "Hand out 16 random bytes or more."),
  ]
}
