import Foundation
import TestSupport
import Testing

/// The content of the Debian package that `pipelines/install/package` makes, and that it is always
/// the same.
///
/// `pipelines/install/try-package` tries its installation, upgrade and removal.
struct PackageTests {
  private static let isPossible =
    Installation.tool("dpkg-deb") != nil && Installation.tool("dpkg-shlibdeps") != nil
  private static let name = "attest-audit_1.2~rc1_"

  /// A package of the same program, made twice: elsewhere, in another time zone, with another umask.
  private static let made = Result {
    let room = try Installation()
    let stub = try room.compiledStub()
    for (folder, before) in [
      ("first", "umask 022; export TZ=UTC"), ("second", "cd /; umask 077; export TZ=Asia/Tokyo"),
    ] {
      let path = room.scratch.path
      let outcome = try room.bash(
        "-c",
        [
          """
          \(before); exec '\(Installation.scripts)/package' --binary '\(path)/\(stub)' \
          --out '\(path)/\(folder)' --version 1.2~rc1
          """
        ], environment: Installation.toolchain)
      #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
    }
    let package = try #require(try room.scratch.contents("first").first)
    #expect(try room.scratch.contents("first") == [package])
    #expect(package.hasPrefix(name) && package.hasSuffix(".deb"))
    return (room: room, package: package)
  }

  /// Returns the lines that dpkg-deb prints about the package.
  private static func say(_ command: String) throws -> [String] {
    let (room, package) = try made.get()
    let outcome = try room.bash(
      "-c", ["export TZ=UTC; exec dpkg-deb \(command.replacing("DEB", with: package))"])
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
    return outcome.output.split(separator: "\n").map(String.init)
  }

  @Test(.enabled(if: isPossible, "there is no dpkg-dev"))
  func `two packages of one commit have the same bytes`() throws {
    let (room, package) = try Self.made.get()
    let bytes = try room.scratch.bytes("first/\(package)")
    #expect(bytes.count > 10_000)
    #expect(try room.scratch.bytes("second/\(package)") == bytes)
  }

  @Test(.enabled(if: isPossible, "there is no dpkg-dev"))
  func `a package has what is installed, and what Debian wants beside it`() throws {
    let listed = try Self.say("--contents first/DEB").map { line in
      line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
    }
    for line in listed {
      #expect(line.count == 6 && line[1] == "root/root" && line[3] == "2023-11-14", "\(line)")
    }
    let files = listed.filter { !$0[5].hasSuffix("/") }
    let room = try Installation()
    try room.install("--prefix", "/usr")
    let manifest = "usr/share/attest-audit/install.manifest"
    let installed = room.files.filter { $0 != manifest }.map {
      $0.hasSuffix(".1") ? "./\($0).gz" : "./\($0)"
    }
    let own = ["attest-audit.cdx.json", "changelog.gz", "copyright"].map {
      "./usr/share/doc/attest-audit/\($0)"
    }
    let overrides = "./usr/share/lintian/overrides/attest-audit"
    #expect(Set(files.map { $0[5] }) == Set(installed + own + [overrides]))
    #expect(installed.contains("./usr/share/zsh/vendor-completions/_attest-audit"))
    for file in files {
      let isRun =
        file[5] == "./usr/bin/attest-audit"
        || file[5].hasPrefix("./usr/lib/attest-audit/") && !file[5].hasSuffix(".sh")
      #expect(file[0] == (isRun ? "-rwxr-xr-x" : "-rw-r--r--"), "\(file)")
    }
  }

  @Test(.enabled(if: isPossible, "there is no dpkg-dev"))
  func `the control file says what is needed`() throws {
    let fields = try Self.say("--field first/DEB")
    for field in [
      "Package: attest-audit", "Version: 1.2~rc1", "Section: admin",
      "Maintainer: attest-audit maintainers <attest-audit@packages.invalid>",
    ] {
      #expect(fields.contains(field), "\(field)")
    }
    let depends = try #require(fields.first { $0.hasPrefix("Depends: ") })
    #expect(depends.contains("libc6 (>= ") && depends.contains("libzstd1 (>= "))
    #expect(depends.hasSuffix(", systemd | systemd-standalone-sysusers | systemd-sysusers"))
    #expect(!fields.contains { $0.contains("@") && !$0.hasPrefix("Maintainer: ") })
    let size = try #require(fields.first { $0.hasPrefix("Installed-Size: ") })
    #expect(try #require(Int(size.dropFirst("Installed-Size: ".count))) > 500)
  }

