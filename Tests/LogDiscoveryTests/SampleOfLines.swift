@testable import LogDiscovery

extension LogSample {
  /// Makes a sample of the lines of one log.
  init(of lines: [String]) {
    self.init()
    for (index, line) in lines.enumerated() {
      let bytes = Array(line.utf8)
      let flat = LineFlattener.flatten(bytes[...], &pointers)
      self.lines.append(
        SampleLine(
          source: 0, number: UInt64(index + 1), bytes: bytes, values: flat.values,
          hasDuplicates: flat.hasDuplicates))
    }
  }
}
