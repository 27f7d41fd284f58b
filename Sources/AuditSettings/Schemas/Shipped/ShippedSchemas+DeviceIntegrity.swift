// swift-format-ignore-file: the text of pipelines/schemas/device-integrity.yaml, to which a test holds it.

extension ShippedSchemas {
  /// `pipelines/schemas/device-integrity.yaml`.
  static let deviceIntegrity = ##"""
    # A gateway's access log with bodies: keys are attested on a route of their own, later requests carry
    # the assertion in a header, and the client data is the request body as it came.
    version: 1
    name: device-integrity
    # The body of a request need not hold a challenge: only the same request again is a replay.
    replayScope: exact

    # Header names are the same in capitals and small letters.
    headers: [/headers]

    fields:
      time: /time
      requestId: /request_id
      decision:
        pointer: /status
        # A client that goes away (408, 444, 460, 499) decides nothing: the server may have gone on.
        values:
          {2xx: accepted, 4xx: rejected, 408: unknown, 444: unknown, 460: unknown, 499: unknown, 5xx: unknown}
        otherwise: unknown

    rules:
      - name: attestation
        when:
          - {pointer: /method, is: POST}
          - {pointer: /path, path: /attest/verify}
        kind: attestation
        fields:
          # The body is a string that holds JSON: pointers go through it.
          keyId: /body/key_id
          token: /body/attestation
          # The bytes that were hashed, in base64.
          challenge: {pointer: /body/challenge, encoding: base64}
      - name: assertion
        when:
          - {pointer: /headers/X-App-Assertion, present: true}
        kind: assertion
        fields:
          keyId: [/headers/X-App-Key-Id, /headers/X-App-KeyId, /headers/X-Key-Id]
          token: /headers/X-App-Assertion
          clientData: {pointer: /body, encoding: utf8}
      - name: device check
        when:
          - {pointer: /method, is: POST}
          - {pointer: /path, path: /verify-device}
        kind: deviceCheckToken
        fields: {token: /body/device_token}

    tests:
      - name: a verified device
        line: '{"time":"2026-03-01T10:00:00.000Z","method":"POST","path":"/attest/verify","headers":{"Host":"api.example.com","Content-Type":"application/json"},"body":"{\"key_id\":\"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\",\"attestation\":\"oWA=\",\"challenge\":\"bjBuY2U=\"}","status":200,"request_id":"r1"}'
        expect:
          kind: attestation
          time: 2026-03-01T10:00:00Z
          keyId: "0101010101010101010101010101010101010101010101010101010101010101"
          challenge: n0nce
          decision: accepted
          requestId: r1
      - name: a protected request, its headers in small letters
        line: '{"time":"2026-03-01T10:00:01.000Z","method":"POST","path":"/v1/transfers","headers":{"host":"api.example.com","x-app-key-id":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","x-app-assertion":"oWA="},"body":"{\"amount\":12}","status":403,"request_id":"r2"}'
        expect: {kind: assertion, clientData: '{"amount":12}', decision: rejected, requestId: r2}
      - name: a DeviceCheck token
        line: '{"time":"2026-03-01T10:00:02.000Z","method":"POST","path":"/verify-device","headers":{"Host":"api.example.com"},"body":"{\"device_token\":\"AgAAAA==\"}","status":200,"request_id":"r3"}'
        expect: {kind: deviceCheckToken}
      - name: a health check
        line: '{"time":"2026-03-01T10:00:03.000Z","method":"GET","path":"/health","headers":{"Host":"api.example.com"},"body":"","status":200,"request_id":"r4"}'
        expect: {skipped: true}
      - name: an attestation whose body is no JSON
        line: '{"time":"2026-03-01T10:00:04.000Z","method":"POST","path":"/attest/verify","headers":{},"body":"key_id=1","status":400,"request_id":"r5"}'
        expect: {reject: record.missing_field}
      - name: a header that stands twice
        line: '{"time":"2026-03-01T10:00:05.000Z","method":"POST","path":"/v1/transfers","headers":{"X-App-Assertion":"oWA=","x-app-assertion":"oQ=="},"body":"","status":200,"request_id":"r6"}'
        expect: {reject: record.ambiguous_field}

    """##
}
