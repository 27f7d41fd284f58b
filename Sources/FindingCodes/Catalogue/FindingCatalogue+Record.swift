extension FindingCatalogue {
  /// The faults of a line of a log.
  package static let record: [FindingEntry] = [
    FindingEntry(
      .recordAmbiguousField, "record.ambiguous_field", .medium, "line with two readings",
      decision: .hides,
      meaning:
        "A field occurs twice, or beside one whose name differs in case alone, or two fields "
        + "contradict each other: two parsers read two different requests.",
      abuse: "The server acts on one value and the audit would check the other.",
      harmless: "A log writer that adds a field that is there already.",
      remedy: "Look at the line in rejects.jsonl; have the server refuse such requests."),
    FindingEntry(
      .recordBadEncoding, "record.bad_encoding", .medium, "field that cannot be decoded",
      decision: .hides,
      meaning: "A field is not in its encoding, of the wrong length, or an unknown word.",
      abuse: "A request is written so that the audit cannot read it.",
      harmless: "A log that cuts long values; a schema with the wrong encoding.",
      remedy: "Look at the line; where the server accepted it, find out how it was decoded."),
    FindingEntry(
      .recordClientDataHashMismatch, "record.client_data_hash_mismatch", .high,
      "recorded hash is wrong",
      meaning: "The recorded clientDataHash is not the hash of the recorded client data.",
      abuse: "The server verified one thing and acted upon another.",
      harmless: "The log rewrites the client data.",
      remedy: "Have the server hash the bytes that it acts upon, and log these."),
    FindingEntry(
      .recordClientDataLossy, "record.client_data_lossy", .medium,
      "client data with replaced characters",
      decision: .hides,
      meaning:
        "The signature or nonce does not fit the client data, and the client data contains U+FFFD: "
        + "the logger replaced bytes that the device signed. The check could not be run.",
      abuse: "A client sends U+FFFD itself, so that its forged request looks like a lossy log.",
      harmless: "A logger that writes binary client data as text.",
      remedy: "Log client data as base64, or log the clientDataHash."),
    FindingEntry(
      .recordDuplicate, "record.duplicate", .info, "one request logged twice",
      meaning:
        "The same assertion or attestation with the same request identifier is in the log twice, at "
        + "the same time or in two inputs shortly after each other, with the same subject and route.",
      abuse: "None.",
      harmless: "Two gateways log one request.",
      remedy: "Nothing."),
    FindingEntry(
      .recordMalformedJSON, "record.malformed_json", .medium, "line that is not a JSON object",
      decision: .none,
      meaning:
        "The line is not one complete JSON object, or it is too long; the detail says at which "
        + "byte.",
      abuse: "A line that does not parse is a place to hide.",
      harmless: "A log that was cut or written by two processes at once.",
      remedy: "Look at rejects.jsonl."),
    FindingEntry(
      .recordMissingField, "record.missing_field", .medium, "line without a needed field",
      decision: .hides,
      meaning: "A field that the record needs is missing, null or of the wrong type.",
      abuse: "A request is logged so that it cannot be verified.",
      harmless: "A schema that looks in the wrong place.",
      remedy: "If it is frequent, run init on the log; else look at the line."),
    FindingEntry(
      .recordNotAudited, "record.not_audited", .high, "signed requests outside the audit",
      decision: .none,
      meaning: "Lines contain App Attest tokens that no rule reads: these tokens were not audited.",
      abuse: "A spelling of a route or field takes requests out of the audit.",
      harmless: "A new endpoint or a new version of the app.",
      remedy: "Add a rule for these lines to the schema: init shows it."),
    FindingEntry(
      .recordOddEncoding, "record.odd_encoding", .low, "oddly written token or key",
      decision: .none,
      meaning:
        "A field was readable only as lenient decoders read it, or CBOR tags are before the token's "
        + "map. It was audited.",
      abuse: "An encoding that one server accepts and another refuses hides a request.",
      harmless: "A client library with an encoder of its own.",
      remedy: "Have the server refuse what is not strict base64."),
    FindingEntry(
      .recordOddJSON, "record.odd_json", .low, "line that is almost JSON",
      decision: .none,
      meaning:
        "The line is not strict JSON. It was read with tolerances and audited; the detail names "
        + "each tolerance and the byte where it was first needed.",
      abuse: "One odd byte in an unused field takes a request out of a stricter audit.",
      harmless: "A logger that copies bytes of a request into the line without escaping them.",
      remedy: "Have the logger write valid JSON (in nginx: escape=json)."),
    FindingEntry(
      .recordPlatformMismatch, "record.platform_mismatch", .medium, "App Attest under a false flag",
      decision: .none,
      meaning: "The record claims another platform or format, and its token is App Attest's.",
      abuse: "A client names another platform so that its request is not examined.",
      harmless: "A server that logs a wrong platform.",
      remedy: "Have the server tell the platform by the token, not by what the client says."),
  ]
}
