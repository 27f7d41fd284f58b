/// The notices about inputs that are not read as they lie there: one line for each kind.
package enum InputNotices {
  /// So many names a line has.
  private static let nameLimit = 3

  /// Returns the notices of a run that accounts for its inputs.
  package static func lines(_ accounted: AccountedSources) -> [String] {
    let sources = accounted.sources
    func named(_ isMeant: (LogSource) -> Bool) -> [String] {
      sources.filter(isMeant).map(\.name)
    }
    return [
      line(
        named { $0.origin == .known }, "was accounted for by an earlier run, and is skipped",
        "were accounted for by earlier runs, and are skipped"),
      line(
        named { $0.origin == .waiting }, "is being written, and waits for a later run",
        "are being written, and wait for a later run"),
      line(
        named { $0.part?.isOpen ?? false }, "is being written, and is read to its last whole line",
        "are being written, and are read to their last whole lines"),
      line(
        named { source in
          source.part.map { !$0.passed.isEmpty } == true
            && !(accounted.parts + accounted.damagedCopies).contains(source.name)
        },
        "was damaged when an earlier run read it: what was read of it then is passed over",
        "were damaged when an earlier run read them: what was read of them then is passed over"),
      line(
        accounted.parts,
        "is cut off, and holds nothing but a part of another input: that is passed over",
        "are cut off, and hold nothing but parts of other inputs: these are passed over"),
      line(
        accounted.damagedCopies,
        "is a damaged copy of another input: the lines that both have are passed over",
        "are damaged copies of other inputs: the lines that both have are passed over"),
      line(
        named { ($0.part?.from ?? 0) > 0 },
        "begins with what was read before, and is read from where that ended",
        "begin with what was read before, and are read from where that ended"),
    ].compactMap(\.self)
  }

  /// Returns the notices of a run that only looks at a state.
  package static func lines(_ recognised: RecognisedSources) -> [String] {
    [
      line(
        recognised.names,
        "was accounted for by an earlier run: it is audited again, and not compared with itself",
        "were accounted for by earlier runs: they are audited again, and not compared with themselves"
      )
    ].compactMap(\.self)
  }

  /// Returns `a`, or `2 inputs`, the words about it or them, and their names, or nil if there are
  /// no inputs.
  private static func line(_ names: [String], _ one: String, _ many: String) -> String? {
    guard let first = names.first else { return nil }
    guard names.count > 1 else { return "\(first) \(one)" }
    let more = names.count - nameLimit
    return "\(names.count) inputs \(many): " + names.prefix(nameLimit).joined(separator: ", ")
      + (more > 0 ? " and \(more) more" : "")
  }
}
