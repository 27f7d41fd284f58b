import Foundation
import TestSupport
import Testing

/// `pipelines/install/install.sh`: what it installs, what it leaves alone, what it removes.
struct InstallTests {
  private static let nightly = "etc/attest-audit/nightly.yaml"
  private static let manifest = "usr/local/share/attest-audit/install.manifest"
  private static let program = "usr/local/bin/attest-audit"

  @Test func `the scripts are well-formed`() throws {
    let room = try Installation()
    let scripts =
      [
        "setup", "test", "demo", "install/build", "install/depends", "install/install.sh",
        "install/mail-run", "install/package", "install/try-package", "notify/slack",
        "notify/splunk", "notify/syslog",
      ]
      .map { "\(Repository.root)/pipelines/\($0)" }
    for script in scripts {
      #expect(FileManager.default.isExecutableFile(atPath: script))
      let outcome = try room.bash("-n", [script])
      #expect(outcome == Program.Outcome(status: 0, output: "", errors: ""), "\(script)")
      let text = try String(contentsOfFile: script, encoding: .utf8)
      #expect(text.contains("\nset -euo pipefail\n") || text.contains("/common.sh\"\n"))
      guard Installation.tool("shellcheck") != nil else { continue }
      let checked = try room.bash(
        "-c", ["exec shellcheck -x -P SCRIPTDIR --severity=warning '\(script)' 2>&1"])
      #expect(checked == Program.Outcome(status: 0, output: "", errors: ""), "\(script)")
    }
  }

  @Test func `an installation has all there is, and writes nowhere else`() throws {
    let room = try Installation()
    let before = try room.scratch.names
    let output = try room.install("--cron")
    let pages = ["", "-audit", "-check", "-diff", "-init", "-report", "-timeline"].map {
      "usr/local/share/man/man1/attest-audit\($0).1"
    }
    let others = [
      Self.nightly, Self.manifest, Self.program, "etc/attest-audit/environment",
      "etc/cron.d/attest-audit", "usr/local/lib/attest-audit/mail-run",
      "usr/local/lib/systemd/system/attest-audit.service",
      "usr/local/lib/systemd/system/attest-audit.timer",
      "usr/local/lib/systemd/system/attest-audit-mail@.service",
      "usr/local/lib/systemd/system/attest-audit-notify@.service",
      "usr/local/lib/attest-audit/notify/slack",
      "usr/local/share/attest-audit/pipelines/queries/first-seen.sql",
      "usr/local/lib/sysusers.d/attest-audit.conf",
      "usr/local/share/attest-audit/pipelines/nightly.yaml",
      "usr/local/share/attest-audit/pipelines/schemas/nginx-json.yaml",
      "usr/local/share/attest-audit/pipelines/schemas/json/pipeline.schema.json",
      "usr/local/share/bash-completion/completions/attest-audit",
      "usr/local/share/doc/attest-audit/README.md",
      "usr/local/share/doc/attest-audit/EveryNight.md",
      "usr/local/share/doc/attest-audit/report.png",
      "usr/local/share/doc/attest-audit/crontab.example",
      "usr/local/share/doc/attest-audit/logrotate.conf",
      "usr/local/share/fish/vendor_completions.d/attest-audit.fish",
      "usr/local/share/zsh/site-functions/_attest-audit",
    ]
    let files = room.files
    #expect(Set(pages + others).subtracting(files) == [])
    for file in files where file != Self.manifest {
      #expect(try !room.scratch.bytes("dest/\(file)").isEmpty, "\(file)")
      #expect(output.contains("\n  \(room.destination)/\(file)\n"), "\(file)")
      let mode = try FileManager.default.attributesOfItem(atPath: "\(room.destination)/\(file)")
      let expected =
        file == Self.program
        || file.hasPrefix("usr/local/lib/attest-audit/") && !file.hasSuffix(".sh")
      #expect(mode[.posixPermissions] as? Int == (expected ? 0o755 : 0o644), "\(file)")
    }
    #expect(try room.scratch.names == (before + ["dest"]).sorted())
  }

