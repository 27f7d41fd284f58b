extension FindingCatalogue {
  /// The faults of an attestation.
  package static let attestation: [FindingEntry] = [
    FindingEntry(
      .attestationAccessControl, "attestation.access_control", .high, "Mac without full security",
      meaning:
        "The key was attested on macOS, and its access control is not Apple's value for System "
        + "Integrity Protection and Full Security.",
      abuse:
        "On a Mac with reduced security, other software can use the key and read the app's "
        + "memory.",
      harmless: "A developer turned System Integrity Protection off.",
      remedy:
        "Reject the key. If you accept such Macs on purpose, set trust.macOSAccessControl: "
        + "ignore."),
    FindingEntry(
      .attestationAppIDMismatch, "attestation.app_id_mismatch", .high, "key made by another app",
      meaning:
        "The attestation's rpIdHash is not the SHA-256 of the record's App ID, or that App ID is "
        + "not configured.",
      abuse: "An attacker registers a key that their own app made on a genuine device.",
      harmless: "An app of yours is missing under apps:.",
      remedy:
        "Add the app under apps:. If it is not yours, delete the key and make the server compare "
        + "rpIdHash."),
    FindingEntry(
      .attestationCategoryMismatch, "attestation.category_mismatch", .high,
      "key from an unwanted build",
      meaning:
        "The attestation has a validation category or bundle version that the app does not list, "
        + "or a category that Apple assigns to no app. Or the app requires one, and the "
        + "attestation has none. OS 27 and later send these values.",
      abuse: "A modified build, signed for development or enterprise use, registers its key.",
      harmless: "A new version, or TestFlight, is not listed yet.",
      remedy: "Add the version or category to the list, or make the server reject it."),
    FindingEntry(
      .attestationCertificateTime, "attestation.certificate_time", .high,
      "certificate not valid at that time",
      meaning:
        "A certificate of the chain was not yet valid, or no longer valid, at the time of the "
        + "record. Everything else about the chain is valid.",
      abuse: "An attacker registers an old attestation that was captured long ago.",
      harmless: "The log's clock is wrong by a day or more, or the record was written late.",
      remedy:
        "Compare the dates in the detail with the time of the record and of the records beside "
        + "it."),
    FindingEntry(
      .attestationChainUntrusted, "attestation.chain_untrusted", .high, "not signed by Apple",
      meaning:
        "The certificates of the attestation lead to no trust anchor: Apple did not attest this "
        + "key.",
      abuse: "An attacker registers a key made in software as if it were in a Secure Enclave.",
      harmless: "The log is from a test system that has its own certificate authority.",
      remedy:
        "Delete the key, and undo what was done with it. Make the server verify the chain against "
        + "Apple's root and no other."),
    FindingEntry(
      .attestationCodeMismatch, "attestation.code_mismatch", .high, "key from unlisted code",
      meaning:
        "Apple's system signed a code hash into the attestation that is not one of the app's "
        + "codeHashes. Or the app requires a code hash, and the attestation has none.",
      abuse: "A modified build of the app registers a key.",
      harmless: "A new build was released, and its hash is missing under codeHashes:.",
      remedy:
        "Compare the hash in the detail with your builds. If it is not one of yours, revoke the "
        + "key."),
    FindingEntry(
      .attestationCounterNonzero, "attestation.counter_nonzero", .high,
      "attestation with a counter above 0",
      meaning:
        "The sign counter in the attestation is not 0. In every genuine attestation it is 0.",
      abuse: "An attacker made up the authenticator data.",
      harmless: "None is known.",
      remedy: "Treat the key as forged."),
    FindingEntry(
      .attestationCredentialIDMismatch, "attestation.credential_id_mismatch", .high,
      "attestation names another key",
      meaning: "The credential identifier in the authenticator data is not the key identifier.",
      abuse: "An attacker registers a valid attestation under the identifier of another key.",
      harmless: "The server logs the wrong key identifier.",
      remedy: "Compare the two identifiers, and make the server compare them."),
    FindingEntry(
      .attestationEnvironmentMismatch, "attestation.environment_mismatch", .high,
      "key of the wrong environment",
      meaning:
        "The aaguid is neither that of production nor that of development, or the app does not "
        + "allow its environment.",
      abuse:
        "A developer's build makes a key of the development environment, and the key is used in "
        + "production.",
      harmless: "Testers with development builds talk to the production server.",
      remedy:
        "Make the production server reject development keys. List the environment only where you "
        + "want it."),
    FindingEntry(
      .attestationFormat, "attestation.format", .high, "attestation of another format",
      meaning: "The format is not apple-appattest.",
      abuse:
        "An attacker presents another kind of attestation, for example a passkey's, as App "
        + "Attest.",
      harmless: "The same log contains registrations of another service.",
      remedy: "Map those records to another platform, or make the server check the format."),
    FindingEntry(
      .attestationKeyIDMismatch, "attestation.key_id_mismatch", .high,
      "key identifier of another key",
      meaning: "The key identifier of the record is not the SHA-256 of the certified public key.",
      abuse:
        "An attacker registers a key under the identifier of another key, to take that key over.",
      harmless: "The server logs the wrong key identifier.",
      remedy: "Compare the two identifiers, and make the server compute the identifier."),
    FindingEntry(
      .attestationMalformed, "attestation.malformed", .high, "unreadable attestation",
      meaning:
        "The token is not exactly one CBOR map with fmt, attStmt (the certificates) and valid "
        + "authenticator data.",
      abuse:
        "Two parsers read such bytes differently. Or the server stores keys without any check.",
      harmless: "The log cut the token.",
      remedy: "Read the line, and find out what the server did with it."),
    FindingEntry(
      .attestationNonceMismatch, "attestation.nonce_mismatch", .high,
      "attestation for another challenge",
      meaning:
        "The nonce in the certificate is not SHA-256(authData ‖ clientDataHash): the attestation "
        + "was made for another challenge.",
      abuse: "An attacker captures an attestation and registers it again with a new challenge.",
      harmless: "The log records another challenge than the one that was hashed.",
      remedy:
        "If all attestations fail, correct the mapping of the challenge. If only a few fail, "
        + "treat the key as replayed."),
    FindingEntry(
      .attestationPublicKeyMismatch, "attestation.public_key_mismatch", .high, "two public keys",
      meaning: "The authenticator data contains another public key than the certificate.",
      abuse:
        "A server that stores the key of the authenticator data trusts a key that Apple did not "
        + "certify.",
      harmless: "None is known.",
      remedy: "Delete the key, and make the server use the key of the certificate."),
    FindingEntry(
      .attestationReceiptInvalid, "attestation.receipt_invalid", .medium, "receipt is invalid",
      meaning:
        "Apple's receipt in the attestation is missing, or Apple's receipt service did not sign "
        + "it, or it is about another app, certificate, challenge or environment.",
      abuse:
        "An attacker puts in the receipt of another attestation, to hide how many keys a device "
        + "made.",
      harmless: "The server removes receipts before it writes the log.",
      remedy:
        "Read the detail: it names the field. With receipts: parse only the fields are checked, "
        + "with receipts: ignore nothing is."),
    FindingEntry(
      .attestationTimeDisagrees, "attestation.time_disagrees", .medium,
      "log time and Apple's time differ",
      meaning:
        "The record's time is more than 5 minutes before Apple's signed time, or more than "
        + "attestationMaxAge after it. Apple's time is in the receipt, or else in the serial "
        + "number of the leaf certificate.",
      abuse:
        "An attacker registers an attestation that was made long before, or changes times in the "
        + "log.",
      harmless: "The log has a wrong clock or time zone, or an app registers its key days later.",
      remedy: "Compare the times of the records beside it: a wrong clock shifts all of them."),
  ]
}
