extension FindingCatalogue {
  /// The findings about a clientDataHash that occurs more than once.
  package static let replay: [FindingEntry] = [
    FindingEntry(
      .replayAssertion, "replay.assertion", .critical, "signed request used twice",
      meaning: "The log contains the same signed request again.",
      abuse: "An attacker sends a captured request once more: a payment, a login.",
      harmless:
        "A client or proxy repeats requests: see retryTolerance. Or a log shipper delivers lines "
        + "twice: if the records agree in every mapped field, see identicalRecords.",
      remedy: "Make the server reject counters and challenges that were already used."),
    FindingEntry(
      .replayAttestation, "replay.attestation", .critical, "registration used twice",
      meaning: "The log contains the same attestation again.",
      abuse: "An attacker sends a captured registration to bind the key to another account.",
      harmless: "A client repeats its registration.",
      remedy: "Make the server accept each challenge only once."),
    FindingEntry(
      .replayClientDataHash, "replay.client_data_hash", .high, "one challenge, two signatures",
      meaning: "The same key used this clientDataHash before, with another signature.",
      abuse: "The server accepts a challenge more than once.",
      harmless: "The client data contains no challenge: set replayScope to exact.",
      remedy: "Make the server accept each challenge only once."),
    FindingEntry(
      .replayCrossKey, "replay.cross_key", .high, "one challenge, two keys",
      meaning: "Another key used this clientDataHash before.",
      abuse: "One challenge serves several devices: a device farm signs for one session.",
      harmless: "The client data is the same for all users: set replayScope to exact or key.",
      remedy: "Make the server bind each challenge to a session, and accept it only once."),
    FindingEntry(
      .replayRetry, "replay.retry", .info, "request repeated after a rejection",
      meaning: "The same request is in the log again, shortly after the server rejected it.",
      abuse:
        "None. If the server accepted a copy of the request, findings about the rejected one "
        + "count as accepted.",
      harmless: "A client tries again.",
      remedy: "Do nothing."),
  ]
}
