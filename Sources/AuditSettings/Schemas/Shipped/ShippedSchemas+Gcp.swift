// swift-format-ignore-file: the text of pipelines/schemas/gcp.yaml, to which a test holds it.

extension ShippedSchemas {
  /// `pipelines/schemas/gcp.yaml`.
  static let gcp = ##"""
    # Entries of Google Cloud Logging as an export writes them, one on each line: `httpRequest` as load
    # balancers and Cloud Run fill it in, headers and body as the server adds them in `jsonPayload`.
    version: 1
    name: gcp
    replayScope: exact

    headers: [/jsonPayload/headers]

    fields:
      time: {pointer: /timestamp, format: rfc3339}
      requestId: /insertId
      decision:
        pointer: /httpRequest/status
        values: {2xx: accepted, 4xx: rejected, 5xx: unknown}
        otherwise: unknown

    rules:
      - name: attestation
        when:
          - {pointer: /httpRequest/requestMethod, is: POST}
          # The path of the address counts.
          - {pointer: /httpRequest/requestUrl, path: /attest}
        kind: attestation
        fields:
          keyId: /jsonPayload/body/keyId
          token: /jsonPayload/body/attestation
          challenge: /jsonPayload/body/challenge
      - name: assertion
        when:
          - {pointer: /jsonPayload/headers/X-App-Assertion, present: true}
        kind: assertion
        fields:
          keyId: /jsonPayload/headers/X-App-Key-Id
          token: /jsonPayload/headers/X-App-Assertion
          clientData: {pointer: /jsonPayload/body, encoding: utf8}

    tests:
      - name: a key that is attested
        line: '{"insertId":"r1","timestamp":"2026-03-01T10:00:00.250123456Z","severity":"INFO","httpRequest":{"requestMethod":"POST","requestUrl":"https://api.example.com/attest?v=2","status":201},"jsonPayload":{"headers":{"host":"api.example.com"},"body":"{\"keyId\":\"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\",\"attestation\":\"oWA=\",\"challenge\":\"n0nce\"}"}}'
        expect:
          kind: attestation
          time: 2026-03-01T10:00:00.250Z
          keyId: "0101010101010101010101010101010101010101010101010101010101010101"
          challenge: n0nce
          decision: accepted
          requestId: r1
      - name: a protected request
        line: '{"insertId":"r2","timestamp":"2026-03-01T10:00:01Z","severity":"INFO","httpRequest":{"requestMethod":"PUT","requestUrl":"https://api.example.com/v1/notes","status":403},"jsonPayload":{"headers":{"x-app-key-id":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","x-app-assertion":["oWA="]},"body":"note"}}'
        expect: {kind: assertion, time: "2026-03-01T10:00:01Z", clientData: note, decision: rejected}
      - name: a time that is none
        line: '{"insertId":"r3","timestamp":"yesterday","severity":"INFO","httpRequest":{"requestMethod":"PUT","requestUrl":"/v1/notes","status":200},"jsonPayload":{"headers":{"x-app-key-id":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","x-app-assertion":"oWA="},"body":"note"}}'
        expect: {reject: record.bad_encoding}
      - name: a request without an assertion
        line: '{"insertId":"r4","timestamp":"2026-03-01T10:00:02Z","severity":"INFO","httpRequest":{"requestMethod":"GET","requestUrl":"/","status":200},"jsonPayload":{"headers":{},"body":""}}'
        expect: {skipped: true}

    """##
}
