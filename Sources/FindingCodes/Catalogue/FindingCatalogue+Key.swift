extension FindingCatalogue {
  /// The findings from the records of one key.
  package static let key: [FindingEntry] = [
    FindingEntry(
      .keyReattested, "key.reattested", .medium, "key registered again",
      meaning: "The key has a further valid attestation, for another challenge.",
      abuse: "An attacker registers the key again to reset what the server knows about it.",
      harmless: "The app registers its key again at every start.",
      remedy: "Make the server reject a second registration of a key, or keep the key's counter."),
    FindingEntry(
      .keySubjectChanged, "key.subject_changed", .medium, "key used by another account",
      meaning:
        "A verified record of the key has another subject than the key's first record with a "
        + "subject.",
      abuse: "One device acts for several accounts: a device farm, or a stolen session.",
      harmless: "Several people share the device, or an account was renamed.",
      remedy:
        "Look at the timelines of both subjects. Make the server bind a key to one account."),
    FindingEntry(
      .keyUnknown, "key.unknown", .high, "key never registered",
      meaning:
        "The key has assertions, but no attestation, and it is neither in the state nor in a list "
        + "of known keys. Its assertions cannot be verified.",
      abuse: "The server accepts signatures of a key that it never attested.",
      harmless: "The key was registered before the logs begin, or that log is missing or late.",
      remedy:
        "Pass the older keys with --keys, or use a state. Then examine the keys that are still "
        + "unknown."),
    FindingEntry(
      .keyUntrusted, "key.untrusted", .high, "key whose registration failed",
      meaning: "The key has assertions, and all of its attestations failed.",
      abuse: "The server stored a key although its attestation is invalid.",
      harmless: "The schema maps a wrong field, so valid attestations fail.",
      remedy:
        "Examine the attestation that the finding names. If the failure is real, revoke the key."),
    FindingEntry(
      .keyUsedBeforeAttestation, "key.used_before_attestation", .high,
      "key used before it was registered",
      meaning: "An assertion is earlier than the first valid attestation of its key.",
      abuse: "The server accepted the key first and attested it later, or never.",
      harmless:
        "Clocks differ by more than reorderTolerance, or an earlier registration was not logged.",
      remedy: "Compare both times in the detail."),
  ]
}
