internal import Files
internal import Glibc

/// Finds inputs of one run of which one is the beginning of another, or the same content however it is
/// compressed: what two hold is audited once.
package struct ContentCopies {
  private let pass: InputAccounting.Pass
  /// What may have a copy, by the index of its source, in the order of the run.
  private var contents: [(index: Int, content: ScannedContent)] = []

  init(_ pass: InputAccounting.Pass) {
    self.pass = pass
  }

  /// Takes a content that is to be read.
  mutating func add(_ index: Int, _ content: ScannedContent) {
    if content.bytes > 0 { contents.append((index, content)) }
  }

  /// Marks files without a state whose content is that of an earlier one, and shortens those that begin
  /// with another. Every file is opened, and little of it read; files that begin alike are looked
  /// through.
  package static func mark(_ sources: inout [LogSource], _ pass: InputAccounting.Pass) throws {
    guard sources.count > 1 else { return }
    let files = sources.indices.filter { sources[$0].isRegularFile }
    let heads = try pass.forEachFile(sources, at: files) { scanner, path, _ in
      try scanner.heads(path)
    }
    let related = Self.related(
      heads.enumerated().compactMap { index, heads in
        heads.flatMap { $0.isEmpty ? nil : (index, $0) }
      })
    guard !related.isEmpty else { return }
    let scans = try pass.forEachFile(sources, at: related.sorted()) { scanner, path, _ in
      try scanner.scan(path) { _, _ in [] }
    }
    var copies = ContentCopies(pass)
    var first: [[UInt8]: Int] = [:]
    for (index, scan) in scans.enumerated() {
      guard case .content(let content, _) = scan else { continue }
      if let same = first[content.sha256] {
        sources[index].origin = .duplicate(of: same)
      } else {
        first[content.sha256] = index
        copies.add(index, content)
      }
    }
    try copies.shorten(&sources)
  }

  /// Has those that begin with another one read from where that ends.
  func shorten(_ sources: inout [LogSource]) throws {
    let related = Self.related(contents.map { ($0.index, $0.content.heads) })
    let candidates = contents.filter { related.contains($0.index) }
    guard candidates.count > 1 else { return }
    let byIndex = Dictionary(uniqueKeysWithValues: candidates.map { ($0.index, $0.content) })
    let inputs = candidates.map { $0.content.accounted(source: UInt32($0.index), name: "") }
    let looks = try pass.forEachFile(sources, at: candidates.map(\.index)) {
      scanner, path, index -> PlannedPart? in
      guard let content = byIndex[index] else { return nil }
      let shorter = inputs.filter {
        $0.bytes < content.bytes && $0.head.map(content.heads.contains) ?? false
      }
      guard !shorter.isEmpty else { return nil }
      // It may have grown meanwhile: what is read is compared with what is planned.
      let outcome = try scanner.scan(
        path, isOpen: true, beginnings: { head, _ in head == nil ? shorter : [] })
      guard case .content(let found, _) = outcome, let grown = found.grownFrom else { return nil }
      var part = content.part
      guard grown.at > part.from else { return nil }
      part.from = min(grown.at, part.to)
      return part
    }
    for (index, part) in looks.enumerated() {
      if let part { sources[index].part = part }
    }
  }

  /// Those of the contents that begin as another one does, as far as the shorter of both goes; `heads`
  /// are those of ``ScannedContent/heads``.
  private static func related(_ contents: [(index: Int, heads: [[UInt8]])]) -> Set<Int> {
    var ending: [[UInt8]: [Int]] = [:]
    for (index, heads) in contents {
      if let last = heads.last { ending[last, default: []].append(index) }
    }
    var related: Set<Int> = []
    for (index, heads) in contents {
      for head in heads {
        guard let others = ending[head], others != [index] else { continue }
        related.insert(index)
        related.formUnion(others)
      }
    }
    return related
  }
}

extension LogSource {
  /// Whether it is a file that can be read more than once.
  fileprivate var isRegularFile: Bool {
    guard case .file(let path) = origin else { return false }
    return FileStatus(path: path)?.kind == .file
  }
}
