internal import AppAttest
internal import AuditLog
internal import Basics
internal import OpenSSL

// The findings of the reduce by key, and what they say.
extension KeyReducer {
  /// Reports what a judge found of an event.
  func emit(
    _ code: FindingCode, _ now: KeyOpinion, _ event: EventRow, _ subject: Finding,
    _ state: KeyState
  ) throws(AuditError) {
    switch code {
    case .assertionSignatureInvalid:
      try findings.emit(code, subject, FindingDetail(SigningKey.signatureFailure))
    case .recordClientDataLossy:
      try findings.emit(code, subject, FindingDetail(LossyClientData.sentence(of: "signature")))
    case .assertionAppIDMismatch where event.app != EventRow.noApp:
      try findings.emit(
        code, subject,
        FindingDetail(
          apps.attestedElsewhere(
            attested: state.key.trust?.appID ?? "another app", asserted: Int(event.app))))
    case .keyUsedBeforeAttestation:
      let early = now.usedBefore ?? 0
      let attested = state.key.attestation.map {
        EventPlace(position: $0, time: event.time + early)
      }
      try findings.emit(
        code, subject,
        FindingDetail(
          "The key was used at \(CivilTime(milliseconds: event.time).text), "
            + "\(DetailText.duration(early.magnitude)) before "
            + "it was attested, at \(CivilTime(milliseconds: event.time + early).text).",
          related: RelatedEvent(attested, keyID: state.key.keyID)))
    case .keySubjectChanged:
      var place = places.text(now.firstSubject?.position, at: nil)
      if !place.isEmpty { place = ", " + place }
      try findings.emit(
        code, subject,
        FindingDetail(
          "The record is for the subject \(DetailText.quoted(subject.subject)), the key's "
            + "first one was \(DetailText.quoted(state.subjectText))\(place).",
          related: RelatedEvent(now.firstSubject, keyID: state.key.keyID)))
    default:
      // The decoder found it when the record was read, and the event has a key, or another one, since.
      try findings.emit(
        code, subject,
        FindingDetail(
          "Found when the record was read; an attestation that arrived later says that its device "
            + "had this key."))
    }
  }

  /// Returns the facts of a finding about an event.
  func subject(
    _ event: EventRow, _ rest: EventRow.Rest
  ) throws(AuditError) -> Finding {
    var finding = Finding(
      time: event.time, kind: event.kind, keyID: event.knownKeyID,
      appID: try name(of: event, rest), clientDataHash: unsafe Array(rest.clientDataHash),
      counter: event.knownCounter, position: event.position, decision: event.decision,
      device: event.section == .device ? try event.device(shuffles.texts) : nil)
    try finding.take(rest.texts, shuffles.texts)
    return finding
  }

  /// Returns the App ID that the record has, or else the configured one that its rpIdHash names.
  func name(
    of event: EventRow, _ rest: EventRow.Rest
  ) throws(AuditError) -> String {
    if !rest.appID.isAbsent { return try rest.appID.string(shuffles.texts) }
    return event.app == EventRow.noApp ? "" : apps.apps[Int(event.app)].id
  }

  /// Returns a sentence on why assertions of a key cannot be verified.
  func sentence(_ key: KeyContext, _ first: Finding) -> String {
    if let device = first.device {
      return "No attestation names the device \(DeviceText.quoted(device)) of the field "
        + "\(deviceField); its assertions cannot be verified."
    }
    if key.status == .unknown {
      return "No attestation of this key is known; its assertions cannot be verified."
    }
    return key.trust == nil
      ? "Every attestation of this key failed; its assertions cannot be verified."
      : "Only a failed attestation says that a device has this key, and the signatures of the "
        + "device's assertions are invalid under it."
  }
}
