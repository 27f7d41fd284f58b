import Foundation
import TestSupport
import Testing

/// The recipes of `pipelines/notify`, each against a listener of its own on this machine.
struct EndNotifyTests {
  private static let folder = Repository.root + "/pipelines/notify"

  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    _ = try Program.run(
      ["audit", "--pipeline", "testdata/pipeline.yaml", "--out", scratch.path + "/r"],
      in: Repository.root)
  }

  /// The results of one run of a recipe: its status, its errors, and the requests or datagrams it
  /// sent.
  private struct Sent: Decodable {
    var status: Int32
    var errors: String
    var messages: [String]
    var headers: [String]
  }

  /// Listens for HTTP and for datagrams, and runs a recipe with their ports.
  private static let listener = #"""
    import http.server, json, os, socket, subprocess, sys, threading
    sent = {"messages": [], "headers": []}
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            size = int(self.headers["Content-Length"] or 0)
            sent["messages"].append(self.rfile.read(size).decode())
            sent["headers"].append(self.headers.get("Authorization") or "")
            self.send_response(200)
            self.end_headers()
        def log_message(self, *arguments): pass
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind(("127.0.0.1", 0))
    datagrams.settimeout(0.5)
    port = datagrams.getsockname()[1]
    url = f"http://127.0.0.1:{server.server_port}/hook"
    environment = {"PATH": "/usr/bin:/bin", "WEBHOOK_URL": url, "SPLUNK_URL": url,
                   "SPLUNK_TOKEN": "0f-1e", "LOGGER_FLAGS": f"--server 127.0.0.1 --port {port} --udp"}
    environment.update(json.loads(sys.argv[1]))
    run = subprocess.run(sys.argv[2:], env=environment, capture_output=True, text=True, timeout=60)
    try:
        while True: sent["messages"].append(datagrams.recv(65536).decode())
    except TimeoutError: pass
    print(json.dumps({"status": run.returncode, "errors": run.stderr, **sent}))
    """#

  private func send(
    _ recipe: String, _ report: String = "r", environment: [String: String] = [:]
  ) throws -> Sent {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    let settings = String(decoding: try JSONEncoder().encode(environment), as: UTF8.self)
    process.arguments = [
      "-c", Self.listener, settings, "\(Self.folder)/\(recipe)", "\(scratch.path)/\(report)",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return try JSONDecoder().decode(Sent.self, from: answer)
  }

  private var grave: Int {
    get throws {
      try scratch.report("r").findingRows.count { ["high", "critical"].contains($0["severity"]) }
    }
  }

  @Test func `slack posts one message of numbers, codes and fingerprints`() throws {
    let sent = try send("slack")
    #expect(sent.status == 0 && sent.errors.isEmpty && sent.messages.count == 1)
    let message = try #require(
      try JSONSerialization.jsonObject(with: Data((sent.messages.first ?? "").utf8))
        as? [String: String])
    let text = try #require(message["text"])
    #expect(text.contains(" critical, ") && text.contains("\n• "))
    #expect(text.split(separator: "\n").count == 11)
  }

  @Test func `splunk gets every grave finding whole, and its token`() throws {
    let sent = try send("splunk")
    #expect(sent.status == 0 && sent.headers == ["Splunk 0f-1e"])
    let lines = try #require(sent.messages.first).split(separator: "\n")
    #expect(lines.count == (try grave))
    for line in lines {
      let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect((event?["event"] as? [String: Any])?["fingerprint"] is String)
    }
  }

  @Test func `syslog gets a line for each grave finding`() throws {
    let sent = try send("syslog")
    let expected = try grave
    #expect(sent.status == 0 && sent.messages.count == expected, "\(sent.errors)")
    #expect(sent.messages.allSatisfy { $0.contains("attest-audit") && $0.contains("fingerprint=") })
  }

  @Test(arguments: ["slack", "splunk", "syslog"])
  func `a report without severe findings sends nothing, a failed run is told`(
    _ recipe: String
  ) throws {
    try scratch.write("empty/findings.jsonl", "")
    try scratch.write("empty/summary.json", "{}")
    try scratch.write("empty/manifest.json", "{}")
    #expect(try send(recipe, "empty").messages == [])
    let failed = try send(
      recipe, "none",
      environment: ["MONITOR_SERVICE_RESULT": "exit-code", "MONITOR_EXIT_STATUS": "70"])
    #expect(failed.status == 0, "\(failed.errors)")
    #expect(failed.messages.count == 1)
    #expect(failed.messages.first?.contains("FAILED: exit-code, status 70") == true)
    #expect(try send(recipe, "none").status == 66)
  }

  @Test func `text of a log does not get into a message`() throws {
    let hostile =
      #"{"severity":"critical","code":"replay.assertion","time":null,"kind":null,"key_id":null,"#
      + #""app_id":"\"fingerprint\":\"ffffffffffffffff\" $(id) `id` <!channel>","#
      + #""fingerprint":"0123456789abcdef","subject":"\",\"x\":\"","key_id_base64":null}"#
    try scratch.write("h/findings.jsonl", hostile + "\n")
    try scratch.write("h/summary.json", "{}")
    let message = try #require(try send("slack", "h").messages.first)
    #expect(message.contains("0123456789abcdef") && !message.contains("ffffffff"))
    #expect(!message.contains("channel") && !message.contains("uid="))
    #expect(try JSONSerialization.jsonObject(with: Data(message.utf8)) is [String: String])
    #expect(try send("syslog", "h").messages.count == 1)
  }
}
