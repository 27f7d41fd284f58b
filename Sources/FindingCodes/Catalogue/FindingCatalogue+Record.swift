extension FindingCatalogue {
  /// The faults of a line of a log.
  package static let record: [FindingEntry] = [
    FindingEntry(
      .recordAmbiguousField, "record.ambiguous_field", .medium, "line that can be read in two ways",
      decision: .hides,
      meaning:
        "A field occurs twice, or beside a field whose name differs only in case, or two fields "
        + "contradict each other. Two parsers would read two different requests.",
      abuse: "The server uses one value, and the audit would check the other.",
      harmless: "The log writer adds a field that the line already has.",
      remedy: "Read the line in rejects.jsonl. Make the server reject such requests."),
    FindingEntry(
      .recordBadEncoding, "record.bad_encoding", .medium, "field that cannot be decoded",
      decision: .hides,
      meaning: "A field is not in its encoding, has the wrong length, or contains an unknown word.",
      abuse: "An attacker writes a request so that the audit cannot read it.",
      harmless: "The log cuts long values, or the schema names the wrong encoding.",
      remedy: "Read the line. If the server accepted it, find out how the server decoded it."),
    FindingEntry(
      .recordClientDataHashMismatch, "record.client_data_hash_mismatch", .high,
      "recorded hash is wrong",
      meaning: "The recorded clientDataHash is not the hash of the recorded client data.",
      abuse: "The server verified one thing and used another.",
      harmless: "The logger changes the client data.",
      remedy: "Make the server hash the bytes that it uses, and log these bytes."),
    FindingEntry(
      .recordClientDataLossy, "record.client_data_lossy", .medium,
      "client data with replaced characters",
      decision: .hides,
      meaning:
        "The signature or nonce does not match the client data, and the client data contains "
        + "U+FFFD: the logger replaced bytes that the device signed. The check could not be made.",
      abuse:
        "A client sends U+FFFD on purpose, so that its forged request looks like a fault of the "
        + "logger.",
      harmless: "The logger writes binary client data as text.",
      remedy: "Log client data as base64, or log the clientDataHash."),
    FindingEntry(
      .recordDuplicate, "record.duplicate", .info, "one request logged twice",
      meaning:
        "The log contains the same assertion or attestation twice, with the same request "
        + "identifier, subject and route. Both have the same time, or they are in two inputs and "
        + "at most reorderTolerance apart.",
      abuse: "None.",
      harmless: "Two gateways log the same request.",
      remedy: "Do nothing."),
    FindingEntry(
      .recordMalformedJSON, "record.malformed_json", .medium, "line that is not a JSON object",
      decision: .none,
      meaning:
        "The line is not one complete JSON object, or it is too long. The detail names the byte.",
      abuse: "An attacker hides a request in a line that does not parse.",
      harmless: "The log was cut, or two processes wrote to it at once.",
      remedy: "Read the line in rejects.jsonl."),
    FindingEntry(
      .recordMissingField, "record.missing_field", .medium, "line without a needed field",
      decision: .hides,
      meaning: "A field that the record needs is missing, null or of the wrong type.",
      abuse: "A request is logged so that it cannot be verified.",
      harmless: "The schema points to the wrong field.",
      remedy: "If it is frequent, run init on the log. If it is rare, read the line."),
    FindingEntry(
      .recordNotAudited, "record.not_audited", .high, "signed requests outside the audit",
      decision: .none,
      meaning: "Lines contain App Attest tokens that no rule reads: these tokens were not audited.",
      abuse: "An attacker spells a route or field in a way that takes requests out of the audit.",
      harmless: "There is a new endpoint or a new version of the app.",
      remedy: "Add a rule for these lines to the schema. Run init to see which."),
    FindingEntry(
      .recordOddEncoding, "record.odd_encoding", .low, "token or key in an odd encoding",
      decision: .none,
      meaning:
        "A field could only be read as lenient decoders read it, or CBOR tags are before the "
        + "token's map. The record was audited.",
      abuse: "One server accepts the encoding and another rejects it, so a request is hidden.",
      harmless: "A client library has its own encoder.",
      remedy: "Make the server reject everything that is not strict base64."),
    FindingEntry(
      .recordOddJSON, "record.odd_json", .low, "line that is almost JSON",
      decision: .none,
      meaning:
        "The line is not strict JSON. It was read with tolerances and audited. The detail names "
        + "each tolerance and the byte where it was first needed.",
      abuse: "One odd byte in an unused field takes a request out of a stricter audit.",
      harmless: "The logger copies bytes of a request into the line without escaping them.",
      remedy: "Make the logger write valid JSON (in nginx: escape=json)."),
    FindingEntry(
      .recordPlatformMismatch, "record.platform_mismatch", .medium,
      "token under another platform's name",
      decision: .none,
      meaning: "The record names another platform or format, but its token is an App Attest token.",
      abuse: "A client names another platform so that its request is not examined.",
      harmless: "The server logs the wrong platform.",
      remedy: "Make the server decide the platform by the token, not by what the client says."),
  ]
}
