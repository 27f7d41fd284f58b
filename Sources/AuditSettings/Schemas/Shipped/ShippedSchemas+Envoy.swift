// swift-format-ignore-file: the text of pipelines/schemas/envoy.yaml, to which a test holds it.

extension ShippedSchemas {
  /// `pipelines/schemas/envoy.yaml`.
  static let envoy = ##"""
    # Envoy in front of the server, its access log as JSON:
    #
    #   json_format:
    #     start_time: "%START_TIME%"
    #     method: "%REQ(:METHOD)%"
    #     path: "%REQ(:PATH)%"
    #     response_code: "%RESPONSE_CODE%"
    #     request_id: "%REQ(X-REQUEST-ID)%"
    #     assertion: "%REQ(X-APP-ASSERTION)%"
    #     key_id: "%REQ(X-APP-KEY-ID)%"
    #     body: "%DYNAMIC_METADATA(attest:body)%"
    #
    # The body is put there by a Lua filter: handle:streamInfo():dynamicMetadata():set("attest", "body",
    # handle:body():getBytes(0, handle:body():length())).
    version: 1
    name: envoy
    replayScope: exact

    fields:
      time: {pointer: /start_time, format: rfc3339}
      requestId: /request_id
      decision:
        pointer: /response_code
        values: {2xx: accepted, 4xx: rejected, 5xx: unknown}
        otherwise: unknown

    rules:
      - name: attestation
        when:
          - {pointer: /method, is: POST}
          # The path comes with its query, which routes are compared without.
          - {pointer: /path, path: /attest}
        kind: attestation
        fields:
          keyId: /body/keyId
          token: /body/attestation
          challenge: /body/challenge
      - name: assertion
        when:
          # A header that was not sent is null or a dash.
          - {pointer: /assertion, not: ["", "-"]}
        kind: assertion
        fields:
          keyId: /key_id
          token: /assertion
          clientData: {pointer: /body, encoding: utf8}

    tests:
      - name: a key that is attested
        line: '{"start_time":"2026-03-01T10:00:00.250Z","method":"POST","path":"/attest?v=2","response_code":201,"request_id":"r1","assertion":null,"key_id":null,"body":"{\"keyId\":\"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\",\"attestation\":\"oWA=\",\"challenge\":\"n0nce\"}"}'
        expect:
          kind: attestation
          time: 2026-03-01T10:00:00.250Z
          keyId: "0101010101010101010101010101010101010101010101010101010101010101"
          challenge: n0nce
          decision: accepted
          requestId: r1
      - name: a protected request
        line: '{"start_time":"2026-03-01T10:00:01.000Z","method":"PUT","path":"/v1/notes","response_code":403,"request_id":"r2","assertion":"oWA=","key_id":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","body":"note"}'
        expect: {kind: assertion, time: "2026-03-01T10:00:01Z", clientData: note, decision: rejected}
      - name: an assertion without a body
        line: '{"start_time":"2026-03-01T10:00:02.000Z","method":"GET","path":"/v1/notes","response_code":200,"request_id":"r3","assertion":"oWA=","key_id":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","body":null}'
        expect: {reject: record.missing_field}
      - name: a request without an assertion
        line: '{"start_time":"2026-03-01T10:00:03.000Z","method":"GET","path":"/","response_code":200,"request_id":"r4","assertion":"-","key_id":"-","body":""}'
        expect: {skipped: true}

    """##
}
