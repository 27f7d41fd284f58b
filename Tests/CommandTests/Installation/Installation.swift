import Foundation
import TestSupport
import Testing

/// A folder to install into by `pipelines/install/install.sh`, and the program that is installed.
struct Installation {
  let scratch: Scratch
  /// Stands for the built program and calls it: small, so that installing takes no time.
  static let stub = "bin/attest-audit"

  static var scripts: String { "\(Repository.root)/pipelines/install" }

  init() throws {
    scratch = try Scratch()
    try write(Self.stub, "#!/bin/sh\nexec '\(Program.path)' \"$@\"\n", mode: 0o755)
  }

  var destination: String { "\(scratch.path)/dest" }

  func write(_ name: String, _ text: String, mode: Int) throws {
    let path = try scratch.write(name, text)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  /// Runs a script with `bash`; the built program is in the environment as `$PROGRAM`.
  func bash(
    _ script: String, _ arguments: [String] = [], environment: [String: String] = [:]
  ) throws -> Program.Outcome {
    try Program.run(
      arguments, in: scratch.path,
      environment: environment.merging(["SOURCE_DATE_EPOCH": "1700000000"]) { given, _ in given },
      shell: "PROGRAM=$1; export PROGRAM; shift; exec bash '\(script)' \"$@\"")
  }

  /// Makes a program of machine code that stands for the built one and calls it: linked to a library of
  /// Debian's, as a package wants it. Returns its name.
  func compiledStub() throws -> String {
    let name = "compiled/attest-audit"
    try scratch.write(
      "compiled/main.c",
      """
      #include <unistd.h>
      int main(int count, char **words) { return count + execv("\(Program.path)", words); }

      """)
    let outcome = try bash(
      "-c",
      [
        """
        cc=$(command -v cc || command -v clang) && cd compiled && exec "$cc" -o attest-audit main.c \
        -Wl,--build-id=sha1 -Wl,--no-as-needed -l:libzstd.so.1
        """
      ], environment: Self.toolchain)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return name
  }

  /// The environment in which Swift and the compilers of C are found.
  static var toolchain: [String: String] {
    ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
  }

  /// Runs the installer as it is called.
  func installer(_ arguments: String...) throws -> Program.Outcome {
    try bash("\(Self.scripts)/install.sh", arguments)
  }

  /// Installs into `dest`, with the units unless `arguments` say otherwise: what was printed.
  @discardableResult
  func install(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let outcome = try bash(
      "\(Self.scripts)/install.sh", ["--destdir", "dest", "--binary", Self.stub] + arguments)
    #expect(outcome.status == 0, sourceLocation: sourceLocation)
    #expect(outcome.errors == "", sourceLocation: sourceLocation)
    return outcome.output
  }

  /// Removes from `dest`: what was printed.
  func uninstall(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let outcome = try bash(
      "\(Self.scripts)/install.sh", ["--destdir", "dest", "--uninstall"] + arguments)
    #expect(outcome.status == 0, sourceLocation: sourceLocation)
    #expect(outcome.errors == "", sourceLocation: sourceLocation)
    return outcome.output
  }

  /// Everything in a folder, folders too, by path.
  func tree(_ folder: String = "dest") -> [String] {
    ((try? FileManager.default.subpathsOfDirectory(atPath: "\(scratch.path)/\(folder)")) ?? [])
      .sorted()
  }

  /// The files of `dest` alone.
  var files: [String] {
    tree().filter { name in
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(destination)/\(name)")
      return attributes?[.type] as? FileAttributeType != .typeDirectory
    }
  }

  func text(_ name: String) throws -> String {
    String(decoding: try scratch.bytes("dest/\(name)"), as: UTF8.self)
  }

  func append(_ text: String, to name: String) throws {
    try scratch.write("dest/\(name)", try scratch.bytes("dest/\(name)") + Array(text.utf8))
  }

  /// The first of these programs that is on this machine; says so where none is.
  static func tool(_ names: String...) -> String? {
    let paths = names.flatMap { ["/usr/bin/\($0)", "/bin/\($0)"] }
    let path = paths.first { FileManager.default.isExecutableFile(atPath: $0) }
    if path == nil { print("skipped in part: there is no \(names.joined(separator: " or "))") }
    return path
  }
}
