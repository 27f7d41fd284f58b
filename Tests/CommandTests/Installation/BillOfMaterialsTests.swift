import Foundation
import TestSupport
import Testing

/// `pipelines/bill-of-materials`: what the program is made of, as CycloneDX has it.
struct BillOfMaterialsTests {
  private typealias Object = [String: Any]
  private static let isPossible = Installation.tool("dpkg-shlibdeps") != nil
  private static let script = "\(Repository.root)/pipelines/bill-of-materials"

  /// Lists what the compiled stand-in is made of.
  private static func run(
    _ room: Installation, _ arguments: [String] = [], epoch: String = "1700000000",
    script: String = script
  ) throws -> Program.Outcome {
    try room.bash(
      "-c", ["exec \"$@\"", "sh", script] + arguments,
      environment: Installation.toolchain.merging(["SOURCE_DATE_EPOCH": epoch]) { $1 })
  }

  private static func bill(epoch: String = "1700000000") throws -> String {
    let room = try Installation()
    let outcome = try run(room, [try room.compiledStub()], epoch: epoch)
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
    return outcome.output
  }

  private static let made = Result { try bill() }

  private static func object(_ text: String) throws -> Object {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? Object)
  }

  @Test(.enabled(if: isPossible, "there is no dpkg-dev"))
  func `a bill is valid CycloneDX`() throws {
    let verdicts = try JSONSchemas.judge(
      [.init("cyclonedx-1.5", .json, try Self.made.get())], folder: Repository.root + "/testdata")
    #expect(verdicts.map(\.documents) == [1] && verdicts.map(\.errors) == [[]])
  }

  @Test(.enabled(if: isPossible, "there is no dpkg-dev"))
  func `names are unique, and everything that is depended on is listed`() throws {
    let bill = try Self.object(try Self.made.get())
    let components = try #require(bill["components"] as? [Object])
    let names = components.compactMap { $0["bom-ref"] as? String }
    #expect(names.count == components.count && Set(names).count == names.count)
    let metadata = try #require(bill["metadata"] as? Object)
    let own = try #require((metadata["component"] as? Object)?["bom-ref"] as? String)
    let dependencies = try #require(bill["dependencies"] as? [Object])
    #expect(dependencies.compactMap { $0["ref"] as? String } == [own] + names)
    let below = dependencies.flatMap { $0["dependsOn"] as? [String] ?? [] }
    #expect(Set(below) == Set(names) && below.count == names.count)
  }

  @Test(.enabled(if: isPossible, "there is no dpkg-dev"))
  func `every Swift package, what it brings, and every library is named`() throws {
    let text = try Self.made.get()
    let package = try String(contentsOfFile: "\(Repository.root)/Package.swift", encoding: .utf8)
    let pins = package.matches(of: #/url: "https:\/\/([^"]+)", exact: "([^"]+)"/#)
    #expect(pins.count >= 4)
    for pin in pins {
      #expect(text.contains("\"purl\": \"pkg:swift/\(pin.1)@\(pin.2)\""), "\(pin.1)")
    }
    let room = try Installation()
    let zstd = try room.bash("-c", ["dpkg-query -W -f '${Version}' libzstd1"]).output
    for purl in [
      "pkg:github/yaml/libyaml@", "pkg:github/swiftlang/swift@", "pkg:deb/debian/libc6@",
      "pkg:deb/debian/libzstd1@\(zstd.replacing("+", with: "%2B"))?",
    ] {
      #expect(text.contains("\"purl\": \"\(purl)"), "\(purl)")
    }
    // The stand-in contains no Foundation, and the bill lists what lies in the program.
    #expect(!text.contains("swift-foundation") && !text.contains("unicode-org"))
  }

  @Test(.enabled(if: isPossible, "there is no dpkg-dev"))
  func `it is always the same, and another time makes another number`() throws {
    let first = try Self.made.get()
    #expect(first.contains("\"timestamp\": \"2023-11-14T22:13:20Z\""))
    let other = try Self.bill(epoch: "1700000001")
    #expect(other.contains("\"timestamp\": \"2023-11-14T22:13:21Z\""))
    let serials = try [first, other].map {
      try #require(Self.object($0)["serialNumber"] as? String)
    }
    #expect(Set(serials).count == 2)
    let room = try Installation()
    let stub = try room.compiledStub()
    let twice = try (0..<2).map { _ in try Self.run(room, [stub]).output }
    #expect(twice[0] == twice[1] && twice[0].count > 1000)
  }

  @Test(.enabled(if: isPossible, "there is no dpkg-dev"))
  func `what a package depends on is listed, installed or not`() throws {
    let room = try Installation()
    let depends = "libzstd1 (>= 1.5.2), none-such | libc6, zlib1g (>= 1:1.2)"
    let outcome = try Self.run(room, ["--depends", depends, try room.compiledStub()])
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
    let purls = try #require(try Self.object(outcome.output)["components"] as? [Object])
      .compactMap { $0["purl"] as? String }.filter { $0.hasPrefix("pkg:deb/") }
    #expect(
      purls.map { $0.prefix { $0 != "@" && $0 != "?" } } == [
        "pkg:deb/debian/libzstd1", "pkg:deb/debian/none-such", "pkg:deb/debian/zlib1g",
      ])
    #expect(purls.filter { $0.contains("@") }.count == 2)
  }

  // MARK: What is refused

  /// The sources that the program was built from, in the build's own folder.
  private static let checkouts: String = {
    var folder = URL(filePath: Program.path).deletingLastPathComponent()
    while folder.pathComponents.count > 1 {
      let path = folder.appending(path: "checkouts").path
      if FileManager.default.fileExists(atPath: path) { return path }
      folder.deleteLastPathComponent()
    }
    return "\(Repository.root)/.build/checkouts"
  }()

  /// Runs the script in a checkout of its own, whose Package.resolved is `change` of this one's.
  private static func changed(_ change: (String) -> String) throws -> Program.Outcome {
    let room = try Installation()
    try room.scratch.link("Package.swift", to: "\(Repository.root)/Package.swift")
    let resolved = try String(
      contentsOfFile: "\(Repository.root)/Package.resolved", encoding: .utf8)
    try room.scratch.write("Package.resolved", change(resolved))
    let text = try String(contentsOfFile: script, encoding: .utf8)
    try room.write("pipelines/bill-of-materials", text, mode: 0o755)
    return try run(
      room, ["--checkouts", checkouts, Installation.stub],
      script: "\(room.scratch.path)/pipelines/bill-of-materials")
  }

  @Test(arguments: [
    (
      "\"version\" : \"6.2.2\"", "\"version\" : \"6.2.1\"",
      "Package.resolved is not what Package.swift names: yams"
    ),
    (
      "\"revision\" : \"473e", "\"revision\" : \"0000",
      "the sources of Yams 6.2.2 are not checked out"
    ),
    ("jpsim/Yams\"", "jpsim/yams-fork\"", "the sources of yams-fork 6.2.2 are not checked out"),
    ("\"pins\"", "\"pans\"", "Package.resolved is damaged"),
    ("\"state\"", "\"stata\"", "Package.resolved is damaged"),
    ("{", "", "Package.resolved is damaged"),
    ("\"pins\" : [", "\"pins\" : [7,", "Package.resolved is damaged"),
  ])
  func `sources that are not the resolved ones are refused`(
    from: String, to: String, message: String
  ) throws {
    let outcome = try Self.changed { $0.replacing(from, with: to) }
    #expect(outcome.status >= 65 && outcome.output == "")
    #expect(
      outcome.errors.hasPrefix("bill-of-materials: error: \(message)"), "\(outcome.errors)")
    #expect(outcome.errors.contains("\nhint: "))
  }

  @Test(
    arguments: [
      ("none", "there is no program none", 66), ("bin", "there is no program bin", 66),
      ("other", "other does not say that it is attest-audit", 65),
    ] as [(String, String, Int32)])
  func `only the program itself is listed`(name: String, message: String, status: Int32) throws {
    let room = try Installation()
    try room.write("other", "#!/bin/sh\necho other 1.0\n", mode: 0o755)
    let outcome = try Self.run(room, [name])
    #expect(outcome.status == status && outcome.output == "")
    #expect(
      outcome.errors.hasPrefix("bill-of-materials: error: \(message)\nhint: "), "\(outcome.errors)")
  }
}
