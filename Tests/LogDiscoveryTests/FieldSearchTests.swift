import AuditLog
import AuditSettings
import Testing

@testable import LogDiscovery

/// The searches by names and values: times, decisions, identifiers, and who wrote them.
struct FieldSearchTests {
  /// Returns a sample of some lines. A percent sign is the number of the line.
  private static func sample(_ line: String, _ numbers: Range<Int> = 0..<9) -> LogSample {
    LogSample(of: numbers.map { line.replacing("%", with: "\($0)") })
  }

  private static func text(_ note: FieldNote?) -> String? {
    note.map { SchemaWriter.text($0.field, $0.mapping) + ($0.isActive ? "" : "?") }
  }

  private static func search(_ sample: LogSample) -> FieldSearch {
    FieldSearch(sample.lines, sample.pointers) {
      sample.pointers.isOfRequest($0, tokens: []) ? .client : .server
    }
  }

  // MARK: Times

  @Test(
    arguments: [
      (#""2026-03-01T10:00:0%Z""#, "/t"), ("177235200%.25", "{pointer: /t, unit: s}"),
      ("177235200%000", "{pointer: /t, unit: ms}"),
      (#""177235200%.250""#, "{pointer: /t, unit: s}"),
      ("177235200%000000", "{pointer: /t, unit: us}"),
      ("177235200%000000000", "{pointer: /t, unit: ns}"),
      ("1.77235200%E9", "{pointer: /t, unit: s}"),
      (#""01/Mar/2026:10:00:0% +0100""#, "{pointer: /t, format: clf}"),
      (#""[01/Mar/2026:10:00:0% +0100]""#, "{pointer: /t, format: '[%d/%b/%Y:%H:%M:%S %z]'}"),
      (
        #""2026-03-01 10:00:0%.168 +0000 UTC m=+8.1%""#,
        "{pointer: /t, format: '%Y-%m-%d %H:%M:%S%f %z %*'}"
      ),
      (
        #""Sun, 01 Mar 2026 10:00:0% GMT""#, "{pointer: /t, format: '%a, %d %b %Y %H:%M:%S %z'}"
      ),
      (
        #""2026-03-01T10:00:0%,25""#, "{pointer: /t, format: '%Y-%m-%dT%H:%M:%S%f', zone: UTC}"
      ),
      (#""03/21/2026 10:00:0%""#, "{pointer: /t, format: '%m/%d/%Y %H:%M:%S%f', zone: UTC}"),
      (#""21/03/2026 10:00:0%""#, "{pointer: /t, format: '%d/%m/%Y %H:%M:%S%f', zone: UTC}"),
      (#""2026030110000%.25""#, "{pointer: /t, format: '%Y%m%d%H%M%S%f', zone: UTC}"),
      (#""2026-3-1 1:00:0%""#, "{pointer: /t, format: '%Y-%m-%d %H:%M:%S%f', zone: UTC}"),
      ("%", nil), (#""1%""#, nil), (#""today""#, nil), ("99999999999999999999%", nil),
      ("-177235200%", nil), ("1e400", nil), ("[%]", nil),
      (#""2026-13-01 10:00:0%""#, nil), (#""31/Feb/2026:10:00:0% +0000""#, nil),
      (#""Mar  1 10:00:0%""#, nil), (#""2026-03-01T10:00:0%Z[Mars]""#, nil),
    ] as [(String, String?)])
  func `times are found, and other values are not times`(_ value: String, _ expected: String?) {
    let sample = Self.sample("{\"t\":\(value)}")
    let found = TimeSearch(lines: sample.lines, pointers: sample.pointers).find()
    #expect(Self.text(found) == expected.map { "time: \($0)" })
  }

  /// Returns the time in lines of a template: `%` is a time, `<` the time a quarter of a second
  /// earlier, `S` the time in whole seconds.
  private static func time(_ line: String, from: Int = 0) -> FieldNote? {
    func clock(_ hundredths: Int) -> String {
      let (seconds, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
      func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
      return "2026-03-01T10:\(two(seconds / 60)):\(two(seconds % 60)).\(two(rest))Z"
    }
    let sample = LogSample(
      of: (0..<50).map { $0 * 137 }.map { hundredths in
        line.replacing("%", with: clock(hundredths + 25)).replacing("<", with: clock(hundredths))
          .replacing("S", with: "\(1_772_359_200 + hundredths / 100)")
      })
    return TimeSearch(lines: sample.lines, pointers: sample.pointers) {
      sample.pointers.text($0).hasPrefix("/clients") ? .client : .server
    }.find()
  }

  @Test(arguments: [
    (#"{"time":S,"n":"<"}"#, "/n", ", finer than /time"),
    (#"{"time":S,"app_ts":"%","context":{"timeEpoch":S}}"#, "/time", ", to the second"),
    (#"{"@timestamp":"%","log":{"ts":"<"}}"#, "/log/ts", ", earlier than /@timestamp"),
    // Hours from the other, or of another clock by its name or author.
    (#"{"time":"%","session":{"startTime":1772300000123}}"#, "/time", ""),
    (#"{"time":"%","client":{"ts":"<"}}"#, "/time", ""), (#"{"time":"%","n":"<"}"#, "/time", ""),
    (#"{"time":"%","token":{"expiryTime":"<"}}"#, "/time", ""),
    (#"{"time":"%","clients":{"time":"<"}}"#, "/time", ""),
    (#"{"n":7,"clients":{"time":"<"}}"#, "/clients/time", ""),
    (#"{"time":"%","log":{"ts":"%"}}"#, "/time", ""),
  ])
  func `the finest of a request's clocks counts, then the earliest`(
    _ line: String, _ place: String, _ remark: String
  ) {
    let found = Self.time(line)
    #expect(found.map { SchemaWriter.place($0.mapping) } == place)
    #expect(found?.what.hasSuffix("rising on 100 %\(remark)") == true, "\(found?.what ?? "")")
  }

  @Test func `if nothing tells the order of day and month, that is said`() {
    func what(_ day: (Int) -> String) -> String {
      let sample = LogSample(of: (0..<9).map { #"{"t":"\#(day($0))/04/2026 10:00:0\#($0).5"}"# })
      return TimeSearch(lines: sample.lines, pointers: sample.pointers).find()?.what ?? ""
    }
    #expect(what { _ in "03" }.contains("the order of day and month is a guess"))
    #expect(what { $0 < 5 ? "03" : "13" }.hasPrefix("day, month and year, and time without a zone"))
  }

  @Test func `a text that looks like a time and cannot be read is named`() {
    let sample = Self.sample(#"{"ts":"day 1 of March at 10:0%"}"#)
    let search = TimeSearch(lines: sample.lines, pointers: sample.pointers)
    #expect(
      search.lookalike?.hasPrefix("/ts looks like one, such as 'day 1 of March at 10:00'") == true)
  }

  // MARK: Decisions

  /// The decisions of statuses (`records.R94`).
  private static let statuses =
    "2xx: accepted, '304': accepted, '307': rejected, '308': rejected, '400': rejected, "
    + "'401': rejected, '403': rejected, '404': rejected, '405': rejected, '409': rejected, "
    + "'410': rejected, '422': rejected, '429': rejected, '503': rejected"

  private static let rejected = WordLists.rejected.map {
    "\($0 == "no" ? "'no'" : $0): rejected"
  }.joined(separator: ", ")

  @Test(
    arguments: [
      (
        [#"{"status":"200 OK"}"#, #"{"status":"403 Forbidden"}"#],
        "/status, values: {\(statuses)}, otherwise: unknown"
      ),
      (
        [#"{"status":200}"#, #"{"status":403}"#],
        "/status, values: {\(statuses)}, otherwise: unknown"
      ),
      (
        [#"{"outcome":"OK"}"#, #"{"outcome":"Denied"}"#],
        "/outcome, values: {Denied: rejected, OK: accepted}, otherwise: unknown"
      ),
      // A server that failed may have gone on.
      (
        [#"{"outcome":"ok"}"#, #"{"outcome":"error"}"#],
        "/outcome, values: {error: unknown, ok: accepted, \(rejected)}, otherwise: unknown"
      ),
      (
        [#"{"blocked":true}"#, #"{"blocked":false}"#],
        "/blocked, values: {'true': rejected, 'false': accepted}"
      ),
      // Words about something else, or of the client, give way to the status.
      (
        [
          #"{"status":200,"waf":{"action":"allow"},"request":{"status":"ok"}}"#,
          #"{"status":200,"waf":{"action":"block"},"body":{"status":"ok"}}"#,
        ], "/status, values: {\(statuses)}, otherwise: unknown"
      ),
      ([#"{"size":17}"#], nil), ([#"{"isBase64Encoded":true}"#], nil),
      ([#"{"status":"teapot"}"#], nil),
    ] as [([String], String?)])
  func `decisions are found`(_ lines: [String], _ expected: String?) {
    let sample = LogSample(of: lines + lines)
    #expect(
      Self.text(Self.search(sample).decisions().first)
        == expected.map { "decision: {pointer: \($0)}" })
  }

  @Test(arguments: [
    // A rare word counts, a stray text and a value of another type spoil nothing.
    (#""denied""#, "{accepted: accepted, denied: rejected}"),
    (#""maybe""#, "{accepted: accepted, rejected: rejected}"),
    ("true", "{accepted: accepted, rejected: rejected}"),
  ])
  func `one value in a hundred changes no decision`(_ value: String, _ table: String) {
    let sample = LogSample(
      of: (0..<200).map { #"{"decision":\#($0 == 50 ? value : #""accepted""#)}"# })
    #expect(
      Self.text(Self.search(sample).decisions().first)
        == "decision: {pointer: /decision, values: \(table), otherwise: unknown}")
  }

  @Test(arguments: [
    ("attestation/valid", true), ("app_attest/verified", true), ("response/ok", true),
    ("verification/success", true), ("allowed/BOOL", true), ("attributes/accepted/boolValue", true),
    ("isValid", true), ("request_allowed", true), ("email/valid", false), ("user/verified", false),
    ("rate_limit/allowed", false), ("req/email/valid", false), ("emailVerified", false),
    ("tls_ok", false), ("notBlocked", false),
  ])
  func `a flag is a decision only if all names around it are of the request`(
    _ path: String, _ isDecision: Bool
  ) {
    func line(_ flag: Bool) -> String {
      path.split(separator: "/").reversed().reduce("\(flag)") { #"{"\#($1)":\#($0)}"# }
    }
    let sample = LogSample(of: (0..<10).map { line($0 % 3 > 0) })
    #expect(Self.search(sample).decisions().isEmpty != isDecision)
  }

  @Test func `a status counts if many requests have none`() {
    for (value, isDecision) in [(#""status":200"#, true), (#""code":404"#, false)] {
      let sample = LogSample(of: (0..<100).map { $0 < 30 ? "{\(value)}" : #"{"size":17}"# })
      #expect(Self.search(sample).decisions().isEmpty != isDecision)
    }
  }

  @Test(arguments: [
    (#"{"headers":{"X-Decision":"ok"}}"#, true), (#"{"request":{"hdr":{"status":"ok"}}}"#, true),
    (#"{"http":{"query":{"status":"ok"}}}"#, true), (#"{"cookies":{"status":"ok"}}"#, true),
    (#"{"X-Status":"ok"}"#, true), (#"{"http.request.header.x-status":"ok"}"#, true),
    (#"{"requestParameters":{"status":"ok"}}"#, true), (#"{"arg_status":"ok"}"#, true),
    (#"{"request_X-Status":"ok"}"#, true), (#"{"request_status":"ok"}"#, false),
    (#"{"graphql":{"variables":{"status":"ok"}}}"#, true),
    (#"{"response":{"body":{"status":"ok"}}}"#, false), (#"{"res":{"headers":{"s":"ok"}}}"#, false),
    (#"{"body":{"status":"ok"},"severityText":"INFO"}"#, false), (#"{"http_status":"ok"}"#, false),
    (#"{"metadata":{"status":"ok"}}"#, false), (#"{"body_bytes_sent":"ok"}"#, false),
    (#"{"payload":{"status":"ok"}}"#, false), (#"{"payload":{"status":"ok"},"m":"POST"}"#, true),
    (#"{"payload":{"status":"ok","m":"POST"}}"#, false),
    (#"{"metadata":{"status":"ok","token":"oWFh"}}"#, true),
    // An answer within a request is not the server's.
    (#"{"body":{"response":{"status":"ok"}}}"#, true),
    (#"{"resp_headers":{"X-Request-Id":"ok"}}"#, false),
  ])
  func `a client writes the parts of its request`(line: String, isClients: Bool) throws {
    let sample = LogSample(of: [line])
    func pointers(_ text: String) -> Set<Int> {
      Set(sample.lines[0].values.filter { $0.string == text }.map(\.pointer))
    }
    let value = try #require(pointers("ok").first)
    #expect(
      sample.pointers.isOfRequest(value, tokens: pointers("oWFh"), methods: pointers("POST"))
        == isClients)
  }

  // MARK: Identifiers and request fields

  @Test func `the only candidate is chosen, several are ranked as guesses, and a copy is none`() {
    func found(_ other: String, _ value: String) -> [String] {
      let sample = LogSample(
        of: (0..<20).map { #"{"request_id":"r-\#($0)-abc","\#(other)":"\#(value)-\#($0)-abc"}"# })
      return Self.search(sample).requestID(excluding: []).compactMap(Self.text)
    }
    #expect(found("trace_id", "t") == ["requestId: /request_id?", "requestId: /trace_id?"])
    #expect(found("note", "t") == ["requestId: /request_id"])
    #expect(found("client_request_id", "t") == ["requestId: /request_id"])
    #expect(found("trace_id", "r") == ["requestId: /request_id"])
  }

  @Test(arguments: [
    (#"{"remote_addr":"203.0.113.%"}"#, ["clientIP: /remote_addr"]),
    // The better name wins, whatever the depth; a name of something else is none.
    (#"{"ip":"10.0.0.%","a":{"client_ip":"2001:db8::%"}}"#, ["clientIP: /a/client_ip"]),
    (#"{"server_ip":"10.0.0.%"}"#, []), (#"{"client_ip":"host%"}"#, []),
    (#"{"ip":"203.0.113.%:4711"}"#, ["clientIP: /ip"]),
    (#"{"ip":"2001:db8::%"}"#, ["clientIP: /ip"]),
    (#"{"ip":"7.2.%"}"#, []), (#"{"ip":"10:20:3%"}"#, []), (#"{"req":{"remote":"10.0.0.%"}}"#, []),
    // A client's own word on its address is none, and its name is.
    (
      #"{"headers":{"Client-IP":"203.0.113.%","User-Agent":"Shop/%"}}"#,
      ["userAgent: /headers/User-Agent"]
    ),
    (#"{"route":"notes.%","path":"/notes/%"}"#, ["route: /path"]),
    (#"{"url":"https://api.example.com/notes/%"}"#, ["route: /url"]),
    (#"{"body":{"path":"/x/%"}}"#, []), (#"{"request_time":0.01%}"#, ["duration: /request_time"]),
    (#"{"request_time":"-"}"#, []),
    // Whether such a time is the beginning or the end is not known.
    (#"{"duration_ms":1%}"#, ["duration: {pointer: /duration_ms, unit: ms}?"]),
  ])
  func `fields of the request are found by name and form (records.R91, R92)`(
    line: String, fields: [String]
  ) {
    let time = FieldNote(
      field: .time, mapping: FieldMapping(.pointers([JSONPointer(["msec"])])), what: "",
      sureness: .likely, lines: 3, of: 3)
    let found = Self.search(Self.sample(line, 1..<4))
      .named([.clientIP, .userAgent, .route, .duration], time: time)
    #expect(found.compactMap(Self.text) == fields)
  }
}
