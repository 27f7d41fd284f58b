import CFuzzer
import Foundation

/// `attest-fuzz NAME [FLAG…] [FOLDER…]` runs libFuzzer on one target, with libFuzzer's own flags.
/// `--list` prints the names, `--seeds FOLDER NAME` writes the inputs that the target begins with.
@main
enum AttestFuzz {
  /// The target that runs; set once, before libFuzzer's loop, which has one thread.
  nonisolated(unsafe) private static var run: FuzzTarget.Run?

  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "--list":
      for target in FuzzTarget.all { print(target.name) }
    case "--seeds" where arguments.count == 3:
      try writeSeeds(of: find(arguments[2]), to: arguments[1])
    case let name?:
      unsafe run = try find(name).prepare()
      exit(loop(Array(arguments.dropFirst()), limit: find(name).limit))
    case nil: stop("no target is named")
    }
  }

  private static func find(_ name: String) -> FuzzTarget {
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
      stop("no target is called '\(name)'")
    }
    return target
  }

  private static func stop(_ text: String) -> Never {
    let names = FuzzTarget.all.map(\.name).joined(separator: ", ")
    FileHandle.standardError.write(
      Data("attest-fuzz: error: \(text)\nhint: use one of: \(names)\n".utf8))
    exit(64)
  }

  private static func writeSeeds(of target: FuzzTarget, to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (index, seed) in try target.seeds().enumerated() {
      try Data(seed).write(to: URL(filePath: "\(folder)/seed-\(index)"))
    }
  }

  /// Runs libFuzzer's loop: its exit status.
  private static func loop(_ flags: [String], limit: Int) -> Int32 {
    let texts = ["attest-fuzz", "-max_len=\(limit)"] + flags
    var count = Int32(texts.count)
    // They stay until the process ends.
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
      .allocate(capacity: texts.count + 1)
    for (index, text) in texts.enumerated() { unsafe arguments?[index] = strdup(text) }
    unsafe arguments?[texts.count] = nil
    return unsafe LLVMFuzzerRunDriver(&count, &arguments) { start, count in
      let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
      do { unsafe try AttestFuzz.run?(bytes) } catch { fail("\(error)") }
      return 0
    }
  }
}
