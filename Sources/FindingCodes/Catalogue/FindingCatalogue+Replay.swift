extension FindingCatalogue {
  /// The findings about a clientDataHash that occurs more than once.
  package static let replay: [FindingEntry] = [
    FindingEntry(
      .replayAssertion, "replay.assertion", .critical, "signed request used twice",
      meaning: "The same signed request came again.",
      abuse: "A captured request is sent once more: a payment, a login.",
      harmless:
        "A client or proxy that repeats requests: see retryTolerance. A log shipper that delivers "
        + "lines twice: if the records agree in every mapped field, see identicalRecords.",
      remedy: "Have the server refuse counters and challenges that were used."),
    FindingEntry(
      .replayAttestation, "replay.attestation", .critical, "registration used twice",
      meaning: "The same attestation came again.",
      abuse: "A captured registration binds the key to another account.",
      harmless: "A client that repeats its registration.",
      remedy: "Have the server use each challenge once."),
    FindingEntry(
      .replayClientDataHash, "replay.client_data_hash", .high, "one challenge, two signatures",
      meaning: "The clientDataHash was used before under this key, with another signature.",
      abuse: "The server lets a challenge be used more than once.",
      harmless: "Client data that holds no challenge: set replayScope to exact.",
      remedy: "Have the server use each challenge once."),
    FindingEntry(
      .replayCrossKey, "replay.cross_key", .high, "one challenge, two keys",
      meaning: "The clientDataHash was used before under another key.",
      abuse: "One challenge serves several devices: a farm signs for one session.",
      harmless: "Client data that is the same for all users: set replayScope to exact or key.",
      remedy: "Have the server bind each challenge to a session, and use it once."),
    FindingEntry(
      .replayRetry, "replay.retry", .info, "request sent again after a refusal",
      meaning: "The same request again, shortly after the server had rejected it.",
      abuse:
        "None of its own: what is found of the refused request counts as accepted once a copy of it is.",
      harmless: "A client that tries again.",
      remedy: "Nothing."),
  ]
}
