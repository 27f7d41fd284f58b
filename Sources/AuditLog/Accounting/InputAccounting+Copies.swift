/// Damaged copies of inputs that lie among the sources of the same run, whole or damaged, too.
extension InputAccounting {
  /// A file whose content is damaged.
  struct DamagedFile: Sendable {
    var content: ScannedContent
    var stamp: FileStamp
  }

  /// An input among the sources of a run.
  private struct OtherFile: Sendable {
    /// The index of its source.
    var index: Int
    var path: String
    var input: AccountedInput
  }

  /// Finds the damaged files that are copies of whole ones, known or new, or of damaged ones in front of them,
  /// and passes over the lines that both have: they are audited once. What damage made of other lines is read,
  /// and the damage stays a finding.
  ///
  /// - Parameter damaged: The files, by the indices of their sources: new ones, and parts of known contents.
  func passCopied(
    _ damaged: [Int: DamagedFile], _ result: inout AccountedSources, _ pass: Pass
  ) throws {
    guard !damaged.isEmpty else { return }
    let whole = try wholeFiles(near: damaged.values.map(\.content), result)
    let read = damagedFiles(damaged, result)
    guard !whole.isEmpty || !read.isEmpty else { return }
    let indices = damaged.keys.sorted()
    let found = try pass.forEachFile(result.sources, at: indices) {
      scanner, path, index -> ScannedContent? in
      guard let content = damaged[index]?.content else { return nil }
      let before = read.prefix { $0.index < index }
      return try passed(path, content, whole, isAll: true, scanner)
        ?? passed(path, content, Array(before), isAll: false, scanner)
    }
    for (index, content) in zip(indices, found) {
      guard let content, let stamp = damaged[index]?.stamp else { continue }
      result.takeCopy(index, content, stamp, known: try known(content))
    }
  }

  /// Returns the whole inputs that one of some damaged contents may be a copy of.
  private func wholeFiles(
    near contents: [ScannedContent], _ result: AccountedSources
  ) throws -> [OtherFile] {
    let looked = Dictionary(
      result.known.compactMap { entry in entry.stamp.map { ($0.path, entry.input) } },
      uniquingKeysWith: { first, _ in first })
    var fresh = result.fresh[...]
    var found: [OtherFile] = []
    for (index, source) in result.sources.enumerated() {
      var input: AccountedInput?
      if fresh.first?.input.source == UInt32(index) { input = fresh.removeFirst().input }
      if source.origin == .known, let stamp = FileStamp(path: source.name) {
        input = try looked[stamp.path] ?? ledger.input(untouched: stamp)
      }
      guard let input, !input.isDamaged, input.lines > 0,
        contents.contains(where: { $0.mayBeCopy(of: input) })
      else { continue }
      found.append(OtherFile(index: index, path: source.name, input: input))
    }
    return found
  }

  /// Returns the damaged files of which lines are read, in the order of the run.
  private func damagedFiles(
    _ damaged: [Int: DamagedFile], _ result: AccountedSources
  ) -> [OtherFile] {
    result.fresh.compactMap { entry in
      let index = Int(entry.input.source)
      guard damaged[index] != nil, entry.input.lines > 0 else { return nil }
      return OtherFile(index: index, path: result.sources[index].name, input: entry.input)
    }
  }

  /// The most inputs that a damaged one is compared with, line by line.
  private static let mostCompared = 4

  /// Returns a damaged content with the lines passed over that one of the others has, or nil if it is no copy
  /// of any. Where not all lines may be in one, those are passed over that any has.
  private func passed(
    _ path: String, _ content: ScannedContent, _ others: [OtherFile], isAll: Bool,
    _ scanner: ContentScanner
  ) throws -> ScannedContent? {
    func distance(_ file: OtherFile) -> UInt64 {
      max(file.input.bytes, content.bytes) - min(file.input.bytes, content.bytes)
    }
    var found: ScannedContent?
    let candidates = others.filter { !isAll || content.mayBeCopy(of: $0.input) }.map { file in
      (order: (content.beginsLike(file.input) ? 0 : 1, distance(file)), file: file)
    }
    for (_, candidate) in candidates.sorted(by: { $0.order < $1.order }).prefix(Self.mostCompared) {
      var known = DamagedLines()
      try scanner.lines(candidate.path, upTo: candidate.input.bytes) { digest, _, _ in
        if known.digests.count <= LineDigests.limit { known.add(digest, isDoubtful: false) }
      }
      guard known.digests.count <= LineDigests.limit else { continue }
      let compared = try ComparedLines(path, upTo: content.bytes, with: known, scanner)
      guard compared.lines.areOfOneInput(isHere: false, isPart: true),
        compared.lines.areManyOrNearlyAll
      else { continue }
      var content = found ?? content
      if content.lineDigests.isEmpty { try noteLines(path, &content, scanner) }
      content.pass(compared.passed)
      if isAll { return content }
      found = content
    }
    return found
  }
}
