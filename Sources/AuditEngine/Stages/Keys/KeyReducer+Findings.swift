internal import AppAttest
internal import AuditLog
internal import Basics
internal import OpenSSL

// The findings of the reduce by key, and what they say.
extension KeyReducer {
  func detail(
    _ code: FindingCode, _ now: KeyOpinion, _ event: EventRow, _ subject: Finding,
    _ state: KeyState
  ) -> FindingDetail {
    switch code {
    case .assertionSignatureInvalid: return FindingDetail(SigningKey.signatureFailure)
    case .recordClientDataLossy: return FindingDetail(LossyClientData.sentence(of: "signature"))
    case .assertionAppIDMismatch where event.app != EventRow.noApp:
      return FindingDetail(
        apps.attestedElsewhere(
          attested: state.key.trust?.appID ?? "another app", asserted: Int(event.app)))
    case .keyUsedBeforeAttestation:
      let early = now.usedBefore ?? 0
      let attested = state.key.attestation.map {
        EventPlace(position: $0, time: event.time + early)
      }
      return FindingDetail(
        "The key was used at \(CivilTime(milliseconds: event.time).text), "
          + "\(DetailText.duration(early.magnitude)) before "
          + "it was attested, at \(CivilTime(milliseconds: event.time + early).text).",
        related: attested, of: state.key.keyID)
    case .keySubjectChanged:
      var place = places.text(now.firstSubject?.position, at: nil)
      if !place.isEmpty { place = ", " + place }
      return FindingDetail(
        "The record is for the subject \(DetailText.quoted(subject.subject)), the key's "
          + "first one was \(DetailText.quoted(state.subjectText))\(place).",
        related: now.firstSubject, of: state.key.keyID)
    default:
      // The decoder found it when the record was read, and the event has a key, or another one, since.
      return FindingDetail(
        "Found when the record was read; an attestation that arrived later says that its device "
          + "had this key.")
    }
  }

  func subject(
    _ event: EventRow, _ rest: EventRow.Rest
  ) throws(AuditError) -> Finding {
    try Finding(event, rest, apps, shuffles.texts)
  }

  /// Returns a sentence on why assertions of a key cannot be verified.
  func sentence(_ key: KeyContext, _ first: Finding) -> String {
    if let device = first.device {
      return "No attestation names the device \(DetailText.quoted(device)) of the field "
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