  @Test(.enabled(if: isPossible, "there is no dpkg-dev"))
  func `all configuration is listed as such, and all sums hold`() throws {
    _ = try Self.say("--raw-extract first/DEB raw")
    let (room, _) = try Self.made.get()
    let etc = room.tree("raw/etc").filter { $0.contains("/") }.map { "/etc/\($0)" }
    #expect(etc == ["/etc/attest-audit/environment", "/etc/attest-audit/nightly.yaml"])
    #expect(try room.scratch.text("raw/DEBIAN/conffiles") == etc.map { $0 + "\n" }.joined())
    let sums = try room.bash("-c", ["cd raw && exec md5sum --quiet -c DEBIAN/md5sums 2>&1"])
    #expect(sums == Program.Outcome(status: 0, output: "", errors: ""))
    let unit = try room.scratch.text("raw/usr/lib/systemd/system/attest-audit.service")
    #expect(unit.contains("\nExecStart=/usr/bin/attest-audit audit "))
    let copyright = try room.scratch.text("raw/usr/share/doc/attest-audit/copyright")
    for name in ["yams", "libyaml", "grdb.swift", "swift-argument-parser", "swift-log", "swift"] {
      #expect(copyright.contains("\nFiles: \(name)/*\nCopyright: "), "\(name)")
    }
    // No field is without text, and no licence is named that is not there.
    for line in copyright.split(separator: "\n") where line.hasPrefix("License: ") {
      let paragraph = "\n\(line)\n "
      #expect(copyright.contains(paragraph), "\(line)")
    }
  }

  @Test(.enabled(if: isPossible, "there is no dpkg-dev"))
  func `the package's scripts are well-formed and delete nothing themselves`() throws {
    let room = try Installation()
    for script in ["postinst", "prerm", "postrm"] {
      let path = "\(Installation.scripts)/debian/\(script)"
      #expect(try room.bash("-c", ["exec sh -n '\(path)' 2>&1"]).output == "")
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.hasPrefix("#!/bin/sh\n") && text.contains("\nset -e\n"))
      let commands = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(
        separator: "\n")
      for word in ["rm -", "deluser", "userdel", "/var/lib", "start attest-audit.service"] {
        #expect(!commands.contains(word), "\(script): \(word)")
      }
      if Installation.tool("shellcheck") != nil {
        #expect(try room.bash("-c", ["exec shellcheck '\(path)' 2>&1"]).output == "")
      }
    }
  }

  @Test(
    arguments: [
      (["--nonsense"], "unknown option --nonsense", 64), (["--out"], "--out has no value", 64),
      (["--maintainer", "somebody"], "--maintainer somebody is no name with an address", 64),
      (
        ["--maintainer", "A\nDepends: b <c@d.example>"],
        "--maintainer A\nDepends: b <c@d.example> is no name with an address", 64
      ),
      (["--version", "1-2"], "1-2 is no version of a Debian package", 64),
      (["--version", "../1"], "../1 is no version of a Debian package", 64),
    ] as [([String], String, Int32)])
  func `what cannot be packed is said`(
    arguments: [String], message: String, status: Int32
  ) throws {
    guard Self.isPossible else { return }
    let room = try Installation()
    let outcome = try room.bash(
      "\(Installation.scripts)/package", ["--out", "packages"] + arguments)
    #expect(outcome.status == status)
    #expect(outcome.errors.hasPrefix("package: error: \(message)\nhint: "), "\(outcome.errors)")
    #expect(try room.scratch.names == ["bin"])
  }

  @Test func `a program with libraries that Debian does not have is not packed`() throws {
    guard Self.isPossible else { return }
    let room = try Installation()
    let known = try room.bash("\(Installation.scripts)/depends", ["--foreign", Program.path])
    guard known.output.contains("libswiftCore.so\n") else { return }
    let outcome = try room.bash("\(Installation.scripts)/depends", [Program.path])
    #expect(outcome.status == 65 && outcome.output == "")
    #expect(outcome.errors.hasPrefix("depends: error: \(Program.path) needs lib"))
    #expect(outcome.errors.contains(", which is of no Debian package\nhint: "))
  }
}
