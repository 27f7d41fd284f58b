extension AttackCatalog {
  static let keyAttacks = SceneText.attacks(
    """
    key.unknown
      device a; a 0 1 accepted !key.unknown
      device a; a 60 2; a 0 1 accepted !key.unknown
      device a; a 60 2; a 0 1 accepted !key.unknown; copy 20 !replay.assertion
    key.untrusted
      device a; noise; attest a 0 nonce !attestation.nonce_mismatch; a 60 1 accepted !key.untrusted; a 120 2
      device a; noise; attest a 0 longer !attestation.malformed; a 60 1 accepted !key.untrusted; a 120 2
      device a; noise; attest a 0 nonce !attestation.nonce_mismatch; a -3600 1 accepted !key.untrusted; a 120 2
      device a; noise; attest a 0 nonce !attestation.nonce_mismatch; attest a 600; a 660 1; device b; \
    attest b 0 nonce !attestation.nonce_mismatch; b 60 1 !key.untrusted
    key.used_before_attestation
      device a; attest a 0; a -600 1 !key.used_before_attestation; a -30 2; a 60 3
      device a; attest a 0; a -30.001 1 !key.used_before_attestation; a -30 2; a 60 3
      device a; list a 0; a -30.001 1 !key.used_before_attestation; a -30 2; a 60 3
    key.reattested
      enrol a; a 60 1; attest a 3600 !key.reattested; a 3800 2
      enrol a; a 60 1; attest a 3600 !key.reattested; attest a 3700 !key.reattested; a 3800 2
      import a; attest a 0; a 60 51; attest a 3600 !key.reattested; a 3800 52
    key.used_before_attestation
      device a; noise; attest a 0 nonce !attestation.nonce_mismatch; \
    a 60 1 !key.used_before_attestation; attest a 600; a 660 2
      device a; noise; a 30 1 forged !key.used_before_attestation assertion.signature_invalid; \
    a 60 1 !key.used_before_attestation; attest a 600; a 660 2
    key.subject_changed subject
      device a nobody; tag; attest a 0 subject=owner; a 60 1 subject=owner; \
    a 120 2 subject=thief !key.subject_changed; a 180 4 subject=owner; a 240 5 subject=
      device a nobody; tag; attest a 0 subject=; a 60 1 subject=owner; \
    a 120 2 subject=thief !key.subject_changed; a 180 4 subject=owner; a 240 5 subject=
      device a nobody; tag; attest a 0 subject=owner; a 60 1 subject=owner; \
    a 120 2 subject=thief !key.subject_changed; a 150 3 subject=4711 !key.subject_changed; \
    a 180 4 subject=owner; a 240 5 subject=
      device a nobody; tag; attest a 0 subject=; \
    a 30 1 forged subject=nobody !assertion.signature_invalid; \
    a 90 1 forged subject=nobody !assertion.signature_invalid; a 60 1 subject=owner; \
    a 120 2 subject=thief !key.subject_changed; a 180 4 subject=owner; a 240 5 subject=
    decision.rejected_valid
      enrol a; a 60 1 rejected !decision.rejected_valid
      device a; attest a 0 rejected !decision.rejected_valid; a 60 1
      enrol a; a 60 2; a 61 1 rejected !counter.reordered decision.rejected_valid
      [freshRequests] enrol a; weak w 15; issue w 59 !challenge.weak; \
    a 60 1 data=w unissued rejected !challenge.weak decision.rejected_valid
    """)

  static let challengeAttacks = SceneText.attacks(
    """
    challenge.not_issued challengeRecords freshRequests
      enrol a; fresh d; a 60 1 data=d unissued !challenge.not_issued
      device a; attest a 0 unissued !challenge.not_issued; a 60 1
      enrol a; fresh p; a 60 1 data=p unissued; issue p 90; fresh t; \
    a 120 2 data=t unissued !challenge.not_issued; issue t 150.001
      enrol a; bare d; a 60 1 data=d unissued !challenge.not_issued
    challenge.expired challengeRecords
      [freshRequests] fresh d; enrol a; issue d -300; a 60.001 2 data=d unissued !challenge.expired
      fresh d attestation; device a; issue d -840 attestation; \
    attest a 60 data=d unissued !challenge.expired; a 120 1
      [freshRequests] fresh d; enrol a; issue d -1140; issue d -540; fresh r; issue r -1140; \
    issue r -240; a 60 1 data=r unissued; a 60.001 2 data=d unissued !challenge.expired
      [freshRequests] fresh d; enrol a; issue d -240.001; a 60.001 2 data=d unissued !challenge.expired
    challenge.weak
      weak d 15; weak s 16; issue d -10 attestation !challenge.weak; device a; \
    attest a 0 data=d unissued !challenge.weak; a 60 1 data=s?
      [freshRequests] weak d 15; weak s 16; issue d -10 !challenge.weak; device a; \
    attest a -5 data=s; a 0 1 data=d unissued !challenge.weak
      [freshRequests] weak d 8; weak s 16; issue d -10 !challenge.weak; device a; \
    attest a -5 data=s; a 0 1 data=d unissued !challenge.weak
      [freshRequests] weak d 12; weak s 16; issue d -10 !challenge.weak; device a; \
    attest a -5 data=s; a 0 1 data=d unissued !challenge.weak
    """)
}