  @Test func `the program itself is installed, and runs`() throws {
    let room = try Installation()
    let outcome = try room.bash(
      "\(Installation.scripts)/install.sh",
      ["--prefix", "\(room.scratch.path)/own", "--binary", Program.path])
    #expect(outcome.status == 0)
    #expect(room.tree("own").contains("etc/attest-audit/nightly.yaml"))
    #expect(!room.tree("own").contains { $0.contains("systemd") || $0.contains("cron.d") })
    let installed = "\(room.scratch.path)/own/bin/attest-audit"
    #expect(FileManager.default.contentsEqual(atPath: installed, andPath: Program.path))
    let removed = try room.installer("--prefix", "\(room.scratch.path)/own", "--uninstall")
    #expect(removed.status == 0)
    #expect(room.tree("own") == [])
  }

  @Test func `installing twice changes nothing, and removing leaves nothing`() throws {
    let room = try Installation()
    try room.install("--cron")
    let tree = room.tree()
    let bytes = try room.files.map { try room.scratch.bytes("dest/\($0)") }
    try room.install("--cron")
    #expect(room.tree() == tree)
    #expect(try room.files.map { try room.scratch.bytes("dest/\($0)") } == bytes)
    #expect(try room.uninstall() == "removed attest-audit from \(room.destination)/usr/local\n")
    #expect(room.tree() == [])
  }

  @Test func `what a later installation no longer has goes`() throws {
    let room = try Installation()
    try room.install("--cron")
    try room.install("--no-systemd")
    #expect(!room.tree().contains { $0.contains("systemd") || $0.contains("cron.d") })
    #expect(!room.tree().contains { $0.contains("mail-run") || $0.contains("sysusers") })
    #expect(try room.uninstall().split(separator: "\n").count == 1)
    #expect(room.tree() == [])
  }

