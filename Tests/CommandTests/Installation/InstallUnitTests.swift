import Foundation
import TestSupport
import Testing

/// The systemd units, the crontab and the mail of `pipelines/install/`.
struct InstallUnitTests {
  private static let units = [
    "attest-audit.service", "attest-audit.timer", "attest-audit-mail@.service",
  ]

  /// The settings of a unit: `NAME=value`, comments left out.
  private static func settings(_ unit: String) throws -> [String] {
    try String(contentsOfFile: "\(Installation.scripts)/\(unit)", encoding: .utf8)
      .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
  }

  @Test func `the service is walled in`() throws {
    let settings = try Self.settings("attest-audit.service")
    for setting in [
      "Type=oneshot", "SuccessExitStatus=1", "User=attest-audit", "SupplementaryGroups=adm",
      "StateDirectoryMode=0700", "UMask=0077", "MemoryMax=1536M", "PrivateNetwork=yes",
      "IPAddressDeny=any", "RestrictAddressFamilies=none", "ProtectSystem=strict",
      "NoNewPrivileges=yes", "CapabilityBoundingSet=", "SystemCallFilter=@system-service",
      "MemoryDenyWriteExecute=yes", "ReadWritePaths=-/var/lib/prometheus/node-exporter",
    ] {
      #expect(settings.contains(setting), "\(setting)")
    }
    #expect(Set(settings).count == settings.count)
    let timer = try Self.settings("attest-audit.timer")
    #expect(timer.contains("Persistent=true") && timer.contains("OnCalendar=*-*-* 03:00:00 UTC"))
  }

  @Test func `systemd takes the units, and finds the service safe`() throws {
    guard Installation.tool("systemd-analyze") != nil else { return }
    let room = try Installation()
    let installed = try room.bash(
      "\(Installation.scripts)/install.sh",
      ["--prefix", "\(room.scratch.path)/own", "--systemd", "--binary", Installation.stub])
    #expect(installed.status == 0)
    let folder = "own/lib/systemd/system"
    let verified = try room.bash(
      "-c",
      [
        """
        cd \(folder) && exec systemd-analyze verify --man=no ./attest-audit.service \
        ./attest-audit.timer ./attest-audit-mail@attest-audit.service 2>&1
        """
      ])
    #expect(verified == Program.Outcome(status: 0, output: "", errors: ""))
    let judged = try room.bash(
      "-c", ["systemd-analyze security --offline=true \(folder)/attest-audit.service"])
    let level = judged.output.split(separator: "\n").compactMap { line in
      line.split(separator: "attest-audit.service: ", maxSplits: 1).dropFirst().first
        .flatMap { $0.split(separator: " ").first }.flatMap { Double($0) }
    }
    #expect(level.count == 1)
    #expect(try #require(level.first) <= 1.0, "\(judged.output)")
  }

  // MARK: cron

  /// The command of the only entry of the crontab that was installed.
  private static func cronCommand(_ room: Installation, _ prefix: String) throws -> String {
    let lines = try String(contentsOfFile: "\(prefix)/etc/cron.d/attest-audit", encoding: .utf8)
      .split(separator: "\n").filter { !$0.hasPrefix("#") }
    let entries = lines.filter { !$0.prefix { $0 != " " }.contains("=") }
    #expect(lines.count == entries.count + 2)
    let entry = try #require(entries.first)
    #expect(entries.count == 1)
    let fields = entry.split(separator: " ", maxSplits: 6, omittingEmptySubsequences: true)
    #expect(fields.prefix(6) == ["0", "3", "*", "*", "*", "attest-audit"])
    let command = try #require(fields.last)
    // cron ends a command at the first of these.
    #expect(!command.contains("%"))
    return String(command)
  }

