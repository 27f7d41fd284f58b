extension FindingCatalogue {
  /// The findings from the records of one key.
  package static let key: [FindingEntry] = [
    FindingEntry(
      .keyReattested, "key.reattested", .medium, "key registered again",
      meaning: "A further valid attestation of a key, for another challenge.",
      abuse: "A registration is done again to reset what the server knows of the key.",
      harmless: "An app that registers its key again at every start.",
      remedy: "Have the server refuse a second registration of a key, or keep its counter."),
    FindingEntry(
      .keySubjectChanged, "key.subject_changed", .medium, "key changed hands",
      meaning: "A verified record of the key has another subject than the key's first one.",
      abuse: "One device acts for several accounts: a device farm, or a stolen session.",
      harmless: "A shared device, or an account that was renamed.",
      remedy: "Look at both subjects' timelines; have the server bind a key to one account."),
    FindingEntry(
      .keyUnknown, "key.unknown", .high, "key never registered",
      meaning:
        "Assertions of a key that no attestation, state or list of known keys names; they cannot "
        + "be verified.",
      abuse: "The server accepts signatures without having attested the key.",
      harmless: "The key was registered before the logs begin, or that log is missing or late.",
      remedy: "Bring the older keys with --keys or a state; then look at what is left."),
    FindingEntry(
      .keyUntrusted, "key.untrusted", .high, "key whose registration failed",
      meaning: "Assertions of a key all of whose attestations failed.",
      abuse: "The server stored a key although its attestation did not hold.",
      harmless: "The log's mapping makes valid attestations fail.",
      remedy: "Look at the attestation that is named; revoke the key if the failure is real."),
    FindingEntry(
      .keyUsedBeforeAttestation, "key.used_before_attestation", .high,
      "key used before it was registered",
      meaning: "An assertion is earlier than the first valid attestation of its key.",
      abuse: "The server accepted the key first and attested it afterwards, if at all.",
      harmless:
        "Clocks that differ by more than reorderTolerance; an earlier registration that was not "
        + "logged.",
      remedy: "Compare both times in the detail."),
  ]
}
