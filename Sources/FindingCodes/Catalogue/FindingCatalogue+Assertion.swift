extension FindingCatalogue {
  /// The faults of a single assertion.
  package static let assertion: [FindingEntry] = [
    FindingEntry(
      .assertionAppIDMismatch, "assertion.app_id_mismatch", .high, "request signed for another app",
      meaning:
        "The assertion's rpIdHash is not the hash of the expected App ID. The expected App ID is "
        + "the one in the record, or else any configured app. It must also be the app for which "
        + "the key was attested.",
      abuse:
        "An attacker signs requests for this app with a key of another app. A server that does "
        + "not compare the hash accepts them.",
      harmless: "An app of yours is missing under apps:, or the server logs the wrong appId.",
      remedy:
        "Compare the App ID in the detail with your apps. If it is not one of yours, make the "
        + "server compare rpIdHash, and revoke the key."),
    FindingEntry(
      .assertionCategoryMismatch, "assertion.category_mismatch", .high,
      "request from an unwanted build",
      meaning:
        "The assertion has a validation category or bundle version that the app does not list, or "
        + "a category that Apple assigns to no app. Or the app requires one, and the assertion "
        + "has none. OS 27 and later send these values.",
      abuse:
        "A development, enterprise or re-signed build of the app talks to the production server.",
      harmless:
        "A new version was released and is missing under bundleVersions:. Or a tester uses "
        + "TestFlight, and only appStore is listed.",
      remedy:
        "Look up the version in the detail. Add it to the list, or make the server reject it."),
    FindingEntry(
      .assertionCodeMismatch, "assertion.code_mismatch", .high, "request from unlisted code",
      meaning:
        "Apple's system signed a code hash into the assertion that is not one of the app's "
        + "codeHashes. Or the app requires a code hash, and the assertion has none.",
      abuse:
        "An attacker replaced the app by a modified build after its key was attested. The key "
        + "stays valid; only the code hash changes.",
      harmless: "A new build was released, and its hash is missing under codeHashes:.",
      remedy:
        "Compare the hash in the detail with your builds. If it is not one of yours, revoke the "
        + "key and reject its requests."),
    FindingEntry(
      .assertionMalformed, "assertion.malformed", .high, "unreadable assertion",
      meaning:
        "The token is not exactly one CBOR map with a signature and at least 37 bytes of "
        + "authenticator data.",
      abuse:
        "Two parsers read such bytes differently, so they might pass the server's check. If the "
        + "server accepted nonsense, it checks nothing.",
      harmless: "The log cut the token, or a proxy changed it.",
      remedy: "Read the line. If the server accepted it, find out which check the server made."),
    FindingEntry(
      .assertionSignatureInvalid, "assertion.signature_invalid", .high, "signature is invalid",
      meaning:
        "The key did not sign this client data. The request was changed after it was signed, or "
        + "another key signed it.",
      abuse:
        "An attacker forges a request or changes it on its way. A server that accepts it does not "
        + "verify signatures, or it hashes other bytes than it uses.",
      harmless:
        "The log contains other bytes than the app signed. For example, the body was parsed and "
        + "written again, or the log has the challenge and not the payload.",
      remedy:
        "If every assertion of an app version fails, correct the mapping of the client data "
        + "first. If a few fail and the server accepted them, treat these requests as forged."),
  ]
}
