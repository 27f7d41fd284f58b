import Foundation
import TestSupport
import Testing

/// Requests whose tokens stand in headers, through the built program.
struct EndHeaderTests {
  private static let schema = """
    schema:
      name: gateway
      headers: [/headers]
      fields: {time: /time, decision: /decision}
      rules:
        - name: registration
          when: [{pointer: /route, is: register}]
          kind: attestation
          fields: {keyId: /keyId, token: /token, challenge: /challenge}
        - name: request
          when: [{pointer: /route, is: call}]
          kind: assertion
          fields: {keyId: /keyId, token: /headers/X-Token-Key, payload: /payload}

    """

  @Test(
    .disabled("states the second edition of the contract"),
    arguments: ["X-TOKEN-KEY", "x-to\u{212A}en-key", "X-TOKEN-\u{212A}EY", "x-to\\u212aen-key"])
  func `a header beside another that differs in case alone is ambiguous`(_ twin: String) throws {
    let scratch = try Scratch()
    let day = SyntheticDay.shared
    try day.writeSettings(to: scratch, more: Self.schema)
    let own = day.lines.indices.filter { index in
      let line = day.lines[index]
      guard !line.contains("\"platform\"") else { return false }
      return line.contains("\"challenge\"")
        || (line.contains("\"payload\"") && !line.contains("clientData"))
    }
    var requests: [String] = []
    var lines: [String] = []
    for index in own {
      let isRequest = day.lines[index].contains("\"payload\"")
      let fields = try #require(
        try JSONSerialization.jsonObject(with: Data(day.lines[index].utf8)) as? [String: Any])
      let token = try #require(fields["token"] as? String)
      let changes: [String: Any?] =
        isRequest
        ? ["route": "call", "token": nil, "headers": ["x-token-key": token, "Host": "a"]]
        : ["route": "register"]
      lines.append(try day.line(index, changes))
      if isRequest { requests.append(token) }
    }
    try scratch.write("a.jsonl", lines.map { $0 + "\n" }.joined())
    let audit = ["audit", "a.jsonl", "--pipeline", "pipeline.yaml", "--out"]
    let clean = try Program.run(audit + ["clean"], in: scratch.path)
    #expect(clean.status == 0, "\(clean)")
    #expect(try scratch.report("clean").summary.records["assertions"] == requests.count)
    // The last request has the first one's token beside its own.
    let last = try #require(lines.lastIndex { $0.contains("\"Host\"") })
    lines[last] = lines[last].replacing("\"Host\":\"a\"", with: "\"\(twin)\":\"\(requests[0])\"")
    try scratch.write("a.jsonl", lines.map { $0 + "\n" }.joined())
    let outcome = try Program.run(audit + ["twin"], in: scratch.path)
    let findings = try scratch.report("twin").findings
    #expect(
      findings.contains { $0.hasSuffix("record.ambiguous_field a.jsonl:\(last + 1)") },
      "\(findings) \(outcome)")
  }
}
