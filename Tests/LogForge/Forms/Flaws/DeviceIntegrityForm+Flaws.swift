import FindingCodes

extension DeviceIntegrityForm {
  var flaws: [RecordFlaw] {
    RecordFlaw.absent("time", .assertion, wrongType: "true")
      + RecordFlaw.within("body", bodyFlaws)
      + bodies + headers + routes
      + RecordFlaw.twice("time", .assertion, raw: #""2026-03-01T00:00:00.000Z""#)
      + RecordFlaw.twice("body", .assertion, raw: #""{\"amount\":1}""#)
      + RecordFlaw.twice("status", .assertion, raw: "403")
      + RecordFlaw.twice("request_id", .assertion, raw: #""req-other""#)
      + RecordFlaw.twice("path", .attestation, raw: #""/health""#)
      + [
        RecordFlaw(.recordBadEncoding, .assertion) { $0.set("time", raw: #""yesterday""#) },
        RecordFlaw(.recordBadEncoding, .assertion) {
          $0.set("time", raw: #""2026-02-30T10:11:12.000Z""#)
        },
      ]
  }

  /// The flaws within the body of an attestation.
  private var bodyFlaws: [RecordFlaw] {
    RecordFlaw.absent("key_id", .attestation, wrongType: "17")
      + RecordFlaw.absent("attestation", .attestation, wrongType: "[]")
      + RecordFlaw.absent("challenge", .attestation, wrongType: "{}")
      + RecordFlaw.twice("key_id", .attestation, raw: RecordFlaw.otherKeyID)
      + RecordFlaw.twice("challenge", .attestation, raw: #""AAECAwQFBgcICQoLDA0ODw==""#)
      + [
        RecordFlaw(.recordBadEncoding, .attestation) {
          $0.set("key_id", raw: RecordFlaw.shortKeyID)
        },
        RecordFlaw(.recordBadEncoding, .attestation) {
          $0.set("attestation", raw: RecordFlaw.noBase64)
        },
        RecordFlaw(.recordBadEncoding, .attestation) { $0.set("challenge", raw: #""A""#) },
      ]
  }

  /// The flaws with bodies in which nothing can be looked for, and bodies that are no text.
  private var bodies: [RecordFlaw] {
    [
      RecordFlaw(.recordMissingField, .attestation) { $0.set("body", raw: #""key_id=abc""#) },
      RecordFlaw(.recordMissingField, .attestation) { $0.set("body", raw: #""{\"key_id\":""#) },
      RecordFlaw(.recordMissingField, .attestation) { $0.set("body", raw: #""[{}]""#) },
      RecordFlaw(.recordMissingField, .attestation) { $0.set("body", raw: #""""#) },
      RecordFlaw(.recordMissingField, .attestation) { $0.remove("body") },
      RecordFlaw(.recordMissingField, .assertion) { $0.set("body", raw: "null") },
      RecordFlaw(.recordMissingField, .assertion) { $0.set("body", raw: #"{"amount":12}"#) },
    ]
  }

  private var headers: [RecordFlaw] {
    [
      Self.header(.recordMissingField, "X-App-Key-Id") { $0.remove($1) },
      Self.header(.recordMissingField, "X-App-Key-Id") { $0.set($1, raw: "null") },
      Self.header(.recordMissingField, "X-App-Key-Id") { $0.set($1, raw: "17") },
      Self.header(.recordMissingField, "X-App-Assertion") { $0.set($1, raw: "[]") },
      Self.header(.recordBadEncoding, "X-App-Key-Id") { $0.set($1, raw: RecordFlaw.shortKeyID) },
      Self.header(.recordBadEncoding, "X-App-Assertion") { $0.set($1, raw: RecordFlaw.noBase64) },
      Self.header(.recordAmbiguousField, "X-App-Key-Id") {
        $0.precede($1, raw: RecordFlaw.otherKeyID)
      },
      Self.header(.recordAmbiguousField, "X-App-Key-Id") {
        $0.precede($1, as: "x-aPP-kEY-iD", raw: RecordFlaw.otherKeyID)
      },
      Self.header(.recordAmbiguousField, "X-App-Assertion") {
        $0.precede($1, as: "x-aPP-aSSERTION", raw: #""AA==""#)
      },
      Self.header(nil, "X-App-Assertion") { $0.remove($1) },
      Self.header(nil, "X-App-Assertion") { $0.set($1, raw: "null") },
      RecordFlaw(nil, .assertion) { $0.set("headers", raw: "[]") },
      RecordFlaw(nil, .assertion) { $0.remove("headers") },
    ]
  }

  private var routes: [RecordFlaw] {
    [
      RecordFlaw(.recordNotAudited, .attestation) {
        $0.set("method", raw: #""OPTIONS""#)
        $0.set("path", raw: #""/attest/verify""#)
      },
      RecordFlaw(.recordNotAudited, .attestation) {
        $0.set("path", raw: #""/attest/verify/more""#)
      },
      // A request that is an attestation to one rule and an assertion to another.
      RecordFlaw(.recordAmbiguousField, .assertion) {
        $0.set("method", raw: #""POST""#)
        $0.set("path", raw: #""/attest/verify""#)
      },
    ]
  }

  /// Returns a flaw of the header `name`, in the case that the line uses.
  private static func header(
    _ code: FindingCode?, _ name: String,
    _ edit: @escaping @Sendable (inout JSONLine, _ name: String) -> Void
  ) -> RecordFlaw {
    RecordFlaw(code, .assertion) {
      $0.edit("headers") { headers in
        let lower = name.lowercased()
        let spelled = headers.fields.first { $0.name.lowercased() == lower }?.name ?? name
        edit(&headers, spelled)
      }
    }
  }
}
