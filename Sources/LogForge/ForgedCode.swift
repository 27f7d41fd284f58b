/// The codes of findings that can be forged, by their public names.
package enum ForgedCode: String, Sendable, CaseIterable {
  case assertionAppIDMismatch = "assertion.app_id_mismatch"
  case assertionCategoryMismatch = "assertion.category_mismatch"
  case assertionMalformed = "assertion.malformed"
  case assertionSignatureInvalid = "assertion.signature_invalid"
  case attestationAppIDMismatch = "attestation.app_id_mismatch"
  case attestationCategoryMismatch = "attestation.category_mismatch"
  case attestationCertificateTime = "attestation.certificate_time"
  case attestationChainUntrusted = "attestation.chain_untrusted"
  case attestationCounterNonzero = "attestation.counter_nonzero"
  case attestationCredentialIDMismatch = "attestation.credential_id_mismatch"
  case attestationEnvironmentMismatch = "attestation.environment_mismatch"
  case attestationFormat = "attestation.format"
  case attestationKeyIDMismatch = "attestation.key_id_mismatch"
  case attestationMalformed = "attestation.malformed"
  case attestationNonceMismatch = "attestation.nonce_mismatch"
  case attestationPublicKeyMismatch = "attestation.public_key_mismatch"
  case attestationReceiptInvalid = "attestation.receipt_invalid"
  case attestationTimeDisagrees = "attestation.time_disagrees"
  case challengeExpired = "challenge.expired"
  case challengeNotIssued = "challenge.not_issued"
  case challengeWeak = "challenge.weak"
  case counterGap = "counter.gap"
  case counterRegression = "counter.regression"
  case counterReordered = "counter.reordered"
  case counterRepeated = "counter.repeated"
  case counterServerMismatch = "counter.server_mismatch"
  case decisionRejectedValid = "decision.rejected_valid"
  case keyReattested = "key.reattested"
  case keySubjectChanged = "key.subject_changed"
  case keyUnknown = "key.unknown"
  case keyUntrusted = "key.untrusted"
  case keyUsedBeforeAttestation = "key.used_before_attestation"
  case recordAmbiguousField = "record.ambiguous_field"
  case recordBadEncoding = "record.bad_encoding"
  case recordClientDataHashMismatch = "record.client_data_hash_mismatch"
  case recordDuplicate = "record.duplicate"
  case recordMalformedJSON = "record.malformed_json"
  case recordMissingField = "record.missing_field"
  case recordNotAudited = "record.not_audited"
  case recordOddEncoding = "record.odd_encoding"
  case recordPlatformMismatch = "record.platform_mismatch"
  case replayAssertion = "replay.assertion"
  case replayAttestation = "replay.attestation"
  case replayClientDataHash = "replay.client_data_hash"
  case replayCrossKey = "replay.cross_key"
  case replayRetry = "replay.retry"
  case streamCorrupt = "stream.corrupt"
  case streamTruncated = "stream.truncated"
  case streamUnreadable = "stream.unreadable"

  /// The part before the point.
  package var family: Substring { rawValue.prefix { $0 != "." } }

  /// The codes that a list names: codes and families, separated by commas, or `all` or `none`; with a
  /// minus sign in front they are left out again. A family and `all` mean those that the logs of
  /// `schema` can show; a word that means none, or a code that they cannot show, is an error.
  package static func parse(_ list: String, schema: ForgedSchema = .default)
    throws(ForgeError) -> Set<ForgedCode>
  {
    let possible = AttackCatalog.codes(in: schema.form)
    var codes = Set<ForgedCode>()
    for word in list.split(separator: ",") {
      var word = String(word.drop { $0 == " " })
      if word == "none" { continue }
      let isLeftOut = word.hasPrefix("-")
      if isLeftOut { word.removeFirst() }
      let named = allCases.filter { word == "all" || $0.rawValue == word || $0.family == word }
      guard !named.isEmpty else {
        throw ForgeError(.usage, "--attacks \(word): no such code or family")
      }
      let matches = possible.intersection(named)
      guard !matches.isEmpty else {
        throw ForgeError(
          .usage, "--attacks \(word): the logs of \(schema.rawValue) cannot show it")
      }
      if isLeftOut { codes.subtract(matches) } else { codes.formUnion(matches) }
    }
    return codes
  }
}
