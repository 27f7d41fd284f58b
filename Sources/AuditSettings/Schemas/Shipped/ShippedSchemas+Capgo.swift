// swift-format-ignore-file: the text of pipelines/schemas/capgo.yaml, to which a test holds it.

extension ShippedSchemas {
  /// `pipelines/schemas/capgo.yaml`.
  static let capgo = ##"""
    # Servers behind Capgo's plugin for App Attest and Play Integrity: a registration carries the
    # challenge, an assertion the payload; client data is the text of either.
    version: 1
    name: capgo
    replayScope: global

    rules:
      # A challenge makes a registration, a payload an assertion; both are ambiguous.
      - name: record
        fields:
          time: /time
          keyId: /keyId
          token: /token
          challenge: /challenge
          payload: /payload
          clientData: /clientData
          clientDataHash: /clientDataHash
          appId: /appId
          subject: /subject
          requestId: /requestId
          decision: /decision
          # Android devices have other tokens, which are skipped.
          platform: /platform
          format: /format

    tests:
      - name: a registration
        line: '{"time":"2026-03-01T10:00:00.000Z","platform":"ios","format":"apple-app-attest","keyId":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","challenge":"n0nce","token":"oWA=","decision":"accepted"}'
        expect:
          kind: attestation
          time: 2026-03-01T10:00:00Z
          keyId: "0101010101010101010101010101010101010101010101010101010101010101"
          challenge: n0nce
          decision: accepted
      - name: an assertion
        line: '{"time":"2026-03-01T10:00:01.000Z","platform":"ios","format":"apple-app-attest","keyId":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","payload":"transfer 12","token":"oWA=","decision":"rejected"}'
        expect: {kind: assertion, payload: transfer 12, decision: rejected}
      - name: an Android device
        line: '{"time":"2026-03-01T10:00:02.000Z","platform":"android","format":"google-play-integrity-standard","keyId":"device","payload":"p","token":"eyJhbGciOiJ","decision":"accepted"}'
        expect: {skipped: true}
      - name: a challenge and a payload
        line: '{"time":"2026-03-01T10:00:03.000Z","platform":"ios","keyId":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","challenge":"n","payload":"p","token":"oWA="}'
        expect: {reject: record.ambiguous_field}

    """##
}
