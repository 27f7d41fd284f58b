extension FindingCatalogue {
  /// The findings from the counters of one key.
  package static let counter: [FindingEntry] = [
    FindingEntry(
      .counterGap, "counter.gap", .info, "requests that this log never saw",
      meaning: "The counter is more than counterGap above the highest before it.",
      abuse: "Requests went to a server whose log is not audited.",
      harmless: "Requests that never arrived; logs that are missing.",
      remedy: "Compare with the hours for which logs are there."),
    FindingEntry(
      .counterRegression, "counter.regression", .high, "counter went back",
      meaning:
        "A counter below the highest so far, never seen before, and later than the reordering of "
        + "parallel requests explains; or counter 0, which no assertion has.",
      abuse: "The key was copied or set back: two devices count on by themselves.",
      harmless: "Clocks of two gateways that differ by more than reorderTolerance.",
      remedy: "Draw the key's timeline: two rising sequences are a copied key. Revoke it."),
    FindingEntry(
      .counterReordered, "counter.reordered", .info, "requests out of order",
      meaning: "A counter below the highest so far, within reorderTolerance.",
      abuse: "None by itself.",
      harmless: "Requests sent in parallel overtake each other.",
      remedy: "Nothing."),
    FindingEntry(
      .counterRepeated, "counter.repeated", .critical, "one counter, two signatures",
      meaning: "Two different assertions of one key carry the same counter.",
      abuse:
        "One private key lives in two places, or its counter was set back: a Secure Enclave never "
        + "signs twice with one counter.",
      harmless: "None is known.",
      remedy: "Revoke the key, and look at all that it did since the first of the two."),
    FindingEntry(
      .counterServerMismatch, "counter.server_mismatch", .medium,
      "server's counter is another one",
      meaning: "The counter that the server had stored is not what its own log leads to.",
      abuse: "The server forgets or does not update counters, so that old requests pass.",
      harmless: "Requests that were handled elsewhere, or a stored value that was restored.",
      remedy: "Look how the server updates its counter: it must do so for every accepted request."),
  ]
}
