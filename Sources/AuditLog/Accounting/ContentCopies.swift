internal import Basics
internal import Files
internal import Glibc

/// The search for inputs of one run that hold the same content, however it is compressed, and,
/// where the run accounts for its inputs, for unfinished copies. The content of a copy is audited
/// once.
package struct ContentCopies {
  private let pass: InputAccounting.Pass
  /// The contents that may have a copy, in the order of the run.
  private var contents: [Brief] = []
  /// The contents among them that end in the middle.
  private var unfinished: [AccountedInput] = []

  /// The facts that are compared of a content: a run may have very many.
  private struct Brief: Sendable {
    /// The index of its source.
    var index: Int
    var bytes: UInt64
    /// The marks of its heads (``HeadDigests/marks``).
    var marks: [UInt64]
  }

  init(_ pass: InputAccounting.Pass) {
    self.pass = pass
  }

  /// Takes a content that is to be read.
  mutating func add(_ index: Int, _ content: ScannedContent) {
    guard content.bytes > 0 else { return }
    contents.append(Brief(index: index, bytes: content.bytes, marks: content.heads.marks))
    if content.endsInside {
      unfinished.append(content.accounted(source: UInt32(index), name: ""))
    }
  }

  /// Marks files, where nothing is accounted for, whose content is that of an earlier one, byte for byte.
  /// One that is no more than the beginning of another may be a log of its own, with a record that was
  /// sent again: it stays. Every file is opened, and little of it read; files that begin alike are looked
  /// through.
  package static func mark(_ sources: inout [LogSource], _ pass: InputAccounting.Pass) throws {
    guard sources.count > 1 else { return }
    let files = sources.indices.filter { sources[$0].isRegularFile }
    // Equal contents have the same heads, and as many.
    let heads = try pass.forEachFile(sources, at: files) { scanner, path, _ in
      try scanner.longestHead(path)
    }
    var alike: [[UInt8]: [Int]] = [:]
    for (index, head) in zip(files, heads) {
      if let head { alike[head, default: []].append(index) }
    }
    let candidates = alike.values.filter { $0.count > 1 }.joined().sorted()
    let scans = try pass.forEachFile(sources, at: candidates) { scanner, path, _ in
      try scanner.scan(path) { _, _ in [] }
    }
    var whole: [[UInt8]: Int] = [:]
    var damaged: [[UInt8]: Int] = [:]
    for (index, scan) in zip(candidates, scans) {
      guard case .content(let content, _) = scan else { continue }
      if let same = content.isDamaged ? damaged[content.sha256] : whole[content.sha256] {
        sources[index].origin = .duplicate(of: same)
      } else if content.isDamaged {
        damaged[content.sha256] = index
      } else {
        whole[content.sha256] = index
      }
    }
    for (index, scan) in zip(candidates, scans) {
      guard case .content(var content, _) = scan, content.isDamaged,
        damaged[content.sha256] == index, whole[content.sha256] != nil
      else { continue }
      // Its damage is told, and every byte of it is read from the whole one.
      content.pass([0..<content.bytes])
      sources[index].part = content.part
    }
  }

  /// Returns the indices of the inputs that end in the middle, and so far hold nothing but the beginning
  /// of another one: copies in the making, and copies that were cut off. A whole one is another input,
  /// however much two have in common.
  func parts(_ sources: [LogSource]) throws -> [Int] {
    guard !unfinished.isEmpty else { return [] }
    let related = Self.related(contents)
    let candidates = contents.filter { related.contains($0.index) }
    let unfinished = unfinished.filter { related.contains(Int($0.source)) }
    guard candidates.count > 1, !unfinished.isEmpty else { return [] }
    let byIndex = Dictionary(uniqueKeysWithValues: candidates.map { ($0.index, $0) })
    let beginnings = Beginnings(unfinished)
    let looks = try pass.forEachFile(sources, at: candidates.map(\.index)) {
      scanner, path, index -> [Int]? in
      guard let content = byIndex[index] else { return nil }
      let shorter = beginnings.of(content)
      guard !shorter.isEmpty else { return nil }
      // It may have grown meanwhile: what is read is compared with what is planned.
      let outcome = try scanner.scan(
        path, isOpen: true, beginnings: { head, _ in head == nil ? shorter : [] })
      guard case .content(let found, _) = outcome else { return nil }
      return found.recognised.map { Int($0.source) }
    }
    return Set(looks.compactMap(\.self).joined()).sorted()
  }

  /// Returns those of the contents that begin as another one does, as far as the shorter of both
  /// goes.
  private static func related(_ contents: [Brief]) -> Set<Int> {
    var ending: [UInt64: [Int]] = [:]
    for content in contents {
      if let last = content.marks.last { ending[last, default: []].append(content.index) }
    }
    var related: Set<Int> = []
    /// The groups that were taken: each is taken once, however many begin as it does.
    var taken: Set<UInt64> = []
    for content in contents {
      for head in content.marks {
        guard let others = ending[head], others != [content.index] else { continue }
        related.insert(content.index)
        if taken.insert(head).inserted { related.formUnion(others) }
      }
    }
    return related
  }

  /// Contents by their heads, for those that may begin with one of them.
  private struct Beginnings: Sendable {
    /// The most that one content is compared with, as with those of earlier runs.
    private static let most = 1024

    /// The contents by the marks of their heads, in the order of their lengths.
    private let byHead: [UInt64: [AccountedInput]]

    init(_ inputs: [AccountedInput]) {
      let ordered = inputs.sorted { ($0.bytes, $0.source) < ($1.bytes, $1.source) }
      var byHead: [UInt64: [AccountedInput]] = [:]
      for input in ordered {
        if let head = input.head { byHead[HeadDigests.mark(head), default: []].append(input) }
      }
      self.byHead = byHead
    }

    /// Returns those that are shorter than a content and begin as it does; of very many the
    /// longest.
    func of(_ content: Brief) -> [AccountedInput] {
      content.marks.flatMap { head -> ArraySlice<AccountedInput> in
        guard let group = byHead[head] else { return [] }
        let end = group.indices.searched { group[$0].bytes < content.bytes }
        return group[..<end].suffix(Self.most)
      }
    }
  }
}

extension LogSource {
  /// True where it is a file that can be read more than once.
  fileprivate var isRegularFile: Bool {
    guard case .file(let path) = origin else { return false }
    return FileStatus(path: path)?.kind == .file
  }
}
