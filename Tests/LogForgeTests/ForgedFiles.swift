import Foundation
import LogForge
import TestSupport
import Testing

/// Forges a day in a folder of its own, and returns its files by their paths.
func forge(_ options: ForgeOptions) throws -> [String: Data] {
  let scratch = try Scratch()
  let folder = URL(fileURLWithPath: scratch.path + "/day")
  _ = try LogForge(options).write(to: folder.path)
  var files = [String: Data]()
  for path in try #require(FileManager.default.subpaths(atPath: folder.path)) {
    if let data = try? Data(contentsOf: folder.appendingPathComponent(path)) { files[path] = data }
  }
  return files
}
