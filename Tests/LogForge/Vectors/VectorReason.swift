/// The text on which the expectation of a vector rests: a step of Apple's page, an RFC, or a fact about
/// genuine bytes.
struct VectorReason: Sendable {
  /// The code of the finding, or nil if the token has no fault.
  let code: String?
  /// The step, the section or the fact, in one sentence.
  let text: String
  let rules: [String]

  private init(_ code: String?, _ text: String, _ rules: String...) {
    self.init(code: code, text: text, rules: rules)
  }

  private init(code: String?, text: String, rules: [String]) {
    self.code = code
    self.text = text
    self.rules = rules.map { $0.hasPrefix("R") ? "verification.\($0)" : $0 }
  }

  // MARK: Attestations

  static let attestationForm = VectorReason(
    "attestation.malformed",
    "Apple, \"Decode the attestation object\": a CBOR map with fmt, attStmt (x5c, receipt) and authData; "
      + "authData as in Web Authentication, section 6.1.", "R4", "R18")
  static let attestationCBOR = VectorReason(
    "attestation.malformed", "RFC 8949, sections 3 and 5.3: the bytes are not one valid CBOR item.",
    "R4", "R18", "R30")
  static let attestationDuplicate = VectorReason(
    "attestation.malformed",
    "RFC 8949, sections 3.1 and 5.6: a map with a duplicate key is not valid.",
    "R4", "R30")
  static let attestationLimit = VectorReason(
    "attestation.malformed", "Beyond the limits of attest-audit: 64 KiB and 16 levels.", "R4", "R32"
  )
  static let format = VectorReason(
    "attestation.format",
    "Web Authentication, section 7.1: the format is compared exactly; Apple's is apple-appattest.",
    "R5")
  static let chain = VectorReason(
    "attestation.chain_untrusted",
    "Apple, attestation, step 1; RFC 5280, section 6.1: the leaf does not chain to the root.", "R6")
  static let certificateTime = VectorReason(
    "attestation.certificate_time",
    "Apple, attestation, step 1; RFC 5280, section 6.1.3: a certificate is not valid at the time of the "
      + "vector.", "R7", "R3")
  static let nonce = VectorReason(
    "attestation.nonce_mismatch",
    "Apple, attestation, steps 2 to 4: the nonce in the leaf is not SHA-256(authData, clientDataHash).",
    "R8")
  static let keyID = VectorReason(
    "attestation.key_id_mismatch",
    "Apple, attestation, step 5: SHA-256 of the leaf's public key is not the key identifier.", "R9")
  static let publicKey = VectorReason(
    "attestation.public_key_mismatch",
    "Web Authentication, section 6.5.1: the COSE key is the credential's public key, which the leaf "
      + "certifies. Apple's steps do not read it.", "R10")
  static let appID = VectorReason(
    "attestation.app_id_mismatch",
    "Apple, attestation, step 6: rpIdHash is not SHA-256 of the App ID.", "R11")
  static let clip = VectorReason(
    "attestation.app_id_mismatch",
    "Apple, attestation, step 6: an App Clip's token has the App ID of its full app.", "R11", "R41")
  static let counter = VectorReason(
    "attestation.counter_nonzero", "Apple, attestation, step 7: the counter is not 0.", "R12")
  static let environment = VectorReason(
    "attestation.environment_mismatch",
    "Apple, attestation, step 8: aaguid is not that of the server's environment.", "R13")
  static let credentialID = VectorReason(
    "attestation.credential_id_mismatch",
    "Apple, attestation, step 9: credentialId is not the key identifier.", "R14")
  static let accessControl = VectorReason(
    "attestation.access_control",
    "Apple, App Attest on macOS: trust a key only if its access control has exactly this value.",
    "R36")
  static let category = VectorReason(
    "attestation.category_mismatch",
    "The policy of the vector: validation category and bundle version.", "R15")
  static let code = VectorReason(
    "attestation.code_mismatch", "The policy of the vector: the signed code hash.", "R37", "R39")
  static let receipt = VectorReason(
    "attestation.receipt_invalid",
    "The policy of the vector: the receipt is CMS (RFC 5652) of Apple's signer, and its fields fit.",
    "R16", "R19")
  static let signedTime = VectorReason(
    "attestation.time_disagrees",
    "The policy of the vector: the time is at most 5 minutes before Apple's signed time and at most "
      + "attestationMaxAgeSeconds after it.", "R17", "R43")

  // MARK: Assertions

  static let assertionForm = VectorReason(
    "assertion.malformed",
    "Apple, \"Verify the assertion\": a CBOR map with signature and authenticatorData; authenticatorData "
      + "as in Web Authentication, section 6.1.", "R24")
  static let assertionCBOR = VectorReason(
    "assertion.malformed", "RFC 8949, sections 3 and 5.3: the bytes are not one valid CBOR item.",
    "R24",
    "R30")
  static let assertionDuplicate = VectorReason(
    "assertion.malformed",
    "RFC 8949, sections 3.1 and 5.6: a map with a duplicate key is not valid.",
    "R24", "R30")
  static let assertionLimit = VectorReason(
    "assertion.malformed", "Beyond the limits of attest-audit: 4 KiB and 16 levels.", "R24", "R32")
  static let signature = VectorReason(
    "assertion.signature_invalid",
    "Apple, assertion, steps 1 to 3: the signature is not valid for the nonce under the key.", "R27"
  )
  static let signatureForm = VectorReason(
    "assertion.signature_invalid",
    "Apple, assertion, step 3; RFC 3279, section 2.2.3; X.690: the signature is not the DER of two "
      + "integers from 1 to n - 1.", "R27", "R33")
  static let assertedAppID = VectorReason(
    "assertion.app_id_mismatch", "Apple, assertion, step 4: rpIdHash is not SHA-256 of the App ID.",
    "R26")
  static let assertedClip = VectorReason(
    "assertion.app_id_mismatch",
    "Apple, assertion, step 4: an App Clip's token has the App ID of its full app.", "R26", "R41")
  static let counterLow = VectorReason(
    "counter.regression",
    "Apple, assertion, step 5: the counter is not greater than the previous one.", "detection.R17")
  static let counterEqual = VectorReason(
    "counter.repeated",
    "Apple, assertion, step 5: the counter is not greater than the previous one.", "detection.R19")
  static let assertedCategory = VectorReason(
    "assertion.category_mismatch",
    "The policy of the vector: validation category and bundle version.", "R25", "R15")
  static let assertedCode = VectorReason(
    "assertion.code_mismatch", "The policy of the vector: the signed code hash.", "R38", "R39")

  // MARK: Both

  static let statedHash = VectorReason(
    "record.client_data_hash_mismatch",
    "Apple, attestation, step 2, and assertion, step 1: the server computes clientDataHash. A hash that "
      + "the client states is not used.", "R28")

  /// Returns the reason with a further rule.
  func adding(_ rule: String?) -> VectorReason {
    VectorReason(code: code, text: text, rules: rules + [rule].compactMap(\.self))
  }

  /// Returns the reason why a token is valid, or why a verifier can choose.
  static func fact(_ text: String, _ rules: String...) -> VectorReason {
    fact(text, rules)
  }

  /// Returns the reason why a token is valid, or why a verifier can choose.
  static func fact(_ text: String, _ rules: [String]) -> VectorReason {
    VectorReason(code: nil, text: text, rules: rules)
  }
}
