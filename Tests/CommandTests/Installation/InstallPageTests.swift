import Foundation
import TestSupport
import Testing

/// The man pages and completions, which are made from what the program says of itself.
struct InstallPageTests {
  private typealias Object = [String: Any]

  /// The commands of the program, as it describes them; `help` left out.
  private static func commands() throws -> [Object] {
    let outcome = try Program.run(["--experimental-dump-help"], in: "/")
    let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? Object
    let root = try #require(object?["command"] as? Object)
    return try #require(root["subcommands"] as? [Object]).filter {
      $0["commandName"] as? String != "help" && $0["shouldDisplay"] as? Bool != false
    }
  }

  /// The long options of a command and of the commands below it, as far as help shows them.
  private static func options(_ command: Object) -> [String] {
    let arguments = (command["arguments"] as? [Object] ?? []).filter {
      $0["shouldDisplay"] as? Bool != false
    }
    let own = arguments.flatMap { argument in
      (argument["names"] as? [Object] ?? []).filter { $0["kind"] as? String == "long" }
        .compactMap { $0["name"] as? String }
    }
    return own + nested(command).flatMap(options)
  }

  private static func nested(_ command: Object) -> [Object] {
    command["subcommands"] as? [Object] ?? []
  }

  private static func name(_ command: Object) throws -> String {
    try #require(command["commandName"] as? String)
  }

  @Test func `pages and completions name every command and every option`() throws {
    let room = try Installation()
    try room.install()
    let share = "usr/local/share"
    let bash = try room.text("\(share)/bash-completion/completions/attest-audit")
    let zsh = try room.text("\(share)/zsh/site-functions/_attest-audit")
    let fish = try room.text("\(share)/fish/vendor_completions.d/attest-audit.fish")
    let first = try room.text("\(share)/man/man1/attest-audit.1")
    let commands = try Self.commands()
    #expect(commands.count >= 4)
    #expect(
      room.files.filter { $0.hasSuffix(".1") }.count == commands.count + 1)
    for command in commands {
      let name = try Self.name(command)
      let page = try room.text("\(share)/man/man1/attest-audit-\(name).1")
      #expect(first.contains(".BR attest\\-audit\\-\(name) (1)"))
      for shell in [bash, zsh, fish] { #expect(shell.contains(name)) }
      let options = Self.options(command)
      #expect(options.count > (name == "audit" ? 25 : 0))
      for child in Self.nested(command) {
        #expect(page.contains("\n.SS \(name) \(try Self.name(child))\n"))
      }
      for option in options {
        let printed = "--\(option)".replacing("-", with: "\\-")
        #expect(page.contains("\\fB\(printed)\\fR"), "\(name) \(option)")
        #expect(bash.contains("--\(option)"), "\(name) \(option)")
        #expect(zsh.contains("--\(option)"), "\(name) \(option)")
        #expect(fish.contains("'\(option)'"), "\(name) \(option)")
      }
      for section in ["SYNOPSIS", "OPTIONS", "EXIT STATUS", "FILES", "SEE ALSO"] {
        #expect(page.contains("\n.SH \(section)\n"), "\(name) \(section)")
      }
    }
    #expect(try room.text("\(share)/man/man1/attest-audit-audit.1").contains(".SH EXAMPLES\n"))
  }

  @Test func `pages and completions are well-formed`() throws {
    let room = try Installation()
    try room.install()
    let folder = "dest/usr/local/share"
    for page in room.files where page.hasSuffix(".1") {
      if Installation.tool("groff") != nil {
        let groff = try room.bash("-c", ["groff -man -ww -Tutf8 -z dest/\(page) 2>&1"])
        #expect(groff == Program.Outcome(status: 0, output: "", errors: ""), "\(page)")
      }
      if Installation.tool("mandoc") != nil {
        let mandoc = try room.bash("-c", ["mandoc -Tlint -Wwarning dest/\(page) 2>&1"])
        #expect(mandoc == Program.Outcome(status: 0, output: "", errors: ""), "\(page)")
      }
    }
    for (shell, file) in [
      ("bash", "bash-completion/completions/attest-audit"),
      ("zsh", "zsh/site-functions/_attest-audit"),
      ("fish", "fish/vendor_completions.d/attest-audit.fish"),
    ] where Installation.tool(shell) != nil {
      let outcome = try room.bash("-c", ["\(shell) -n \(folder)/\(file) 2>&1"])
      #expect(outcome == Program.Outcome(status: 0, output: "", errors: ""), "\(file)")
    }
  }

  /// Runs manual.py beside another manual.txt, on a program that says `dump` of itself.
  private static func manual(_ dump: String, _ text: String) throws -> (Program.Outcome, Scratch) {
    let room = try Installation()
    let script = try String(contentsOfFile: "\(Installation.scripts)/manual.py", encoding: .utf8)
    try room.scratch.write("manual.py", script)
    try room.scratch.write("manual.txt", text)
    try room.scratch.write("dump", dump)
    try room.write(
      "program", "#!/bin/sh\n[ \"$1\" = --version ] && echo x 1 || cat dump\n", mode: 0o755)
    try room.scratch.makeFolder("man")
    return (try room.bash("-c", ["exec python3 -B manual.py ./program man"]), room.scratch)
  }

  private static let odd = #"""
    {"command": {"commandName": "x", "abstract": "Does.", "subcommands": [
      {"commandName": "state", "abstract": ".SH it\n'br \\n \u00e9 --a", "arguments": [
        {"kind": "option", "names": [{"kind": "long", "name": "a-b"}, {"kind": "short", "name": "a"}],
         "valueName": "n", "isOptional": true, "isRepeating": false, "defaultValue": "7",
         "abstract": ".br"},
        {"kind": "flag", "names": [{"kind": "long", "name": "hidden"}], "valueName": "h",
         "isOptional": true, "isRepeating": false, "shouldDisplay": false}],
       "subcommands": [{"commandName": "verify", "abstract": "Looks.", "arguments": [
        {"kind": "positional", "valueName": "folder", "isOptional": false, "isRepeating": true}]}]}]}}
    """#

  @Test func `commands of commands stand on their page, and text cannot become a macro`() throws {
    let (outcome, scratch) = try Self.manual(Self.odd, "[state: EXAMPLES]\n    x state --a-b 1\n")
    #expect(outcome == Program.Outcome(status: 0, output: "x.1\nx-state.1\n", errors: ""))
    let page = String(decoding: try scratch.bytes("man/x-state.1"), as: UTF8.self)
    #expect(page.contains("\n.SS state verify\n\\fBx state verify\\fR \\fIfolder\\fR ...\n"))
    #expect(
      page.contains("\n.TP\n\\fB\\-\\-a\\-b\\fR, \\fB\\-a\\fR \\fIn\\fR\n\\&.br (default: 7)\n"))
    #expect(page.contains("\\&.SH it 'br \\en \\[u00E9] \\-\\-a\n"))
    #expect(page.contains("\nx state \\-\\-a\\-b 1\n"))
    #expect(!page.contains("hidden"))
  }

  @Test(arguments: [
    ("[state: EXAMPLES]\n    x state --a-c 1\n", "manual.txt, EXAMPLES: there is no option --a-c"),
    ("[*: FILES]\n    x stat verify\n", "manual.txt, FILES: there is no command stat"),
    ("[stat: FILES]\ntext\n", "manual.txt, FILES: there is no command stat"),
    ("[state: BUGS]\ntext\n", "manual.txt has a section BUGS"),
  ])
  func `what the program does not have cannot stand in a page`(
    text: String, message: String
  ) throws {
    let (outcome, scratch) = try Self.manual(Self.odd, text)
    #expect(outcome.status == 1)
    #expect(outcome.errors.hasPrefix("manual.py: error: \(message)\nhint: "))
    #expect(try scratch.contents("man") == [])
  }

  @Test(arguments: ["", "[]", "{\"command\": 1}", "{\"command\": {}}", "nonsense"])
  func `a program that describes nothing gets no pages`(dump: String) throws {
    let (outcome, scratch) = try Self.manual(dump, "")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.hasPrefix("manual.py: error: ./program does not describe itself\nhint: "))
    #expect(try scratch.contents("man") == [])
  }
}
