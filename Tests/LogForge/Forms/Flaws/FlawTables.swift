import FindingCodes

/// The ways of breaking the records of each system, as tables (``RecordFlaw/table(_:)``).
enum FlawTables {
  /// Of ``TemplateForm/capgo``. A request body that lost its token issues no challenge.
  static let capgo = RecordFlaw.table(
    #"""
    absent assertion time true
    absent assertion keyId ["a"]
    absent attestation keyId {}
    absent assertion token 17
    absent attestation token {}
    bad_encoding assertion keyId "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg=="
    bad_encoding assertion keyId ""
    bad_encoding attestation token "*** no base64 ***"
    bad_encoding assertion time "yesterday"
    bad_encoding assertion time "2026-02-30T10:11:12.000Z"
    bad_encoding assertion decision "maybe"
    twice assertion time "2026-03-01T00:00:00.000Z"
    twice assertion keyId "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    twice assertion token "AA=="
    twice assertion payload "what the first parser sees"
    twice attestation challenge "what the first parser sees"
    twice assertion platform "android"
    twice assertion decision "rejected"
    ambiguous_field assertion payload <challenge "which of the two was signed?"
    """#)

  /// Of ``TemplateForm/deviceIntegrity``.
  static let deviceIntegrity = RecordFlaw.table(
    #"""
    absent assertion time true
    absent attestation body/key_id 17
    absent attestation body/attestation {}
    absent attestation body/challenge {}
    twice attestation body/key_id "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    twice attestation body/challenge "AAECAwQFBgcICQoLDA0ODw=="
    bad_encoding attestation body/key_id "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg=="
    bad_encoding attestation body/attestation "*** no base64 ***"
    bad_encoding attestation body/challenge "A"
    missing_field attestation body "key_id=abc"
    missing_field attestation body "{\"key_id\":"
    missing_field attestation body "[{}]"
    missing_field attestation body ""
    missing_field attestation body -
    missing_field assertion body {"amount":12}
    absent assertion headers/X-App-Key-Id 17
    missing_field assertion headers/X-App-Assertion {}
    bad_encoding assertion headers/X-App-Key-Id "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg=="
    bad_encoding assertion headers/X-App-Assertion "*** no base64 ***"
    ambiguous_field assertion headers/X-App-Key-Id <X-App-Key-Id "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    ambiguous_field assertion headers/X-App-Key-Id <x-aPP-kEY-iD "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    ambiguous_field assertion headers/X-App-Assertion <x-aPP-aSSERTION "AA=="
    none assertion headers/X-App-Assertion -
    none assertion headers/X-App-Assertion null
    none assertion headers []
    none assertion headers -
    not_audited attestation method "OPTIONS" & path "/attest/verify"
    not_audited attestation path "/attest/verify/more"
    ambiguous_field assertion method "POST" & path "/attest/verify"
    twice assertion time "2026-03-01T00:00:00.000Z"
    twice assertion body "{\"amount\":1}"
    twice assertion status 403
    twice assertion request_id "req-other"
    twice attestation path "/health"
    bad_encoding assertion time "yesterday"
    bad_encoding assertion time "2026-02-30T10:11:12.000Z"
    """#)

  /// Of ``TemplateForm/swiftUI``.
  static let swiftUI = RecordFlaw.table(
    #"""
    absent assertion time true
    absent attestation body/keyId 17
    absent attestation body/receipt true
    twice attestation body/keyId "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    bad_encoding attestation body/keyId "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg=="
    bad_encoding attestation body/receipt "*** no base64 ***"
    absent attestation session/challenge 17
    twice attestation session/challenge "what the first parser sees"
    twice assertion session/user "somebody else"
    absent assertion headers/X-Key-Id 17
    bad_encoding assertion headers/X-Key-Id "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg=="
    bad_encoding assertion headers/X-Assertion "*** no base64 ***"
    missing_field assertion headers/X-Assertion {}
    ambiguous_field assertion headers/X-Key-Id <X-Key-Id "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    ambiguous_field assertion headers/X-Key-Id <x-key-id "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    ambiguous_field assertion headers/X-Assertion <X-ASSERTION "AA=="
    none assertion headers/X-Assertion -
    none assertion headers/X-Assertion null
    absent challenge response/challenge []
    absent attestation body 17
    absent assertion method []
    absent assertion path {}
    twice assertion path "/api/notes/1"
    twice assertion method "GET"
    twice assertion status 403
    twice attestation session {}
    bad_encoding assertion time "yesterday"
    not_audited attestation method "GET" & path "/api/attest/verify"
    none challenge path "/api/attest"
    ambiguous_field attestation headers {"X-Key-Id":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=","X-Assertion":"AA=="}
    """#)

  /// Of ``TemplateForm/headerAssertion``.
  static let headerAssertion = RecordFlaw.table(
    #"""
    absent assertion ts true
    absent assertion deviceId ["a"]
    absent assertion assertion 17
    missing_field assertion rawBody {"item":1}
    absent attestation keyId 17
    absent attestation attestation {}
    absent attestation challenge 17
    bad_encoding attestation keyId "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg=="
    bad_encoding assertion assertion "*** no base64 ***"
    bad_encoding assertion ts "yesterday"
    bad_encoding assertion outcome "maybe"
    bad_encoding assertion previousSignCount -1
    bad_encoding assertion previousSignCount 4294967296
    bad_encoding assertion previousSignCount 1.5
    bad_encoding assertion previousSignCount "seven"
    twice assertion ts 1772323200000
    twice assertion event "attest"
    twice assertion deviceId "another device"
    twice attestation deviceId "another device"
    twice assertion rawBody "what the first parser sees"
    twice assertion outcome "denied"
    ambiguous_field assertion previousSignCount 1 & previousSignCount <previousSignCount 2
    not_audited assertion event "requested"
    not_audited attestation event -
    """#)

  /// Returns those of a gateway: `time` is the path of the time, `other` another time, and `body` the
  /// path of the body, which is an object with a text in it if `isTyped`.
  static func gateway(time: String, other: String, body: String, isTyped: Bool) -> [RecordFlaw] {
    let bodies =
      isTyped
      ? #"""
      ambiguous_field assertion \#(body) <body {"stringValue":"what the first parser sees"}
      """#
      : #"""
      twice assertion \#(body) "what the first parser sees"
      missing_field assertion \#(body) {"item":1}
      missing_field attestation \#(body) "e30="
      """#
    return RecordFlaw.table(
      #"""
      absent assertion \#(time) true
      absent attestation \#(time) {}
      twice assertion \#(time) \#(other)
      bad_encoding assertion \#(time) "yesterday"
      bad_encoding attestation \#(time) ""

      """# + bodies)
  }
}