  @Test func `the crontab's command audits with the environment's settings`() throws {
    let room = try Installation()
    let prefix = "\(room.scratch.path)/own"
    let installed = try room.bash(
      "\(Installation.scripts)/install.sh",
      ["--prefix", prefix, "--cron", "--binary", Installation.stub])
    #expect(installed.status == 0)
    let command = try Self.cronCommand(room, prefix)
    let program = "own/bin/attest-audit"
    try room.write(
      program, "#!/bin/sh\necho \"$*\" \"$APP_ID\" \"$LOGS\" \"$(umask)\"; exit 1\n", mode: 0o755)
    try room.scratch.write("own/etc/attest-audit/environment", "APP_ID=A.b\nLOGS=/logs\n")
    let outcome = try room.bash("-c", ["exec sh -c '\(command)'"])
    #expect(
      outcome
        == Program.Outcome(
          status: 1,
          output: "audit --pipeline \(prefix)/etc/attest-audit/nightly.yaml --log-level warning "
            + "A.b /logs 0077\n",
          errors: ""))
    try FileManager.default.removeItem(atPath: "\(room.scratch.path)/\(program)")
    let gone = try room.bash("-c", ["exec sh -c '\(command)'"])
    #expect(gone == Program.Outcome(status: 0, output: "", errors: ""))
  }

  // MARK: mail

  /// A folder with what mail-run calls: `systemctl show` answers with files, mail goes into one.
  private static func mailRoom(
    _ result: String, _ status: String, prints: Bool = true
  ) throws -> Installation {
    let room = try Installation()
    let files = [
      "InvocationID": String(repeating: "0a", count: 16), "Result": result,
      "ExecMainStatus": status,
    ]
    for (name, text) in files { try room.scratch.write("shown/\(name)", text + "\n") }
    try room.write("bin/systemctl", "#!/bin/sh\ncat \"shown/$3\"\n", mode: 0o755)
    try room.write(
      "bin/journalctl",
      "#!/bin/sh\n"
        + (prints ? "[ \"$1\" = --sync ] || echo \"2 findings ($*)\"\n" : ""), mode: 0o755)
    try room.write(
      "bin/sendmail", "#!/bin/sh\necho \"$*\" >arguments; cat >mail\n", mode: 0o755)
    return room
  }

  private static func mail(
    _ room: Installation, _ unit: String = "attest-audit",
    _ environment: [String: String] = [:]
  ) throws -> Program.Outcome {
    try room.bash(
      "\(Installation.scripts)/mail-run", [unit],
      environment: [
        "PATH": "\(room.scratch.path)/bin:/usr/bin:/bin",
        "SENDMAIL": "\(room.scratch.path)/bin/sendmail",
      ].merging(environment) { $1 })
  }

  @Test(arguments: [
    ("success", "1", "findings"), ("exit-code", "2", "audited in part"),
    ("exit-code", "70", "FAILED (exit-code, status 70)"),
    ("oom-kill", "9", "FAILED (oom-kill, status 9)"),
    ("timeout", "0", "FAILED (timeout, status 0)"), ("success", "0", "findings withdrawn"),
  ])
  func `what a run printed is mailed`(result: String, status: String, subject: String) throws {
    let room = try Self.mailRoom(result, status)
    let outcome = try Self.mail(room, "attest-audit.service", ["MAILTO": "a@b.example,c@d.example"])
    #expect(outcome == Program.Outcome(status: 0, output: "", errors: ""))
    let mail = String(decoding: try room.scratch.bytes("mail"), as: UTF8.self)
    let run = String(repeating: "0a", count: 16)
    #expect(mail.hasPrefix("To: a@b.example,c@d.example\nSubject: attest-audit on "))
    let head = mail.split(separator: "\n\n", maxSplits: 1)
    #expect(try #require(head.first).split(separator: "\n")[1].hasSuffix(": \(subject)"))
    #expect(try #require(head.last).hasPrefix("2 findings ("))
    #expect(mail.contains("_SYSTEMD_INVOCATION_ID=\(run) _TRANSPORT=stdout)\n"))
    #expect(try room.scratch.bytes("arguments") == Array("-i -t\n".utf8))
  }

  @Test func `systemd's own word on the run goes before what is asked`() throws {
    let room = try Self.mailRoom("success", "1", prints: false)
    let told = ["MONITOR_SERVICE_RESULT": "success", "MONITOR_EXIT_STATUS": "0"]
    #expect(
      try Self.mail(room, "attest-audit", told)
        == Program.Outcome(status: 0, output: "", errors: ""))
    #expect(try !room.scratch.names.contains("mail"))
  }

  @Test func `a run that found nothing mails nothing`() throws {
    let room = try Self.mailRoom("success", "0", prints: false)
    #expect(try Self.mail(room) == Program.Outcome(status: 0, output: "", errors: ""))
    #expect(try !room.scratch.names.contains("mail"))
  }

  @Test(
    arguments: [
      ("", [:], "no service is named", 64), ("--help", [:], "no service is named", 64),
      ("../x", [:], "no service is named", 64), ("a b", [:], "no service is named", 64),
      (
        "attest-audit", ["MAILTO": "a@b.example\nBcc: c@d.example"], "MAILTO holds no mail address",
        64
      ),
      ("attest-audit", ["MAILTO": "-oQ/tmp"], "MAILTO holds no mail address", 64),
      ("attest-audit", ["MAILTO": "|sh"], "MAILTO holds no mail address", 64),
      ("attest-audit", ["MONITOR_INVOCATION_ID": "x y"], "attest-audit.service has not run", 66),
      ("attest-audit", ["SENDMAIL": "/none"], "there is no /none", 69),
    ] as [(String, [String: String], String, Int32)])
  func `what cannot be mailed is said`(
    unit: String, environment: [String: String], message: String, status: Int32
  ) throws {
    let room = try Self.mailRoom("success", "1")
    let outcome = try Self.mail(room, unit, environment)
    #expect(outcome.status == status)
    #expect(outcome.errors.hasPrefix("mail-run: error: \(message)\nhint: "))
    #expect(try !room.scratch.names.contains("mail"))
  }
}