  @Test func `edited configuration, state and reports stay until they are purged`() throws {
    let room = try Installation()
    try room.install()
    try room.append("# ours\n", to: Self.nightly)
    let edited = try room.text(Self.nightly)
    try room.scratch.write("dest/var/lib/attest-audit/reports/2026-03-01/summary.json", "{}")
    let again = try room.install()
    #expect(again.contains("kept \(room.destination)/\(Self.nightly), which is not as"))
    #expect(try room.text(Self.nightly) == edited)
    #expect(
      try room.uninstall() == """
        removed attest-audit from \(room.destination)/usr/local
        kept \(room.destination)/\(Self.nightly)
        kept \(room.destination)/var/lib/attest-audit

        """)
    #expect(
      room.files == [Self.nightly, "var/lib/attest-audit/reports/2026-03-01/summary.json"])

    try FileManager.default.removeItem(atPath: "\(room.destination)/\(Self.nightly)")
    try room.install()
    try room.append("# ours\n", to: Self.nightly)
    _ = try room.uninstall("--purge")
    #expect(room.files == [])
    #expect(!room.tree().contains("var/lib/attest-audit"))
  }

  @Test func `configuration of somebody else is never touched`() throws {
    let room = try Installation()
    try room.scratch.write("dest/\(Self.nightly)", "version: 1\n")
    try room.scratch.write("dest/etc/other", "")
    #expect(try room.install().contains("kept \(room.destination)/\(Self.nightly)"))
    _ = try room.uninstall("--purge")
    #expect(room.files == [Self.nightly, "etc/other"])
    #expect(try room.text(Self.nightly) == "version: 1\n")
  }

  @Test func `unedited configuration follows the version`() throws {
    let room = try Installation()
    try room.install()
    let shipped = try room.text(Self.nightly)
    let old = Array("version: 1\n# of an earlier version\n".utf8)
    try room.scratch.write("dest/\(Self.nightly)", old)
    let line = try #require(
      try room.text(Self.manifest).split(separator: "\n").first { $0.hasSuffix(Self.nightly) })
    let sum = try room.bash("-c", ["sha256sum dest/\(Self.nightly) | cut -d ' ' -f 1"]).output
      .trimmingCharacters(in: .newlines)
    try room.scratch.write(
      "dest/\(Self.manifest)",
      try room.text(Self.manifest).replacing(line, with: "config \(sum) /\(Self.nightly)"))
    #expect(try !room.install().contains("kept"))
    #expect(try room.text(Self.nightly) == shipped)
  }

  @Test func `what others put beside it stays, and what they put in its place`() throws {
    let room = try Installation()
    try room.install()
    try room.scratch.write("dest/usr/local/share/attest-audit/pipelines/own.yaml", "version: 1\n")
    try FileManager.default.removeItem(atPath: "\(room.destination)/\(Self.program)")
    try room.scratch.write("dest/\(Self.program)", "another program\n")
    #expect(try room.uninstall().contains("kept \(room.destination)/\(Self.program)\n"))
    #expect(
      room.files == [Self.program, "usr/local/share/attest-audit/pipelines/own.yaml"])
  }

  @Test func `everything says the prefix it was installed with`() throws {
    let room = try Installation()
    try room.install("--prefix", "/opt/audit-1", "--systemd", "--cron")
    #expect(Set(room.files.map { $0.prefix(12) }) == ["opt/audit-1/"])
    let texts = room.files.filter { $0.contains("/systemd/") || $0.contains("/etc/cron.d") }
    #expect(texts.count == 5)
    for file in texts + room.files.filter({ $0.hasSuffix(".1") }) {
      let text = try room.text(file)
      #expect(!text.contains("/usr/local"), "\(file)")
      #expect(
        !text.replacing("/opt/audit-1/etc/", with: "").contains("/etc/"), "\(file)")
    }
    #expect(
      try room.text("opt/audit-1/lib/systemd/system/attest-audit.service").contains(
        """
        ExecStart=/opt/audit-1/bin/attest-audit audit --pipeline \
        /opt/audit-1/etc/attest-audit/nightly.yaml
        """))
  }

  @Test(arguments: [
    (["--prefxi", "/opt"], "unknown option --prefxi", "install.sh --help lists them", 64),
    (["--prefix"], "--prefix has no value", "--prefix PATH", 64),
    (["--destdir="], "--destdir has no value", "--destdir PATH", 64),
    (["--purge"], "--purge removes", "--uninstall --purge", 64),
    (
      ["--prefix", "opt"], "--prefix opt is no absolute path of letters, digits and . _ + -",
      "--prefix /usr/local", 64
    ),
    (
      ["--prefix", "/"], "--prefix / is no absolute path of letters, digits and . _ + -",
      "--prefix /usr/local", 64
    ),
    (
      ["--prefix", "/opt/../etc"],
      "--prefix /opt/../etc is no absolute path of letters, digits and . _ + -",
      "--prefix /usr/local", 64
    ),
    (
      ["--sysconfdir", "/e|g;w x"],
      "--sysconfdir /e|g;w x is no absolute path of letters, digits and . _ + -",
      "--sysconfdir /usr/local", 64
    ),
    (["--binary", "none"], "none is no program", "--binary FILE", 66),
    (
      ["--binary", "/bin/true"], "/bin/true does not say that it is attest-audit",
      "/bin/true --version", 65
    ),
  ])
  func `what cannot be done is said, and nothing is written`(
    arguments: [String], message: String, hint: String, status: Int32
  ) throws {
    let room = try Installation()
    let outcome = try room.bash(
      "\(Installation.scripts)/install.sh", ["--destdir", "dest"] + arguments)
    #expect(
      outcome
        == Program.Outcome(
          status: status, output: "",
          errors: "install.sh: error: \(message)\nhint: \(hint)\n"))
    #expect(try room.scratch.names == ["bin"])
  }

  @Test func `a program that does not describe itself is not installed`() throws {
    let room = try Installation()
    try room.write(
      Installation.stub, "#!/bin/sh\n[ \"$1\" = --version ] && echo attest-audit 1.0\n", mode: 0o755
    )
    let outcome = try room.installer("--destdir", "dest", "--binary", Installation.stub)
    #expect(outcome.status == 70)
    #expect(outcome.errors.hasPrefix("install.sh: error: "))
    #expect(try room.scratch.names == ["bin"])
  }

  @Test func `only what was installed is removed`() throws {
    let room = try Installation()
    try room.scratch.write("dest/\(Self.program)", "another program\n")
    let none = try room.installer("--destdir", "dest", "--uninstall", "--purge")
    #expect(none.status == 66)
    #expect(none.errors.hasPrefix("install.sh: error: nothing is installed: there is no "))
    try room.scratch.write("dest/\(Self.manifest)", "attest-audit install manifest 2\n")
    #expect(try room.installer("--destdir", "dest", "--uninstall").status == 70)
    try room.scratch.write("dest/\(Self.manifest)", "attest-audit install manifest 1\nall /\n")
    #expect(try room.installer("--destdir", "dest", "--uninstall").status == 70)
    #expect(room.files == [Self.program, Self.manifest])
  }
}
