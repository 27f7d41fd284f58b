// swift-format-ignore-file: the text of pipelines/schemas/header-assertion.yaml, to which a test holds it.

extension ShippedSchemas {
  /// `pipelines/schemas/header-assertion.yaml`.
  static let headerAssertion = ##"""
    # A server that knows keys by the device they were attested for: requests name the device, not the
    # key. The client data is the raw request body; the log holds the counter that the server had stored.
    version: 1
    name: header-assertion
    # The body of a request need not hold a challenge: only the same request again is a replay.
    replayScope: exact

    fields:
      time: {pointer: /ts, unit: ms}
      deviceId: /deviceId
      decision:
        pointer: /outcome
        values: {ok: accepted, denied: rejected}

    rules:
      - name: attestation
        when:
          - {pointer: /event, is: attest}
        kind: attestation
        fields:
          keyId: /keyId
          token: /attestation
          challenge: /challenge
      - name: assertion
        when:
          - {pointer: /event, is: request}
        kind: assertion
        fields:
          token: /assertion
          clientData: {pointer: /rawBody, encoding: utf8}
          serverCounter: /previousSignCount

    tests:
      - name: a device that is attested
        line: '{"ts":1772359200000,"event":"attest","deviceId":"d-1","keyId":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","attestation":"oWA=","challenge":"n0nce","outcome":"ok"}'
        expect:
          kind: attestation
          time: 2026-03-01T10:00:00Z
          keyId: "0101010101010101010101010101010101010101010101010101010101010101"
          deviceId: d-1
          challenge: n0nce
          decision: accepted
      - name: a request of the device
        line: '{"ts":1772359201500,"event":"request","deviceId":"d-1","assertion":"oWA=","rawBody":"{\"amount\":12}","previousSignCount":7,"outcome":"denied"}'
        expect:
          kind: assertion
          time: 2026-03-01T10:00:01.500Z
          deviceId: d-1
          clientData: '{"amount":12}'
          serverCounter: 7
          decision: rejected
      - name: a request without a stored counter
        line: '{"ts":1772359201500,"event":"request","deviceId":"d-1","assertion":"oWA=","rawBody":"","previousSignCount":null,"outcome":"ok"}'
        expect: {kind: assertion, clientData: ""}
      - name: a request of no device
        line: '{"ts":1772359201500,"event":"request","assertion":"oWA=","rawBody":"","outcome":"ok"}'
        expect: {reject: record.missing_field}
      - name: another event
        line: '{"ts":1772359202000,"event":"login","deviceId":"d-1","outcome":"ok"}'
        expect: {skipped: true}

    """##
}
