// swift-format-ignore-file: the text of pipelines/schemas/swiftui.yaml, to which a test holds it.

extension ShippedSchemas {
  /// `pipelines/schemas/swiftui.yaml`.
  static let swiftui = ##"""
    # A server of a SwiftUI app: its log holds what the routes were sent and what they answered. Protected
    # requests sign the text `METHOD /path`.
    version: 1
    name: swiftui
    # Every request for a path signs the same text: only the same assertion again is a replay.
    replayScope: exact

    headers: [/headers]

    fields:
      time: /time
      subject: /session/user
      decision:
        pointer: /status
        # A client that goes away (408, 444, 460, 499) decides nothing: the server may have gone on.
        values:
          {2xx: accepted, 4xx: rejected, 408: unknown, 444: unknown, 460: unknown, 499: unknown, 5xx: unknown}
        otherwise: unknown

    rules:
      - name: challenge
        when:
          - {pointer: /method, is: GET}
          - {pointer: /path, path: /api/attest/challenge}
        kind: challenge
        fields: {challenge: /response/challenge}
      - name: attestation
        when:
          - {pointer: /method, is: POST}
          - {pointer: /path, path: /api/attest/verify}
        kind: attestation
        fields:
          keyId: /body/keyId
          # Called a receipt there, it is the attestation object.
          token: /body/receipt
          # The challenge that was handed out to the session.
          challenge: /session/challenge
      - name: assertion
        when:
          - {pointer: /headers/X-Assertion, present: true}
        kind: assertion
        fields:
          keyId: /headers/X-Key-Id
          token: /headers/X-Assertion
          clientData: {template: "{/method} {/path}"}

    tests:
      - name: a challenge that is handed out
        line: '{"time":"2026-03-01T10:00:00.000Z","method":"GET","path":"/api/attest/challenge","status":200,"response":{"challenge":"n0nce"}}'
        expect: {kind: challenge, challenge: n0nce}
      - name: an attestation
        line: '{"time":"2026-03-01T10:00:01.000Z","method":"POST","path":"/api/attest/verify","status":200,"body":{"keyId":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","receipt":"oWA="},"session":{"challenge":"n0nce","user":"u1"}}'
        expect:
          kind: attestation
          time: 2026-03-01T10:00:01Z
          keyId: "0101010101010101010101010101010101010101010101010101010101010101"
          challenge: n0nce
          subject: u1
      - name: a protected request
        line: '{"time":"2026-03-01T10:00:02.000Z","method":"GET","path":"/api/notes/17","status":200,"headers":{"X-Key-Id":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","X-Assertion":"oWA="},"session":{"user":"u1"}}'
        expect: {kind: assertion, clientData: GET /api/notes/17, subject: u1, decision: accepted}
      - name: a request without an assertion
        line: '{"time":"2026-03-01T10:00:03.000Z","method":"GET","path":"/api/public","status":200,"headers":{}}'
        expect: {skipped: true}
      - name: a protected request without its path
        line: '{"time":"2026-03-01T10:00:04.000Z","method":"GET","status":200,"headers":{"X-Key-Id":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","X-Assertion":"oWA="}}'
        expect: {reject: record.missing_field}

    """##
}
