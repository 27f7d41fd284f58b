// swift-format-ignore-file: the text of pipelines/schemas/nginx-json.yaml, to which a test holds it.

extension ShippedSchemas {
  /// `pipelines/schemas/nginx-json.yaml`.
  static let nginxJson = ##"""
    # nginx in front of the server, its access log as JSON:
    #
    #   log_format attest escape=json
    #     '{"msec":$msec,"method":"$request_method","uri":"$uri","status":$status,'
    #     '"request_id":"$request_id","assertion":"$http_x_app_assertion",'
    #     '"key_id":"$http_x_app_key_id","body":"$request_body"}';
    #
    # $request_body is there only where nginx has read the body into memory: client_body_buffer_size has
    # to be as large as the largest body, and the location has to pass the request on (proxy_pass).
    version: 1
    name: nginx-json
    replayScope: exact

    fields:
      # Seconds with milliseconds behind the point.
      time: {pointer: /msec, unit: s}
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
          - {pointer: /uri, path: /attest}
        kind: attestation
        fields:
          keyId: /body/keyId
          token: /body/attestation
          challenge: /body/challenge
      - name: assertion
        when:
          # A header that was not sent is an empty string here.
          - {pointer: /assertion, not: ["", "-"]}
        kind: assertion
        fields:
          keyId: /key_id
          token: /assertion
          clientData: {pointer: /body, encoding: utf8}

    tests:
      - name: a key that is attested
        line: '{"msec":1772359200.250,"method":"POST","uri":"/attest","status":201,"request_id":"r1","assertion":"","key_id":"","body":"{\"keyId\":\"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\",\"attestation\":\"oWA=\",\"challenge\":\"n0nce\"}"}'
        expect:
          kind: attestation
          time: 2026-03-01T10:00:00.250Z
          keyId: "0101010101010101010101010101010101010101010101010101010101010101"
          challenge: n0nce
          decision: accepted
      - name: a protected request
        line: '{"msec":1772359201.000,"method":"PUT","uri":"/v1/notes/7","status":401,"request_id":"r2","assertion":"oWA=","key_id":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","body":"a \"note\"\r\n"}'
        expect: {kind: assertion, clientData: "a \"note\"\r\n", decision: rejected, requestId: r2}
      - name: a request without an assertion
        line: '{"msec":1772359202.000,"method":"GET","uri":"/","status":200,"request_id":"r3","assertion":"","key_id":"","body":""}'
        expect: {skipped: true}
      - name: an assertion sent to the attestation route
        line: '{"msec":1772359203.000,"method":"POST","uri":"/attest","status":200,"request_id":"r4","assertion":"oWA=","key_id":"","body":""}'
        expect: {reject: record.ambiguous_field}

    """##
}
