/// Damaged copies of inputs that lie whole among the sources of the same run.
extension InputAccounting {
  /// A file whose content is damaged.
  struct DamagedFile: Sendable {
    var content: ScannedContent
    var stamp: FileStamp
  }

  /// A whole input among the sources of a run.
  private struct WholeFile: Sendable {
    var path: String
    var input: AccountedInput
  }

  /// Finds the damaged files that are copies of whole ones, known or new, and passes over the lines that both
  /// have: they are audited once. What damage made of other lines is read, and the damage stays a finding.
  ///
  /// - Parameter damaged: The files, by the indices of their sources: new ones, and parts of known contents.
  func passCopied(
    _ damaged: [Int: DamagedFile], _ result: inout AccountedSources, _ pass: Pass
  ) throws {
    guard !damaged.isEmpty else { return }
    let whole = try wholeFiles(near: damaged.values.map(\.content), result)
    guard !whole.isEmpty else { return }
    let indices = damaged.keys.sorted()
    let found = try pass.forEachFile(result.sources, at: indices) { scanner, path, index in
      try damaged[index].flatMap { try passed(path, $0.content, whole, scanner) }
    }
    for (index, content) in zip(indices, found) {
      guard let content, let stamp = damaged[index]?.stamp else { continue }
      result.takeCopy(index, content, stamp, known: try known(content))
    }
  }

  /// Returns the whole inputs that one of some damaged contents may be a copy of.
  private func wholeFiles(
    near contents: [ScannedContent], _ result: AccountedSources
  ) throws -> [WholeFile] {
    let looked = Dictionary(
      result.known.compactMap { entry in entry.stamp.map { ($0.path, entry.input) } },
      uniquingKeysWith: { first, _ in first })
    var fresh = result.fresh[...]
    var found: [WholeFile] = []
    for (index, source) in result.sources.enumerated() {
      var input: AccountedInput?
      if fresh.first?.input.source == UInt32(index) { input = fresh.removeFirst().input }
      if source.origin == .known, let stamp = FileStamp(path: source.name) {
        input = try looked[stamp.path] ?? ledger.input(untouched: stamp)
      }
      guard let input, !input.isDamaged, input.lines > 0,
        contents.contains(where: { $0.mayBeCopy(of: input) })
      else { continue }
      found.append(WholeFile(path: source.name, input: input))
    }
    return found
  }

  /// The most whole inputs that a damaged one is compared with, line by line.
  private static let mostCompared = 4

  /// Returns a damaged content with the lines passed over that one of the whole inputs has, or nil if it is no
  /// copy of any.
  private func passed(
    _ path: String, _ content: ScannedContent, _ whole: [WholeFile], _ scanner: ContentScanner
  ) throws -> ScannedContent? {
    func distance(_ file: WholeFile) -> UInt64 {
      max(file.input.bytes, content.bytes) - min(file.input.bytes, content.bytes)
    }
    let candidates = whole.filter { content.mayBeCopy(of: $0.input) }.map { file in
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
      var content = content
      if content.lineDigests.isEmpty { try noteLines(path, &content, scanner) }
      content.pass(compared.passed)
      return content
    }
    return nil
  }
}
