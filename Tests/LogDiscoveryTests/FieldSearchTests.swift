import AuditLog
import AuditSettings
import Testing

@testable import LogDiscovery

/// The searches that go by values: times, decisions, headers, texts.
struct FieldSearchTests {
  private static func sample(_ lines: [String]) -> LogSample {
    var sample = LogSample(of: lines)
    sample.foldHeaders()
    return sample
  }

  /// Returns the mapping of a field as a schema file has it.
  private static func text(_ note: FieldNote?, _ sample: LogSample) -> String? {
    note.map { note in
      String(SchemaWriter.text(note.field, note.mapping).dropFirst(note.field.name.count + 2))
    }
  }

  @Test(arguments: [
    (#"{"n":1,"t":"2026-03-01T10:00:0%Z"}"#, "/t"),
    (#"{"t":177235200%}"#, "{pointer: /t, unit: s}"),
    (#"{"t":177235200%.25}"#, "{pointer: /t, unit: s}"),
    (#"{"t":177235200%000}"#, "{pointer: /t, unit: ms}"),
    (#"{"t":"177235200%.250"}"#, "{pointer: /t, unit: s}"),
    (#"{"t":177235200%000000}"#, "{pointer: /t, unit: us}"),
    (#"{"t":177235200%000000000}"#, "{pointer: /t, unit: ns}"),
    (#"{"o":{"born":"1999-01-01T00:00:00Z"},"when":177235200%}"#, "{pointer: /when, unit: s}"),
    (#"{"expires":"2026-03-02T10:00:00Z","time":"2026-03-01T10:00:0%Z"}"#, "/time"),
    (#"{"t":"01/Mar/2026:10:00:0% +0100"}"#, "{pointer: /t, format: clf}"),
    (
      #"{"t":"[01/Mar/2026:10:00:0% +0100]"}"#,
      "{pointer: /t, format: '[%d/%b/%Y:%H:%M:%S %z]'}"
    ),
    (
      #"{"t":"2026-03-01 10:00:0%.168 +0000 UTC"}"#,
      "{pointer: /t, format: '%Y-%m-%d %H:%M:%S%f %z UTC'}"
    ),
    (#"{"t":"2026-03-01T10:00:0%,5Z"}"#, "{pointer: /t, format: '%Y-%m-%dT%H:%M:%S%f%z'}"),
    (#"{"t":"2026-03-01T10:00:0%-0500"}"#, "{pointer: /t, format: '%Y-%m-%dT%H:%M:%S%f%z'}"),
    (
      #"{"t":"Sun, 01 Mar 2026 10:00:0% GMT"}"#,
      "{pointer: /t, format: '%a, %d %b %Y %H:%M:%S %z'}"
    ),
    (
      #"{"t":"2026-03-01 10:00:0%"}"#,
      "{pointer: /t, format: '%Y-%m-%d %H:%M:%S%f', zone: UTC}"
    ),
    (
      #"{"t":"2026-03-01T10:00:0%,25"}"#,
      "{pointer: /t, format: '%Y-%m-%dT%H:%M:%S%f', zone: UTC}"
    ),
  ])
  func `times are found`(line: String, expected: String) {
    let sample = Self.sample((0..<9).map { line.replacing("%", with: "\($0)") })
    #expect(
      Self.text(TimeSearch.find(sample.lines, sample.pointers), sample) == expected)
  }

  @Test(arguments: [
    ("01/Mar/2026:10:00:0%.25 +0100", "%d/%b/%Y:%H:%M:%S%f %z", nil),
    ("Mar 1, 2026 @ 10:00:0%.250", "%b %e, %Y @ %H:%M:%S%f", "UTC"),
    ("Sun Mar  1 10:00:0% 2026", "%a %b %e %H:%M:%S %Y", "UTC"),
    ("Sun Mar  1 10:00:0% UTC 2026", "%a %b %e %H:%M:%S %z %Y", nil),
    ("2026030110000%.25", "%Y%m%d%H%M%S%f", "UTC"),
    ("2026-03-01T10:00:0%.25Z[UTC]", "%Y-%m-%dT%H:%M:%S%f%z[UTC]", nil),
    ("03/21/2026 10:00:0%.25 +00:00", "%m/%d/%Y %H:%M:%S%f %z", nil),
    ("21/03/2026 10:00:0%", "%d/%m/%Y %H:%M:%S%f", "UTC"),
    ("21.03.2026 10:00:0%", "%d.%m.%Y %H:%M:%S%f", "UTC"),
    ("01 Mar 2026 10:00:0%,25 +0000", "%d %b %Y %H:%M:%S%f %z", nil),
    ("03/21/2026 10:00:0%.25 PM", "%m/%d/%Y %I:%M:%S%f %p", "UTC"),
    ("2026-03-01 10:00:0%.25 +0100 CET", "%Y-%m-%d %H:%M:%S%f %z %*", nil),
    ("2026-03-01 10:00:0%.25 +0000 UTC m=+8.1%", "%Y-%m-%d %H:%M:%S%f %z %*", nil),
  ])
  func `times in the forms of many systems are found`(text: String, form: String, zone: String?) {
    let sample = Self.sample(
      (0..<9).map { "{\"t\":\"" + text.replacing("%", with: "\($0)") + "\"}" })
    #expect(
      Self.text(TimeSearch.find(sample.lines, sample.pointers), sample)
        == "{pointer: /t, format: '\(form)'" + (zone.map { ", zone: \($0)" } ?? "") + "}")
  }

  /// Returns the place where the time of lines is found. Each line is made of the hundredths of its
  /// time.
  private static func place(
    _ line: (_ hundredths: Int) -> String, isClients: (String) -> Bool = { _ in false }
  ) -> (place: String?, what: String?) {
    let sample = sample((0..<50).map { line($0 * 137) })
    let found = TimeSearch.find(sample.lines, sample.pointers) {
      isClients(sample.pointers.text($0))
    }
    return (found.map { SchemaWriter.place($0.mapping) }, found?.what)
  }

  private static func clock(_ hundredths: Int) -> String {
    let (seconds, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
    return "2026-03-01T10:\(two(seconds / 60)):\(two(seconds % 60)).\(two(rest))Z"
  }

  private static func epoch(_ hundredths: Int) -> Int { 1_772_359_200_000 + hundredths * 10 }

  @Test func `of times beside each other the finest counts`() {
    let (place, what) = Self.place {
      #"{"time":\#(Self.epoch($0) / 1000),"context":{"timeEpoch":\#(Self.epoch($0))}}"#
    }
    #expect(place == "/context/timeEpoch")
    #expect(what == "milliseconds since 1970, rising on 100 %, finer than /time")
    // A finer clock counts whatever its name.
    let (msec, _) = Self.place {
      #"{"time_iso8601":"\#(Self.clock($0).dropLast(4))Z","msec":\#(Double(Self.epoch($0)) / 1000)}"#
    }
    #expect(msec == "/msec")
    // Neither is fine: the better name counts, and that is said.
    let (coarse, words) = Self.place {
      #"{"time":\#(Self.epoch($0) / 1000),"context":{"timeEpoch":\#(Self.epoch($0) / 1000)}}"#
    }
    #expect(coarse == "/time")
    #expect(words == "seconds since 1970, rising on 100 %, to the second")
  }

  @Test func `of fine times the earliest counts, whose zone may be another`() {
    let (place, what) = Self.place {
      #"{"@timestamp":"\#(Self.clock($0 + 25))","log":{"ts":"\#(Self.clock($0))"}}"#
    }
    #expect(place == "/log/ts")
    #expect(what == "RFC 3339, rising on 100 %, earlier than /@timestamp")
    let (local, _) = Self.place {
      #"{"time":"\#(Self.clock($0 + 25))","log":{"ts":"\#(Self.clock($0).dropLast())"}}"#
    }
    #expect(local == "/log/ts")
  }

  @Test(arguments: [
    // Hours from the other: no clock of the same request.
    #"{"time":"%","session":{"startTime":1772300000123}}"#,
    // By their names they are of others, or not of requests.
    #"{"time":"%","client_time":"<"}"#, #"{"time":"%","deviceDate":"<"}"#,
    #"{"time":"%","token":{"expiryTime":"<"}}"#, #"{"time":"%","n":"<"}"#,
    // What a client writes in its headers and in what it signs.
    #"{"time":"%","clients":{"time":"<"}}"#,
    #"{"time":"%","log":{"ts":"%"}}"#,
  ])
  func `no other clock is taken for the server's`(_ line: String) {
    let (place, what) = Self.place {
      line.replacing("%", with: Self.clock($0 + 25)).replacing("<", with: Self.clock($0))
    } isClients: {
      $0.hasPrefix("/clients")
    }
    #expect(place == "/time")
    #expect(what == "RFC 3339, rising on 100 %")
  }

  @Test func `a client's time counts where there is no other`() {
    let (place, _) = Self.place {
      #"{"n":7,"clients":{"time":"\#(Self.clock($0))"}}"#
    } isClients: {
      $0.hasPrefix("/clients")
    }
    #expect(place == "/clients/time")
  }

  @Test func `where day and month may change places, and nothing tells, that is said`() {
    let (_, what) = Self.place { hundredths in
      #"{"t":"03/04/2026 10:00:0\#(hundredths % 10).5"}"#
    }
    #expect(what?.contains("the order of day and month is a guess") == true)
    // The thirteenth of a month tells.
    let (_, told) = Self.place { hundredths in
      #"{"t":"\#(hundredths < 3000 ? "03" : "13")/04/2026 10:00:0\#(hundredths % 10).5"}"#
    }
    #expect(told?.hasPrefix("day, month and year, and time without a zone") == true)
    #expect(told?.contains("guess: no receipt") == true)
    #expect(told?.contains("order of day") == false)
  }

  @Test(arguments: [
    #"{"t":%}"#, #"{"t":"1%"}"#, #"{"t":"today"}"#, #"{"t":99999999999999999999%}"#,
    #"{"t":-177235200%}"#, #"{"t":"2026-03-01 1:00:0%"}"#, #"{"t":1e400}"#, #"{"t":[%]}"#,
    #"{"t":"2026-13-01 10:00:0%"}"#, #"{"t":"31/Feb/2026:10:00:0% +0000"}"#,
    #"{"t":"Mar  1 10:00:0%"}"#, #"{"t":"2026033210000%"}"#, #"{"t":"32/03/2026 10:00:0%"}"#,
    #"{"t":"2026-03-01T10:00:0%Z[Mars]"}"#,
  ])
  func `what is no time is none`(line: String) {
    let sample = Self.sample((0..<9).map { line.replacing("%", with: "\($0)") })
    #expect(TimeSearch.find(sample.lines, sample.pointers) == nil)
  }

  /// The decisions of statuses (`records.R94`).
  private static let statuses =
    "2xx: accepted, '304': accepted, '307': rejected, '308': rejected, '400': rejected, "
    + "'401': rejected, '403': rejected, '404': rejected, '405': rejected, '409': rejected, "
    + "'410': rejected, '422': rejected, '429': rejected, '503': rejected"

  @Test(arguments: [
    (
      [#""200 OK""#, #""403 Forbidden""#, #""406""#], "status",
      "{pointer: /status, values: {'200 OK': accepted, '403 Forbidden': rejected, \(statuses)}, "
        + "otherwise: unknown}"
    ),
    (
      ["200.0", "200.0", "500.0"], "status",
      "{pointer: /status, values: {'200.0': accepted, '500.0': unknown, \(statuses)}, "
        + "otherwise: unknown}"
    ),
    (
      ["200", "200", "403"], "status",
      "{pointer: /status, values: {\(statuses)}, otherwise: unknown}"
    ),
    (
      [#""OK""#, #""Denied""#, #""OK""#], "outcome",
      "{pointer: /outcome, values: {Denied: rejected, OK: accepted}, otherwise: unknown}"
    ),
    (
      ["true", "false", "true"], "allowed",
      "{pointer: /allowed, values: {'true': accepted, 'false': rejected}}"
    ),
    (
      ["true", "false", "true"], "blocked",
      "{pointer: /blocked, values: {'true': rejected, 'false': accepted}}"
    ),
  ])
  func `decisions are found`(values: [String], name: String, expected: String) {
    let sample = Self.sample(values.map { #"{"flag":true,"\#(name)":\#($0),"size":17}"# })
    #expect(
      Self.text(Self.decision(sample), sample) == expected)
  }

  private static func decision(_ sample: LogSample) -> FieldNote? {
    DecisionSearch.find(sample.lines, sample.pointers) { _ in false }.first
  }

  /// Returns the word that a value stands for.
  private static func word(_ value: String, _ note: FieldNote?) -> String? {
    note?.mapping.values.flatMap { table in
      table.entries.first { $0.value == value }?.word ?? table.otherwise
    }
  }

  @Test func `a word for a decision counts however rarely it stands there`() {
    let sample = Self.sample(
      (0..<200).map { #"{"decision":"\#($0 == 50 ? "denied" : "accepted")"}"# })
    #expect(
      Self.text(Self.decision(sample), sample)
        == "{pointer: /decision, values: {accepted: accepted, denied: rejected}, otherwise: unknown}"
    )
  }

  @Test func `what a client writes is no decision`() {
    let sample = Self.sample((0..<10).map { _ in #"{"body":{"status":"ok"}}"# })
    #expect(Self.decision(sample) != nil)
    #expect(DecisionSearch.find(sample.lines, sample.pointers) { _ in true }.isEmpty)
  }

  @Test(arguments: [
    (#"{"headers":{"X-Decision":"ok"}}"#, true), (#"{"request":{"hdr":{"status":"ok"}}}"#, true),
    (#"{"body":{"status":"ok"}}"#, true), (#"{"http":{"query":{"status":"ok"}}}"#, true),
    (#"{"cookies":{"status":"ok"}}"#, true), (#"{"X-Status":"ok"}"#, true),
    (#"{"http_x_status":"ok"}"#, true), (#"{"http.request.header.x-status":"ok"}"#, true),
    (#"{"response":{"body":{"status":"ok"}}}"#, false), (#"{"res":{"headers":{"s":"ok"}}}"#, false),
    (#"{"responseHeaders":{"X-Status":"ok"}}"#, false), (#"{"status":"ok"}"#, false),
    (#"{"body":{"status":"ok"},"severityText":"INFO"}"#, false),
    (#"{"metadata":{"status":"ok"}}"#, false), (#"{"http_status":"ok"}"#, false),
    (#"{"requestParameters":{"status":"ok"}}"#, true),
    (#"{"requestObject":{"status":"ok"}}"#, true),
    (#"{"requestPayload":{"status":"ok"}}"#, true), (#"{"body_json":{"status":"ok"}}"#, true),
    (#"{"rawRequest":{"a":{"status":"ok"}}}"#, true),
    (#"{"graphql":{"variables":{"status":"ok"}}}"#, true), (#"{"arg_status":"ok"}"#, true),
    (#"{"cookie_status":"ok"}"#, true), (#"{"query.status":"ok"}"#, true),
    (#"{"cookies.status":"ok"}"#, true), (#"{"body_status":"ok"}"#, true),
    (#"{"http.request.body.status":"ok"}"#, true), (#"{"body_bytes_sent":"17"}"#, false),
    (#"{"http.response.body.status":"ok"}"#, false), (#"{"payload":{"status":"ok"}}"#, false),
    // An answer within a request is not the server's.
    (#"{"body":{"response":{"status":"ok"}}}"#, true), (#"{"headers":{"X-Resp":"ok"}}"#, true),
    (#"{"resp_headers":{"X-Request-Id":"ok"}}"#, false),
  ])
  func `a client writes the parts of its request`(line: String, isClients: Bool) throws {
    let sample = Self.sample([line])
    let value = try #require(sample.lines[0].values.first { $0.kind == .string })
    #expect(sample.pointers.isOfRequest(value.pointer, tokens: []) == isClients)
  }

  @Test func `a payload is a client's where the method of the request stands beside it`() throws {
    for (line, isClients) in [
      (#"{"req":{"method":"POST"},"payload":{"status":"ok"}}"#, true),
      (#"{"payload":{"status":"ok","method":"POST"}}"#, false),
    ] {
      let sample = Self.sample([line])
      let values = sample.lines[0].values
      let method = try #require(values.first { $0.string == "POST" }).pointer
      let status = try #require(values.first { $0.string == "ok" }).pointer
      #expect(sample.pointers.isOfRequest(status, tokens: [], methods: [method]) == isClients)
    }
  }

  @Test func `headers by their place are left out, as no pipeline file may have them`() {
    let sample = Self.sample([
      #"{"headers":{"0":"a","X-0":"b","A":["c","d"]},"body":{"items":[{"value":"e","name":1,"f":"g"}]}}"#,
      #"{"headers":{"0":{"1":"a"}},"list":[{"x":[1,{"Value":"h"}]}]}"#,
    ])
    let pointers = Set(sample.lines.flatMap { $0.values.map { sample.pointers.text($0.pointer) } })
    #expect(!pointers.contains("/headers/0") && !pointers.contains("/headers/0/1"))
    #expect(!pointers.contains("/body/items/0/value") && pointers.contains("/headers/X-0"))
    #expect(pointers.contains("/body/items/0/f") && pointers.contains("/headers/A"))
  }

  @Test(arguments: [
    "email/valid", "tls/ok", "user/verified", "device/verified", "captcha/success", "jwt/valid",
    "rate_limit/allowed", "consent/accepted", "geo/allowed", "address/ok", "req/email/valid",
  ])
  func `a flag of something else is no decision`(path: String) {
    let names = path.split(separator: "/")
    func line(_ flag: Bool) -> String {
      names.reversed().reduce("\(flag)") { #"{"\#($1)":\#($0)}"# }
    }
    #expect(Self.decision(Self.sample((0..<10).map { line($0 % 3 > 0) })) == nil)
  }

  @Test(arguments: [
    "attestation/valid", "app_attest/verified", "response/ok", "log/allowed",
    "verification/success", "allowed/BOOL",
    "attributes/accepted/boolValue", "records/0/assertion/valid",
  ])
  func `a flag of the request is a decision`(path: String) {
    let names = path.split(separator: "/")
    func line(_ flag: Bool) -> String {
      names.reversed().reduce("\(flag)") {
        $1.allSatisfy(\.isNumber) ? "[\($0)]" : #"{"\#($1)":\#($0)}"#
      }
    }
    let sample = Self.sample((0..<10).map { line($0 % 3 > 0) })
    #expect(Self.word("false", Self.decision(sample)) == "rejected")
  }

  @Test func `a status counts where many requests have none`() {
    let sample = Self.sample((0..<100).map { $0 < 30 ? #"{"status":200}"# : #"{"status":null}"# })
    #expect(Self.decision(sample) != nil)
    #expect(
      Self.decision(
        Self.sample((0..<100).map { $0 < 30 ? #"{"code":404}"# : #"{"size":17}"# })) == nil)
    #expect(
      Self.decision(
        Self.sample((0..<100).map { $0 < 30 ? #"{"outcome":"ok"}"# : #"{"size":17}"# })) == nil)
  }

  @Test func `metadata in which a token stands are a client's`() throws {
    let sample = Self.sample([#"{"metadata":{"status":"ok","token":"oWFh"}}"#])
    let values = sample.lines[0].values.filter { $0.kind == .string }.map(\.pointer)
    #expect(sample.pointers.isOfRequest(values[0], tokens: [values[1]]))
  }

  @Test(
    arguments: [
      (#"{"emailVerified":true}"#, nil), (#"{"tls_ok":false}"#, nil),
      (#"{"notBlocked":true}"#, nil),
      (#"{"invalid":false}"#, "accepted"), (#"{"isValid":true}"#, "accepted"),
      (#"{"request_allowed":false}"#, "rejected"), (#"{"notAllowed":true}"#, "rejected"),
    ] as [(String, String?)])
  func `a flag's whole name says what it is about`(line: String, word: String?) {
    let sample = Self.sample(Array(repeating: line, count: 10))
    let flag = sample.lines[0].values[0].string
    #expect(Self.decision(sample).flatMap { Self.word(flag, $0) } == word)
  }

  @Test func `words about something else give way to the status`() {
    let sample = Self.sample(
      (0..<10).map {
        #"{"status":200,"waf":{"action":"\#($0 == 5 ? "block" : "allow")"},"request":{"status":"ok"}}"#
      })
    #expect(Self.text(Self.decision(sample), sample)?.contains("pointer: /status") == true)
  }

  @Test func `a server that failed may have gone on`() {
    let sample = Self.sample((0..<10).map { #"{"outcome":"\#($0 == 5 ? "error" : "ok")"}"# })
    #expect(Self.word("error", Self.decision(sample)) == "unknown")
  }

  @Test func `a value of another type spoils no decision`() {
    let words = Self.sample((0..<100).map { #"{"outcome":\#($0 == 99 ? "true" : "\"ok\"")}"# })
    #expect(
      Self.text(Self.decision(words), words)
        == "{pointer: /outcome, values: {ok: accepted}, otherwise: unknown}")
    let flags = Self.sample((0..<100).map { #"{"allowed":\#($0 == 99 ? "\"maybe\"" : "true")}"# })
    #expect(
      Self.text(Self.decision(flags), flags)
        == "{pointer: /allowed, values: {'true': accepted, 'false': rejected}, otherwise: unknown}")
  }

  @Test func `a stray word spoils no decision, and is left out of the table`() {
    let sample = Self.sample(
      (0..<100).map { #"{"decision":"\#($0 == 50 ? "maybe" : "accepted")"}"# })
    #expect(
      Self.text(Self.decision(sample), sample)
        == "{pointer: /decision, values: {accepted: accepted}, otherwise: unknown}")
  }

  @Test(arguments: [#"{"size":17}"#, #"{"isBase64Encoded":true}"#, #"{"status":"teapot"}"#])
  func `what is no decision is none`(line: String) {
    let sample = Self.sample(Array(repeating: line, count: 10))
    #expect(Self.decision(sample) == nil)
  }

  @Test func `spellings of a header are one pointer, and of other members not`() {
    let sample = Self.sample([
      #"{"headers":{"X-Key":"1"},"body":{"Key":"a"}}"#,
      #"{"headers":{"x-key":"2"},"body":{"key":"b"}}"#,
      #"{"headers":{"X-KEY":"3","x-Key":"4"},"body":{"KEY":"c"}}"#, #"{"headers":{"x-key":"5"}}"#,
    ])
    let pointers = Set(sample.lines.flatMap { $0.values.map { sample.pointers.text($0.pointer) } })
    #expect(
      pointers == ["/headers", "/headers/x-key", "/body", "/body/Key", "/body/key", "/body/KEY"])
    #expect(sample.lines[2].values.filter { $0.kind == .string }.map(\.string) == ["3", "c"])
    #expect(sample.lines.map(\.hasDuplicates) == [false, false, true, false])
    let header = sample.lines[0].values[0].pointer
    #expect(sample.pointers.header(of: header).map(sample.pointers.text) == "/headers")
  }

  @Test func `folding headers takes no quadratic time`() {
    let lines = (0..<600).map { line in
      let members = (0..<90).map { #""h\#(line)-\#($0)Headers":{"a":1}"# }.joined(separator: ",")
      return "{\(members)}"
    }
    let clock = ContinuousClock()
    #expect(clock.measure { _ = Self.sample(lines) } < .seconds(60))
  }

  @Test func `one of several equal candidates is not chosen: all are ranked as guesses`() {
    func sample(_ other: String) -> LogSample {
      Self.sample((0..<20).map { #"{"request_id":"r-\#($0)-abc","\#(other)":"t-\#($0)-xyz"}"# })
    }
    func found(_ other: String) -> [String] {
      let sample = sample(other)
      return IdentifierSearch.requestID(sample.lines, sample.pointers, excluding: []).map {
        "\(SchemaWriter.place($0.mapping)) \($0.sureness.rawValue)"
      }
    }
    #expect(found("trace_id").sorted() == ["/request_id guess", "/trace_id guess"])
    #expect(found("note") == ["/request_id likely"])
    // A copy is no other candidate.
    let copies = Self.sample(
      (0..<20).map { #"{"request_id":"r-\#($0)-abc","trace_id":"r-\#($0)-abc"}"# })
    #expect(
      IdentifierSearch.requestID(copies.lines, copies.pointers, excluding: []).map(\.sureness)
        == [.likely])
  }

  @Test func `a number with an exponent is a time, as the default schema reads it`() {
    let sample = Self.sample((0..<9).map { #"{"at":1.77235200\#($0)E9}"# })
    #expect(
      Self.text(TimeSearch.find(sample.lines, sample.pointers), sample) == "{pointer: /at, unit: s}"
    )
  }

  @Test func `a text that looks like a time and cannot be read is named`() {
    let sample = Self.sample((0..<9).map { #"{"ts":"day 1 of March at 10:0\#($0)"}"# })
    #expect(TimeSearch.find(sample.lines, sample.pointers) == nil)
    #expect(
      TimeSearch.lookalike(sample.lines, sample.pointers)?
        .hasPrefix("/ts looks like one, such as 'day 1 of March at 10:00'") == true)
  }
}
