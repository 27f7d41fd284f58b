/// An entry of `expect:`: files that have to bring lines in every run.
package struct ExpectedInput: Sendable, Equatable {
  /// The entry as the pipeline file has it, before `${date}` is replaced. It identifies the entry from run to run.
  package var entry: String
  /// The path, folder or glob that it stands for in this run.
  package var path: String
  /// The least number of lines.
  package var lines: UInt64

  package init(entry: String, path: String, lines: UInt64) {
    self.entry = entry
    self.path = path
    self.lines = lines
  }
}
