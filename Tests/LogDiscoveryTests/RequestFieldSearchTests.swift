import AuditLog
import AuditSettings
import Testing

@testable import LogDiscovery

@Suite struct `What a line says of its request` {
  /// Returns the fields that are found in three lines, each as a schema file has it, with a question
  /// mark if it is a guess. A percent sign is the number of the line.
  private static func found(_ line: String, time: String? = nil) -> [String] {
    let lines = (1...3).map { line.replacing("%", with: "\($0)") }
    let sample = LogSample(of: lines)
    let note = time.map { pointer in
      FieldNote(.time, FieldMapping(.pointers([JSONPointer([pointer])])), "", .likely, on: 3, of: 3)
    }
    return RequestFieldSearch(
      lines: sample.lines, pointers: sample.pointers,
      isClients: { sample.pointers.isOfRequest($0, tokens: []) }
    ).find(time: note).map { note in
      SchemaWriter.text(note.field, note.mapping) + (note.isActive ? "" : "?")
    }
  }

  @Test(arguments: [
    (#"{"remote_addr":"203.0.113.%"}"#, ["clientIP: /remote_addr"]),
    (
      #"{"requestContext":{"identity":{"sourceIp":"2001:db8::%"}}}"#,
      ["clientIP: /requestContext/identity/sourceIp"]
    ),
    // The better name wins, whatever the depth; a name of something else is none.
    (#"{"ip":"10.0.0.%","a":{"client_ip":"203.0.113.%"}}"#, ["clientIP: /a/client_ip"]),
    (#"{"server_ip":"10.0.0.%"}"#, []), (#"{"client_ip":"host%"}"#, []),
    // A client's own word on its address is none, and its name is.
    (
      #"{"headers":{"Client-IP":"203.0.113.%","User-Agent":"Shop/%"}}"#,
      ["userAgent: /headers/User-Agent"]
    ),
    (
      #"{"http_user_agent":"Shop/%","request_uri":"/v1/%?a=b"}"#,
      ["userAgent: /http_user_agent", "route: /request_uri"]
    ),
    (#"{"route":"notes.%","path":"/notes/%"}"#, ["route: /path"]),
    (#"{"url":"https://api.example.com/notes/%"}"#, ["route: /url"]),
    (#"{"body":{"path":"/x/%"}}"#, []),
  ])
  func `address, program and route are found by name and form (records.R91)`(
    line: String, fields: [String]
  ) {
    #expect(Self.found(line) == fields)
  }

  @Test(arguments: [
    (#"{"msec":1772352000.%,"request_time":0.01%}"#, "msec", ["duration: /request_time"]),
    (#"{"time_iso8601":"","request_time":"0.01%"}"#, "time_iso8601", ["duration: /request_time"]),
    // Whether such a time is the beginning or the end is not known.
    (
      #"{"start":1772352000,"duration_ms":1%}"#, "start",
      ["duration: {pointer: /duration_ms, unit: ms}?"]
    ),
    (#"{"ts":1772352000,"request_time":0.01%}"#, "ts", ["duration: /request_time"]),
    (#"{"startTime":1772352000,"request_time":0.01%}"#, "startTime", ["duration: /request_time?"]),
    (#"{"msec":1772352000,"request_time":"-"}"#, "msec", []),
  ])
  func `a duration counts if the time is known to be the end (records.R92)`(
    line: String, time: String, fields: [String]
  ) {
    #expect(Self.found(line, time: time) == fields)
  }
}
