extension FindingCatalogue {
  /// The faults of an attestation.
  package static let attestation: [FindingEntry] = [
    FindingEntry(
      .attestationAccessControl, "attestation.access_control", .high,
      "Mac without full security",
      meaning:
        "The key was attested on macOS, and its access control is not Apple's value for System "
        + "Integrity Protection and Full Security.",
      abuse:
        "On a Mac with reduced security, other software can use the key and read the app's memory.",
      harmless: "A developer's Mac with System Integrity Protection turned off.",
      remedy:
        "Refuse the key. If you accept such Macs on purpose, set trust.macOSAccessControl: ignore."
    ),
    FindingEntry(
      .attestationAppIDMismatch, "attestation.app_id_mismatch", .high, "key made by another app",
      meaning:
        "The attestation's rpIdHash is not the SHA-256 of the record's App ID, or that App ID is "
        + "not configured.",
      abuse: "An attacker registers a key that their own app made on a genuine device.",
      harmless: "An app of yours is missing under apps:.",
      remedy: "Add the app, or delete the key and have the server compare rpIdHash."),
    FindingEntry(
      .attestationCategoryMismatch, "attestation.category_mismatch", .high,
      "key from an unwanted build",
      meaning:
        "The attestation carries a validation category or bundle version (OS 27 and later) that "
        + "the app does not list, or a category that Apple assigns to no app; or it carries none, and "
        + "the app requires one.",
      abuse: "A modified build signed for development or enterprise use registers its key.",
      harmless: "A new version, or TestFlight, is not listed yet.",
      remedy: "List the version or category, or have the server refuse it."),
    FindingEntry(
      .attestationCertificateTime, "attestation.certificate_time", .high,
      "certificate not valid at that time",
      meaning:
        "The certificate chain holds but for its dates: a certificate was not yet or no longer "
        + "valid when the server handled the record.",
      abuse: "An old attestation, captured long ago, is registered again.",
      harmless: "The log's clock is wrong by a day or more, or the record was written late.",
      remedy: "Compare the dates in the detail with the record's time and with its neighbours."),
    FindingEntry(
      .attestationChainUntrusted, "attestation.chain_untrusted", .high, "not signed by Apple",
      meaning:
        "The certificates of the attestation lead to no trust anchor: Apple did not attest this "
        + "key.",
      abuse: "A key that lives in software is registered as if a Secure Enclave held it.",
      harmless: "The log is of a test system with an authority of its own.",
      remedy:
        "Delete the key and what was done with it. Have the server verify the chain against "
        + "Apple's root and nothing else."),
    FindingEntry(
      .attestationCodeMismatch, "attestation.code_mismatch", .high, "key of unlisted code",
      meaning:
        "The code hash that Apple's system signed into the attestation is not one of the app's "
        + "codeHashes, or the app requires a code hash and the attestation has none.",
      abuse: "A modified build of the app registers a key.",
      harmless: "A new build was released, and its hash is missing under codeHashes:.",
      remedy:
        "Compare the hash in the detail with your builds. If it is not one of yours, revoke the "
        + "key."),
    FindingEntry(
      .attestationCounterNonzero, "attestation.counter_nonzero", .high,
      "attestation with a counter",
      meaning: "The sign counter in the attestation is not 0, as it is in every genuine one.",
      abuse: "Made-up authenticator data.",
      harmless: "None is known.",
      remedy: "Treat the key as forged."),
    FindingEntry(
      .attestationCredentialIDMismatch, "attestation.credential_id_mismatch", .high,
      "attestation names another key",
      meaning: "The credential identifier in the authenticator data is not the key identifier.",
      abuse: "A valid attestation is registered under the name of another key.",
      harmless: "The server logs the wrong key identifier.",
      remedy: "Compare both identifiers; have the server compare them."),
    FindingEntry(
      .attestationEnvironmentMismatch, "attestation.environment_mismatch", .high,
      "key of the wrong environment",
      meaning:
        "The aaguid is neither that of production nor of development, or of an environment that "
        + "the app does not allow.",
      abuse:
        "A key of the development environment, which a developer's build makes, is used in "
        + "production.",
      harmless: "Testers with development builds talk to the production server.",
      remedy:
        "Have production refuse development keys; list the environment only where it is meant."),
    FindingEntry(
      .attestationFormat, "attestation.format", .high, "attestation of another format",
      meaning: "The format is not apple-appattest.",
      abuse: "An attestation of another kind, such as a passkey's, is passed off as App Attest's.",
      harmless: "Another service's registrations stand in the same log.",
      remedy: "Map those records to another platform, or have the server check the format."),
    FindingEntry(
      .attestationKeyIDMismatch, "attestation.key_id_mismatch", .high,
      "key identifier is not of this key",
      meaning: "SHA-256 of the certified public key is not the key identifier of the record.",
      abuse: "A key is registered under the identifier of another one, to take it over.",
      harmless: "The server logs the wrong key identifier.",
      remedy: "Compare both; have the server compute the identifier itself."),
    FindingEntry(
      .attestationMalformed, "attestation.malformed", .high, "unreadable attestation",
      meaning:
        "The token is not one CBOR map with fmt, attStmt (certificates) and "
        + "authenticator data that parse to the end.",
      abuse: "Bytes that two parsers read differently; or a server that stores keys unchecked.",
      harmless: "The log cut the token.",
      remedy: "Look at the line, and at what the server did with it."),
    FindingEntry(
      .attestationNonceMismatch, "attestation.nonce_mismatch", .high,
      "attestation for another challenge",
      meaning:
        "The nonce in the certificate is not SHA-256(authData ‖ clientDataHash): the attestation "
        + "was made for another challenge.",
      abuse: "A captured attestation is registered again with a fresh challenge.",
      harmless: "The log records another challenge than the one that was hashed.",
      remedy:
        "If all attestations fail so, mend the mapping of the challenge. Else treat the key as "
        + "replayed."),
    FindingEntry(
      .attestationPublicKeyMismatch, "attestation.public_key_mismatch", .high, "two public keys",
      meaning: "The key in the authenticator data is not the one that the certificate holds.",
      abuse:
        "A server that stores the key of the authenticator data trusts one that nobody certified.",
      harmless: "None is known.",
      remedy: "Delete the key; have the server take the certificate's key."),
    FindingEntry(
      .attestationReceiptInvalid, "attestation.receipt_invalid", .medium, "receipt does not hold",
      meaning:
        "Apple's receipt in the attestation is missing, not signed by Apple's receipt service, or "
        + "about another app, certificate, challenge or environment.",
      abuse: "A receipt of another attestation was put in, to hide how many keys a device made.",
      harmless: "A server that strips receipts before it logs.",
      remedy:
        "Read the detail: it names the field. With receipts: parse only the fields are checked, with "
        + "receipts: ignore nothing."),
    FindingEntry(
      .attestationTimeDisagrees, "attestation.time_disagrees", .medium,
      "log time and Apple's time differ",
      meaning:
        "The record's time is more than 5 minutes before Apple's signed time, or more than "
        + "attestationMaxAge after it. That time is in the receipt, or else in the serial number of "
        + "the leaf certificate.",
      abuse: "An attestation made long before is registered, or log times were altered.",
      harmless: "A wrong clock or zone in the log; an app that registers its key days later.",
      remedy: "Compare with neighbouring records: a wrong clock shifts all of them."),
  ]
}
