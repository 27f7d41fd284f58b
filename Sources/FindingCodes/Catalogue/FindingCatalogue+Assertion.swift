extension FindingCatalogue {
  /// The faults of a single assertion.
  package static let assertion: [FindingEntry] = [
    FindingEntry(
      .assertionAppIDMismatch, "assertion.app_id_mismatch", .high, "request signed for another app",
      meaning:
        "The assertion's rpIdHash is not the SHA-256 of the App ID that the record names, of no "
        + "configured app, or not of the app that the key was attested for.",
      abuse:
        "A key of another app, perhaps the attacker's own, signs requests for this one. A server "
        + "that does not compare the hash takes them.",
      harmless:
        "An app of yours is missing under apps:, or the server logs the wrong appId.",
      remedy:
        "Compare the App ID in the detail with your apps. If it is none of yours, have the server "
        + "compare rpIdHash and revoke the key."),
    FindingEntry(
      .assertionCategoryMismatch, "assertion.category_mismatch", .high,
      "request from an unwanted build",
      meaning:
        "The assertion carries a validation category or bundle version (OS 27 and later) that "
        + "the app does not list, or a category that Apple assigns to no app; or it carries none, and "
        + "the app requires one.",
      abuse:
        "A development, enterprise or re-signed build of the app talks to the production server.",
      harmless:
        "A new version was released and is missing under bundleVersions:, or a tester uses "
        + "TestFlight where only appStore is listed.",
      remedy: "Look up the version in the detail; list it, or have the server refuse it."),
    FindingEntry(
      .assertionCodeMismatch, "assertion.code_mismatch", .high, "request from unlisted code",
      meaning:
        "The code hash that Apple's system signed into the assertion is not one of the app's "
        + "codeHashes, or the app requires a code hash and the assertion has none.",
      abuse:
        "The app was replaced by a modified build after its key was attested: the key stays valid, "
        + "only the code hash changes.",
      harmless: "A new build was released, and its hash is missing under codeHashes:.",
      remedy:
        "Compare the hash in the detail with your builds. If it is not one of yours, revoke the "
        + "key and refuse its requests."),
    FindingEntry(
      .assertionMalformed, "assertion.malformed", .high, "unreadable request signature",
      meaning:
        "The token is not one CBOR map with a signature and authenticator data of at least 37 "
        + "bytes, or something stands behind it.",
      abuse:
        "Bytes that two parsers read differently may pass the server's check; nonsense that was "
        + "accepted shows that nothing is checked.",
      harmless: "The log cut the token, or a proxy mangled it.",
      remedy:
        "Look at the line. If the server accepted it, find out which check it ran."),
    FindingEntry(
      .assertionSignatureInvalid, "assertion.signature_invalid", .high, "signature does not hold",
      meaning:
        "The signature is not one of the key over SHA-256(authenticatorData ‖ clientDataHash): "
        + "the request was changed after it was signed, or another key signed it.",
      abuse:
        "A request is forged or altered on its way; a server that accepted it does not verify "
        + "signatures, or hashes other bytes than it acts upon.",
      harmless:
        "The log holds other bytes than the app signed: a body that was parsed and written again, "
        + "a challenge in place of the payload.",
      remedy:
        "If every assertion of a version fails, mend the mapping of the client data first. If "
        + "single ones fail and were accepted, treat the requests as forged."),
  ]
}
