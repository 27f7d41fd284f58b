// swift-format-ignore-file: the text of pipelines/schemas/cloudwatch.yaml, to which a test holds it.

extension ShippedSchemas {
  /// `pipelines/schemas/cloudwatch.yaml`.
  static let cloudwatch = ##"""
    # Events of Amazon CloudWatch Logs, one on each line, whose message is the server's own JSON:
    #
    #   aws logs filter-log-events --log-group-name GROUP | jq -c '.events[]'
    #
    # Subscriptions deliver batches, of which `jq -c '.logEvents[]'` makes the same. An export to S3 writes
    # a time in front of the message: for that, a schema says `prefix: skip` and names the message's members.
    version: 1
    name: cloudwatch
    replayScope: exact

    headers: [/message/headers]

    fields:
      time: {pointer: /timestamp, unit: ms}
      # The message is a string that holds JSON: pointers go through it.
      requestId: /message/requestId
      decision:
        pointer: /message/status
        values: {2xx: accepted, 4xx: rejected, 5xx: unknown}
        otherwise: unknown

    rules:
      - name: attestation
        when:
          - {pointer: /message/method, is: POST}
          - {pointer: /message/path, path: /attest}
        kind: attestation
        fields:
          keyId: /message/body/keyId
          token: /message/body/attestation
          challenge: /message/body/challenge
      - name: assertion
        when:
          - {pointer: /message/headers/X-App-Assertion, present: true}
        kind: assertion
        fields:
          keyId: /message/headers/X-App-Key-Id
          token: /message/headers/X-App-Assertion
          clientData: {pointer: /message/body, encoding: utf8}

    tests:
      - name: a key that is attested
        line: '{"eventId":"38","timestamp":1772359200250,"message":"{\"requestId\":\"r1\",\"method\":\"POST\",\"path\":\"/attest\",\"status\":201,\"headers\":{},\"body\":\"{\\\"keyId\\\":\\\"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\\\",\\\"attestation\\\":\\\"oWA=\\\",\\\"challenge\\\":\\\"n0nce\\\"}\"}","ingestionTime":1772359201150}'
        expect:
          kind: attestation
          time: 2026-03-01T10:00:00.250Z
          keyId: "0101010101010101010101010101010101010101010101010101010101010101"
          challenge: n0nce
          decision: accepted
          requestId: r1
      - name: a protected request
        line: '{"eventId":"38","timestamp":1772359201000,"message":"{\"requestId\":\"r2\",\"method\":\"PUT\",\"path\":\"/v1/notes\",\"status\":403,\"headers\":{\"x-app-key-id\":\"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\",\"x-app-assertion\":\"oWA=\"},\"body\":\"note\"}","ingestionTime":1772359201900}'
        expect: {kind: assertion, time: "2026-03-01T10:00:01Z", clientData: note, decision: rejected}
      - name: headers as a list
        line: '{"eventId":"38","timestamp":1772359201000,"message":"{\"requestId\":\"r3\",\"method\":\"PUT\",\"path\":\"/v1/notes\",\"status\":200,\"headers\":[{\"value\":\"oWA=\",\"name\":\"X-APP-ASSERTION\"},{\"name\":\"x-app-key-id\",\"value\":\"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\"}],\"body\":\"note\"}","ingestionTime":1772359201900}'
        expect: {kind: assertion, clientData: note}
      - name: a message that is no JSON
        line: '{"eventId":"39","timestamp":1772359203000,"message":"START RequestId: r4","ingestionTime":1}'
        expect: {skipped: true}

    """##
}
