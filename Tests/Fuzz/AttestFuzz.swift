import CFuzzer
import Foundation

/// `attest-fuzz NAME [FLAG…] [FOLDER…]` runs libFuzzer on one target, with libFuzzer's own flags.
/// `--list` prints the names, `--seeds FOLDER NAME` writes the inputs that the target begins with.
@main
enum AttestFuzz {
  private static let targets: [any (FuzzTarget & SendableMetatype).Type] = [
    RecordTarget.self, InitTarget.self, CBORTarget.self, AttestationTarget.self,
    ReceiptTarget.self, SignatureTarget.self, ZstdTarget.self, GzipTarget.self,
    PipelineTarget.self, SchemaTarget.self, KnownKeysTarget.self, StateRowsTarget.self,
    SegmentTarget.self, KernelP256Target.self, KernelP384Target.self, JudgesTarget.self,
    TokenSearchTarget.self, AuditTarget.self,
  ]

  /// The target that runs; set once, before libFuzzer's loop, which has one thread.
  nonisolated(unsafe) private static var target: (any FuzzTarget)?

  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "--list":
      for target in targets { print(target.name) }
    case "--seeds" where arguments.count == 3:
      try writeSeeds(of: find(arguments[2]), to: arguments[1])
    case let name?:
      unsafe target = try find(name).init()
      exit(run(Array(arguments.dropFirst()), limit: find(name).limit))
    case nil: stop("no target is named")
    }
  }

  private static func find(_ name: String) -> any FuzzTarget.Type {
    guard let target = targets.first(where: { $0.name == name }) else {
      stop("no target is called '\(name)'")
    }
    return target
  }

  private static func stop(_ text: String) -> Never {
    let names = targets.map { $0.name }.joined(separator: ", ")
    FileHandle.standardError.write(
      Data("attest-fuzz: error: \(text)\nhint: use one of: \(names)\n".utf8))
    exit(64)
  }

  private static func writeSeeds(of target: any FuzzTarget.Type, to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (index, seed) in try target.seeds().enumerated() {
      try Data(seed).write(to: URL(filePath: "\(folder)/seed-\(index)"))
    }
  }

  /// Runs libFuzzer's loop: its exit status.
  private static func run(_ flags: [String], limit: Int) -> Int32 {
    let texts = ["attest-fuzz", "-max_len=\(limit)"] + flags
    var count = Int32(texts.count)
    // They stay until the process ends.
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
      .allocate(capacity: texts.count + 1)
    for (index, text) in texts.enumerated() { unsafe arguments?[index] = strdup(text) }
    unsafe arguments?[texts.count] = nil
    return unsafe LLVMFuzzerRunDriver(&count, &arguments) { start, count in
      let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
      do { unsafe try AttestFuzz.target?.run(bytes) } catch { fail("\(error)") }
      return 0
    }
  }
}
