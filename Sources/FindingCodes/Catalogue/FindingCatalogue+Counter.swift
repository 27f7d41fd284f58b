extension FindingCatalogue {
  /// The findings from the counters of one key.
  package static let counter: [FindingEntry] = [
    FindingEntry(
      .counterGap, "counter.gap", .info, "requests that this log never saw",
      meaning: "The counter is more than counterGap above the highest counter before it.",
      abuse: "Requests went to a server whose log is not audited.",
      harmless: "Requests never arrived at the server, or logs are missing.",
      remedy: "Compare the gap with the hours for which you have logs."),
    FindingEntry(
      .counterRegression, "counter.regression", .high, "counter went back",
      meaning:
        "The counter is below the highest counter so far, was never seen before, and came too "
        + "late to be a parallel request. Or it is 0, which no assertion has.",
      abuse: "The key was copied, or its counter was set back.",
      harmless: "The clocks of two gateways differ by more than reorderTolerance.",
      remedy:
        "Plot the key's timeline. If it shows two rising sequences, the key was copied: revoke "
        + "it."),
    FindingEntry(
      .counterReordered, "counter.reordered", .info, "requests out of order",
      meaning: "The counter is below the highest counter so far, within reorderTolerance.",
      abuse: "None.",
      harmless: "Requests that were sent in parallel overtook each other.",
      remedy: "Do nothing."),
    FindingEntry(
      .counterRepeated, "counter.repeated", .critical, "one counter, two signatures",
      meaning: "Two different assertions of one key have the same counter.",
      abuse:
        "The private key is in two places, or its counter was set back: a Secure Enclave never "
        + "signs twice with one counter.",
      harmless: "None is known.",
      remedy:
        "Revoke the key. Examine everything that it did since the first of the two assertions."),
    FindingEntry(
      .counterServerMismatch, "counter.server_mismatch", .medium, "server stored another counter",
      meaning: "The counter that the server had stored is not the one that its log leads to.",
      abuse: "The server loses or does not update counters, so old requests pass.",
      harmless:
        "Other servers handled some requests, or the stored counter was restored from a backup.",
      remedy:
        "Check how the server updates its counter: it must do so for every request that it "
        + "accepts."),
  ]
}
