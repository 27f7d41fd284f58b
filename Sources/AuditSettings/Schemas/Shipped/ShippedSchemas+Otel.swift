// swift-format-ignore-file: the text of pipelines/schemas/otel.yaml, to which a test holds it.

extension ShippedSchemas {
  /// `pipelines/schemas/otel.yaml`.
  static let otel = ##"""
    # Log records of OpenTelemetry, one on each line, with the attributes of its semantic conventions for
    # HTTP servers; the record's body is the request's. The collector's file exporter writes batches, of
    # which this makes records:
    #
    #   jq -c '.resourceLogs[].scopeLogs[].logRecords[]'
    version: 1
    name: otel
    replayScope: exact

    # Attributes are a list of keys and values: pointers name them, in whatever order they come.
    headers: [/attributes]

    fields:
      time: {pointer: /timeUnixNano, unit: ns}
      requestId: /attributes/request.id
      decision:
        pointer: /attributes/http.response.status_code
        values: {2xx: accepted, 4xx: rejected, 5xx: unknown}
        otherwise: unknown

    rules:
      - name: attestation
        when:
          - {pointer: /attributes/http.request.method, is: POST}
          - {pointer: /attributes/url.path, path: /attest}
        kind: attestation
        fields:
          keyId: /body/stringValue/keyId
          token: /body/stringValue/attestation
          challenge: /body/stringValue/challenge
      - name: assertion
        when:
          - {pointer: /attributes/http.request.header.x-app-assertion, present: true}
        kind: assertion
        fields:
          keyId: /attributes/http.request.header.x-app-key-id
          token: /attributes/http.request.header.x-app-assertion
          clientData: {pointer: /body/stringValue, encoding: utf8}

    tests:
      - name: a key that is attested
        line: '{"timeUnixNano":"1772359200250000000","severityText":"INFO","attributes":[{"key":"http.request.method","value":{"stringValue":"POST"}},{"key":"url.path","value":{"stringValue":"/attest/"}},{"key":"http.response.status_code","value":{"intValue":"201"}},{"key":"request.id","value":{"stringValue":"r1"}}],"body":{"stringValue":"{\"keyId\":\"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\",\"attestation\":\"oWA=\",\"challenge\":\"n0nce\"}"}}'
        expect:
          kind: attestation
          time: 2026-03-01T10:00:00.250Z
          keyId: "0101010101010101010101010101010101010101010101010101010101010101"
          challenge: n0nce
          decision: accepted
          requestId: r1
      - name: a protected request
        line: '{"timeUnixNano":"1772359201000000000","body":{"stringValue":"note"},"attributes":[{"key":"http.request.header.x-app-assertion","value":{"arrayValue":{"values":[{"stringValue":"oWA="}]}}},{"key":"http.request.header.x-app-key-id","value":{"arrayValue":{"values":[{"stringValue":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="}]}}},{"key":"request.id","value":{"stringValue":"r2"}},{"key":"http.response.status_code","value":{"intValue":"403"}},{"key":"url.path","value":{"stringValue":"/v1/notes"}},{"key":"http.request.method","value":{"stringValue":"PUT"}}]}'
        expect: {kind: assertion, time: "2026-03-01T10:00:01Z", clientData: note, decision: rejected}
      - name: an attribute that stands twice
        line: '{"timeUnixNano":"1772359202000000000","body":{"stringValue":"note"},"attributes":[{"key":"http.request.method","value":{"stringValue":"PUT"}},{"key":"url.path","value":{"stringValue":"/v1/notes"}},{"key":"http.response.status_code","value":{"intValue":"200"}},{"key":"request.id","value":{"stringValue":"r3"}},{"key":"http.request.header.x-app-key-id","value":{"arrayValue":{"values":[{"stringValue":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="}]}}},{"key":"http.request.header.x-app-assertion","value":{"arrayValue":{"values":[{"stringValue":"oWA="}]}}},{"key":"http.request.header.x-app-assertion","value":{"arrayValue":{"values":[{"stringValue":"oWE="}]}}}]}'
        expect: {reject: record.ambiguous_field}
      - name: a request without an assertion
        line: '{"timeUnixNano":"1772359203000000000","body":{"stringValue":""},"attributes":[{"key":"http.request.method","value":{"stringValue":"GET"}},{"key":"url.path","value":{"stringValue":"/"}},{"key":"http.response.status_code","value":{"intValue":"200"}},{"key":"request.id","value":{"stringValue":"r4"}}]}'
        expect: {skipped: true}

    """##
}
