import FindingCodes

extension SwiftUIForm {
  var flaws: [RecordFlaw] {
    RecordFlaw.absent("time", .assertion, wrongType: "true")
      + RecordFlaw.within("body", bodyFlaws)
      + RecordFlaw.within("session", sessionFlaws)
      + RecordFlaw.within("headers", headerFlaws)
      + RecordFlaw.within("response", RecordFlaw.absent("challenge", .challenge, wrongType: "[]"))
      + RecordFlaw.absent("body", .attestation, wrongType: "17")
      // The parts of the signed data.
      + RecordFlaw.absent("method", .assertion, wrongType: "[]")
      + RecordFlaw.absent("path", .assertion, wrongType: "{}")
      + RecordFlaw.twice("path", .assertion, raw: #""/api/notes/1""#)
      + RecordFlaw.twice("method", .assertion, raw: #""GET""#)
      + RecordFlaw.twice("status", .assertion, raw: "403")
      + RecordFlaw.twice("session", .attestation, raw: "{}")
      + routes
  }

  private var bodyFlaws: [RecordFlaw] {
    RecordFlaw.absent("keyId", .attestation, wrongType: "17")
      + RecordFlaw.absent("receipt", .attestation, wrongType: "true")
      + RecordFlaw.twice("keyId", .attestation, raw: RecordFlaw.otherKeyID)
      + [
        RecordFlaw(.recordBadEncoding, .attestation) {
          $0.set("keyId", raw: RecordFlaw.shortKeyID)
        },
        RecordFlaw(.recordBadEncoding, .attestation) {
          $0.set("receipt", raw: RecordFlaw.noBase64)
        },
      ]
  }

  private var sessionFlaws: [RecordFlaw] {
    RecordFlaw.absent("challenge", .attestation, wrongType: "17")
      + RecordFlaw.twice("challenge", .attestation, raw: #""what the first parser sees""#)
      + RecordFlaw.twice("user", .assertion, raw: #""somebody else""#)
  }

  private var headerFlaws: [RecordFlaw] {
    RecordFlaw.absent("X-Key-Id", .assertion, wrongType: "17")
      + [
        RecordFlaw(.recordBadEncoding, .assertion) {
          $0.set("X-Key-Id", raw: RecordFlaw.shortKeyID)
        },
        RecordFlaw(.recordBadEncoding, .assertion) {
          $0.set("X-Assertion", raw: RecordFlaw.noBase64)
        },
        RecordFlaw(.recordMissingField, .assertion) { $0.set("X-Assertion", raw: "[]") },
        RecordFlaw(.recordAmbiguousField, .assertion) {
          $0.precede("X-Key-Id", raw: RecordFlaw.otherKeyID)
        },
        RecordFlaw(.recordAmbiguousField, .assertion) {
          $0.precede("X-Key-Id", as: "x-key-id", raw: RecordFlaw.otherKeyID)
        },
        RecordFlaw(.recordAmbiguousField, .assertion) {
          $0.precede("X-Assertion", as: "X-ASSERTION", raw: #""AA==""#)
        },
        RecordFlaw(nil, .assertion) { $0.remove("X-Assertion") },
        RecordFlaw(nil, .assertion) { $0.set("X-Assertion", raw: "null") },
      ]
  }

  private var routes: [RecordFlaw] {
    [
      RecordFlaw(.recordBadEncoding, .assertion) { $0.set("time", raw: #""yesterday""#) },
      RecordFlaw(.recordNotAudited, .attestation) {
        $0.set("method", raw: #""GET""#)
        $0.set("path", raw: #""/api/attest/verify""#)
      },
      RecordFlaw(nil, .challenge) { $0.set("path", raw: #""/api/attest""#) },
      // A request that is an attestation to one rule and an assertion to another.
      RecordFlaw(.recordAmbiguousField, .attestation) {
        var headers = JSONLine()
        headers.add("X-Key-Id", raw: RecordFlaw.otherKeyID)
        headers.add("X-Assertion", raw: #""AA==""#)
        $0.add("headers", object: headers)
      },
    ]
  }
}
