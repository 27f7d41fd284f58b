import TestSupport
import Testing

@testable import AuditReport

struct MetricsTextTests {
  @Test func `every metric has help, a type and its samples`() {
    var text = MetricsText(common: [])
    text.add("lines", "Lines read.", 18_446_744_073_709_551_615)
    text.add("age_seconds", "An age.", seconds: -1_005)
    text.add("keys", "Keys.", by: "status", [("known", 0), ("unknown", 2)])
    text.add("codes", "None of these.", by: "code", [])
    #expect(
      text.text == """
        # HELP attest_audit_lines Lines read.
        # TYPE attest_audit_lines gauge
        attest_audit_lines 18446744073709551615
        # HELP attest_audit_age_seconds An age.
        # TYPE attest_audit_age_seconds gauge
        attest_audit_age_seconds -1.005
        # HELP attest_audit_keys Keys.
        # TYPE attest_audit_keys gauge
        attest_audit_keys{status="known"} 0
        attest_audit_keys{status="unknown"} 2

        """)
  }

  @Test(arguments: [
    "plain", "", "a\"b", "back\\slash", "two\nlines", "\\n", "\\\"",
    "}\n# TYPE evil counter\nevil 1",
    "ünï 😀", "tab\tand bell\u{7}",
  ])
  func `the value of a label comes back from the parser as it was`(_ value: String) throws {
    var text = MetricsText(common: [("pipeline", value)])
    text.add("lines", "Lines read.", 7)
    text.add("keys", "Keys.", by: "status", [("known", 1)])
    let parsed = try PrometheusText(text.text)
    #expect(parsed.names == ["attest_audit_lines", "attest_audit_keys"])
    #expect(parsed.value("attest_audit_lines", ["pipeline": value]) == 7)
    #expect(parsed.value("attest_audit_keys", ["pipeline": value, "status": "known"]) == 1)
  }

  @Test func `the parser refuses what is no metric`() {
    #expect(throws: Python.Failure.self) {
      try PrometheusText("attest_audit_lines{pipeline=\"a} 1\n")
    }
    #expect(throws: Python.Failure.self) { try PrometheusText("attest_audit_lines one\n") }
  }
}
