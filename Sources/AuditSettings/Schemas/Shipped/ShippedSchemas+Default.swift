// swift-format-ignore-file: the text of pipelines/schemas/default.yaml, to which a test holds it.

extension ShippedSchemas {
  /// `pipelines/schemas/default.yaml`.
  static let defaultSchema = ##"""
    # The default schema as a file: a starting point for one of your own.
    #
    #   attest-audit audit --schema pipelines/schemas/default.yaml …
    #
    # reads lines as `--schema default` does, which needs no file. For another log change the pointers;
    # `attest-audit check FILE --run-tests` says what a schema maps and reads the lines under `tests`.
    version: 1
    name: default

    # One clientDataHash is used once, by whatever key: client data holds a challenge.
    replayScope: global

    # The clientDataHash is the SHA-256 of the client data. `raw`: the client data is the hash itself.
    hash: sha256

    rules:
      # No `when`: every line is a record. No `kind`: the field of that name says it, and where it is
      # absent, the other fields do. A challenge without a token is a challenge; a challenge with a token
      # an attestation; payload, clientData or clientDataHash with a token an assertion.
      - fields:
          # RFC 3339 with an offset, or a number: seconds below 1e11, else milliseconds.
          time: /time
          # attestation, assertion or challenge.
          kind: /kind
          # 32 bytes in base64, base64url or 64 hex digits.
          keyId: /keyId
          # The attestation object or the assertion in base64 or base64url.
          token: /token
          # Text, the bytes of which the server hashed: of an attestation, of an assertion.
          challenge: /challenge
          payload: /payload
          # The same as bytes in base64, and the hash as the server recorded it.
          clientData: /clientData
          clientDataHash: /clientDataHash
          # Carried through to the reports.
          appId: /appId
          subject: /subject
          requestId: /requestId
          # accepted or rejected.
          decision: /decision
          # Records of other platforms are skipped.
          platform: /platform
          format: /format

    tests:
      - name: an assertion with a payload
        line: '{"time":"2026-03-01T10:00:00.250+02:00","keyId":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","token":"oWA=","payload":"{\"amount\":12}","decision":"accepted","subject":17}'
        expect:
          kind: assertion
          time: 2026-03-01T08:00:00.250Z
          keyId: "0101010101010101010101010101010101010101010101010101010101010101"
          payload: '{"amount":12}'
          decision: accepted
          subject: "17"
      - name: a challenge when it is issued
        line: '{"time":1772323600,"challenge":"c29tZSBjaGFsbGVuZ2U"}'
        expect: {kind: challenge, time: "2026-03-01T00:06:40Z", challenge: c29tZSBjaGFsbGVuZ2U}
      - name: another platform
        line: '{"time":1,"platform":"android","keyId":"k","token":"t","payload":"p"}'
        expect: {skipped: true}
      - name: no key identifier
        line: '{"time":1,"kind":"assertion","token":"oWA=","payload":"p"}'
        expect: {reject: record.missing_field}

    """##
}
