// swift-format-ignore-file: the text of pipelines/schemas/cloudfront.yaml, to which a test holds it.

extension ShippedSchemas {
  /// `pipelines/schemas/cloudfront.yaml`.
  static let cloudfront = ##"""
    # An API gateway behind CloudFront that writes one JSON object for each request, with the names of the
    # gateway's request event: requestTimeEpoch, httpMethod, path, status, requestId, headers, body,
    # isBase64Encoded.
    version: 1
    name: cloudfront
    replayScope: exact

    headers: [/headers]

    # Bodies that are no text are logged in base64, and the line says so.
    unwrap:
      - {pointer: /body, from: base64, when: /isBase64Encoded}

    fields:
      time: {pointer: /requestTimeEpoch, unit: ms}
      requestId: /requestId
      decision:
        pointer: /status
        # A client that goes away (408, 444, 460, 499) decides nothing: the server may have gone on.
        values:
          {2xx: accepted, 4xx: rejected, 408: unknown, 444: unknown, 460: unknown, 499: unknown, 5xx: unknown}
        otherwise: unknown

    rules:
      - name: attestation
        when:
          - {pointer: /httpMethod, is: POST}
          - {pointer: /path, path: /attest}
        kind: attestation
        fields:
          keyId: /body/keyId
          token: /body/attestation
          challenge: /body/challenge
      - name: assertion
        when:
          - {pointer: /headers/X-App-Assertion, present: true}
        kind: assertion
        fields:
          keyId: /headers/X-App-Key-Id
          token: /headers/X-App-Assertion
          clientData: {pointer: /body, encoding: utf8}

    tests:
      - name: a key that is attested
        line: '{"requestTimeEpoch":1772359200250,"httpMethod":"POST","path":"/attest","status":"200","requestId":"r1","headers":{"host":"api.example.com"},"body":"{\"keyId\":\"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\",\"attestation\":\"oWA=\",\"challenge\":\"n0nce\"}","isBase64Encoded":false}'
        expect:
          kind: attestation
          time: 2026-03-01T10:00:00.250Z
          keyId: "0101010101010101010101010101010101010101010101010101010101010101"
          challenge: n0nce
          decision: accepted
      - name: a protected request
        line: '{"requestTimeEpoch":"1772359201000","httpMethod":"POST","path":"/v1/notes","status":403,"requestId":"r2","headers":{"x-app-key-id":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","x-app-assertion":"oWA="},"body":"note","isBase64Encoded":false}'
        expect: {kind: assertion, time: "2026-03-01T10:00:01Z", clientData: note, decision: rejected}
      - name: a protected request with a binary body
        line: '{"requestTimeEpoch":1772359202000,"httpMethod":"POST","path":"/v1/notes","status":200,"requestId":"r3","headers":{"x-app-key-id":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","x-app-assertion":"oWA="},"body":"bm90ZQ==","isBase64Encoded":true}'
        expect: {kind: assertion, clientData: note}
      - name: a request without an assertion
        line: '{"requestTimeEpoch":1772359203000,"httpMethod":"GET","path":"/","status":200,"requestId":"r4","headers":{},"body":null,"isBase64Encoded":false}'
        expect: {skipped: true}

    """##
}
