// swift-format-ignore-file: the text of pipelines/schemas/aws-apigw.yaml, to which a test holds it.

extension ShippedSchemas {
  /// `pipelines/schemas/aws-apigw.yaml`.
  static let awsApigw = ##"""
    # A function behind Amazon API Gateway (HTTP API, payload format 2.0) or a function URL that logs its
    # event and the status of its answer: {"event": …, "response": {"statusCode": …}}.
    version: 1
    name: aws-apigw
    replayScope: exact

    headers: [/event/headers]

    # Bodies that are no text come in base64, and the event says so.
    unwrap:
      - {pointer: /event/body, from: base64, when: /event/isBase64Encoded}

    fields:
      time: {pointer: /event/requestContext/timeEpoch, unit: ms}
      requestId: /event/requestContext/requestId
      decision:
        pointer: /response/statusCode
        values: {2xx: accepted, 4xx: rejected, 5xx: unknown}
        otherwise: unknown

    rules:
      - name: attestation
        when:
          - {pointer: /event/requestContext/http/method, is: POST}
          - {pointer: /event/rawPath, path: /attest}
        kind: attestation
        fields:
          keyId: /event/body/keyId
          token: /event/body/attestation
          challenge: /event/body/challenge
      - name: assertion
        when:
          - {pointer: /event/headers/X-App-Assertion, present: true}
        kind: assertion
        fields:
          keyId: /event/headers/X-App-Key-Id
          token: /event/headers/X-App-Assertion
          clientData: {pointer: /event/body, encoding: utf8}

    tests:
      - name: a key that is attested
        line: '{"event":{"version":"2.0","rawPath":"/attest","headers":{},"requestContext":{"http":{"method":"POST","path":"/attest"},"requestId":"r1","time":"01/Mar/2026:10:00:00 +0000","timeEpoch":1772359200250},"body":"eyJrZXlJZCI6IkFRRUJBUUVCQVFFQkFRRUJBUUVCQVFFQkFRRUJBUUVCQVFFQkFRRUJBUUU9IiwiYXR0ZXN0YXRpb24iOiJvV0E9IiwiY2hhbGxlbmdlIjoibjBuY2UifQ==","isBase64Encoded":true},"response":{"statusCode":201}}'
        expect:
          kind: attestation
          time: 2026-03-01T10:00:00.250Z
          keyId: "0101010101010101010101010101010101010101010101010101010101010101"
          challenge: n0nce
          decision: accepted
          requestId: r1
      - name: a protected request
        line: '{"event":{"version":"2.0","rawPath":"/v1/notes","headers":{"x-app-key-id":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","x-app-assertion":"oWA="},"requestContext":{"http":{"method":"PUT","path":"/v1/notes"},"requestId":"r2","time":"01/Mar/2026:10:00:00 +0000","timeEpoch":1772359201000},"body":"note","isBase64Encoded":false},"response":{"statusCode":403}}'
        expect: {kind: assertion, time: "2026-03-01T10:00:01Z", clientData: note, decision: rejected}
      - name: a body in base64
        line: '{"event":{"version":"2.0","rawPath":"/v1/notes","headers":{"x-app-key-id":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","x-app-assertion":"oWA="},"requestContext":{"http":{"method":"PUT","path":"/v1/notes"},"requestId":"r3","time":"01/Mar/2026:10:00:00 +0000","timeEpoch":1772359202000},"body":"bm90ZQ==","isBase64Encoded":true},"response":{"statusCode":200}}'
        expect: {kind: assertion, clientData: note}
      - name: a body that is said to be base64
        line: '{"event":{"version":"2.0","rawPath":"/v1/notes","headers":{"x-app-key-id":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","x-app-assertion":"oWA="},"requestContext":{"http":{"method":"PUT","path":"/v1/notes"},"requestId":"r3","time":"01/Mar/2026:10:00:00 +0000","timeEpoch":1772359202000},"body":"a note","isBase64Encoded":true},"response":{"statusCode":200}}'
        expect: {reject: record.bad_encoding}
      - name: a request without an assertion
        line: '{"event":{"version":"2.0","rawPath":"/","headers":{},"requestContext":{"http":{"method":"GET","path":"/"},"requestId":"r4","time":"01/Mar/2026:10:00:00 +0000","timeEpoch":1772359203000},"body":null,"isBase64Encoded":false},"response":{"statusCode":200}}'
        expect: {skipped: true}

    """##
}
