internal import Files

/// The inputs of a run, and those of earlier runs that might have lines in common with them.
struct ComparedInputs {
  /// An input of this run.
  struct New {
    var index: Int
    var name: String
    var file: LineScan.File
  }

  let new: [New]
  /// The inputs of earlier runs that might have rows in common with these.
  private let earlier: [KnownInput]
  /// The tables of all of them, those of earlier runs first.
  private let inputs: [ComparedInput]
  private let pairs: Set<CommonRequests.Pair>
  /// For each input of this run, inputs without a table that it begins with, the longest last.
  private let wholes: [[KnownInput]]
  private let readsAgain: Bool

  /// Finds those that might have rows in common: at least `least` requests.
  init(
    _ new: [New], _ known: [KnownInput], _ ledger: (any InputLedger)?, readsAgain: Bool,
    least: Int = InputPair.leastTimes
  ) throws {
    self.new = new
    let tables = new.map(\.file.table)
    let requests = RequestFilter(known.contains(where: \.hasTable) ? tables : [])
    var earlier: [KnownInput] = []
    var inputs: [ComparedInput] = []
    for input in try ledger?.inputs(known.filter(\.hasTable), likeThose: requests, or: tables) ?? []
    {
      guard let digests = try ledger?.digests(of: input.source),
        UInt64(digests.count) == input.lines
      else { continue }
      earlier.append(input)
      inputs.append(
        ComparedInput(
          LineTable(digests: digests, damage: input.damage), name: PathText.split(input.name).last,
          isEarlier: true, superseded: input.superseded))
    }
    let withoutTables = known.filter { !$0.hasTable && !$0.damage.isDamaged }
    wholes = tables.map { $0.wholeCopies(of: withoutTables) }
    inputs += zip(new, wholes).map { new, wholes in
      let begun = readsAgain ? 0 : Int(clamping: wholes.last?.lines ?? 0)
      return ComparedInput(
        new.file.table, name: PathText.split(new.name).last, isEarlier: false,
        begun: LineRanges([0..<begun]))
    }
    pairs = CommonRequests(inputs, firstNew: earlier.count, least: least).pairs
    (self.earlier, self.inputs, self.readsAgain) = (earlier, inputs, readsAgain)
  }

  /// The indices of the sources that might have rows in common with another input.
  var alike: Set<Int> {
    let places = pairs.flatMap { [$0.first, $0.second] }.map { $0 - earlier.count }
    let begun = wholes.indices.filter { !wholes[$0].isEmpty }
    return Set((places + begun).filter { $0 >= 0 }.map { new[$0].index })
  }

  /// Decides what is read and remembered of the inputs. `rejectRate` is nil if nothing is remembered.
  func decide(
    rejectRate: Double?, _ sources: inout [LogSource], _ result: inout ReadInputs
  ) {
    let decision = ReadOnce(
      inputs, candidates: pairs, readsAgain: readsAgain, rejectRate: rejectRate)
    for (place, new) in new.enumerated() {
      let index = earlier.count + place
      let whole = readsAgain ? nil : wholes[place].last
      let unread = decision.unread(index)
      var part = new.file.part
      part.passed = unread.ranges.map { UInt64($0.lowerBound) + 1..<UInt64($0.upperBound) + 1 }
      part.repaired = decision.repaired(index).map(\.byteOffset)
      let isLess = !unread.isEmpty || !part.repaired.isEmpty
      if rejectRate != nil || isLess { sources[new.index].part = part }
      let others = Set(decision.originals(index).map(name) + [whole?.name].compactMap(\.self))
      let count = inputs[index].count
      if let notice = InputNotices.line(
        new.name, readBefore: min(unread.count, count), of: count, in: others.sorted())
      {
        result.notices.append(notice)
      }
      if rejectRate != nil {
        var entry = ReadInputs.Entry(new)
        entry.input.superseded = decision.superseded(index)
        // One without requests can be the head of many.
        let origins = wholes[place] + decision.origins(index).map { earlier[$0] }
        entry.grownFrom = origins.last { $0.span != nil }?.source
        entry.isSetAside = decision.isSetAside(index)
        result.entries.append(entry)
      }
      guard readsAgain else { continue }
      for (other, row) in decision.earlierRows(index) {
        result.rereads.add(
          RereadLines.Part(
            source: earlier[other].source, line: UInt64(row.first) + 1, index: new.index,
            here: UInt64(row.second) + 1, count: UInt64(row.count)))
      }
      for whole in wholes[place] {
        result.rereads.add(
          RereadLines.Part(
            source: whole.source, line: 1, index: new.index, here: 1, count: whole.lines))
      }
    }
    for (index, known) in earlier.enumerated() where rejectRate != nil {
      let lines = decision.superseded(index).filter { !known.superseded.contains($0) }
      let repaired = decision.repaired(index)
      guard !lines.isEmpty || !repaired.isEmpty else { continue }
      result.explained.append(
        ReadInputs.Explained(
          source: known.source, superseded: lines.lines.map { UInt64($0) + 1 }, repaired: repaired))
    }
  }

  private func name(_ index: Int) -> String {
    index < earlier.count ? earlier[index].name : new[index - earlier.count].name
  }
}

extension ReadInputs.Entry {
  init(_ new: ComparedInputs.New) {
    self.init(
      input: KnownInput(source: UInt32(clamping: new.index), name: new.name, new.file.table),
      digests: new.file.table.digests, stamp: new.file.stamp)
  }
}

extension InputLedger {
  /// Returns those of some inputs that might have rows in common with some tables.
  fileprivate func inputs(
    _ known: [KnownInput], likeThose requests: RequestFilter, or tables: [LineTable]
  ) throws -> [KnownInput] {
    // Their requests that might be equal to one of the tables, or nil for an input that a table might begin with.
    let asked = try known.map { input throws -> [UInt64]? in
      if tables.contains(where: input.mayBegin) { return nil }
      var contents: [UInt64] = []
      if let span = input.span, requests.mayBe(in: span) {
        try forEachPiece(of: input.source) { digests in
          for digest in digests where digest.isRequest && requests.mayContain(digest) {
            contents.append(digest.content)
          }
        }
      }
      return contents
    }
    let common = requests.common(asked.flatMap { $0 ?? [] })
    return zip(known, asked).filter { _, contents in
      contents?.contains(where: common.contains) ?? true
    }.map(\.0)
  }
}

extension LineTable {
  /// Returns the inputs among some that the table begins with, the longest last.
  fileprivate func wholeCopies(of known: [KnownInput]) -> [KnownInput] {
    var next = known.filter { $0.mayBegin(self) }.sorted { $0.lines < $1.lines }[...]
    var found: [KnownInput] = []
    var digest = ContentDigest()
    for (line, bits) in digests.enumerated() where !next.isEmpty {
      digest.add(bits)
      while let input = next.first, input.lines == UInt64(line) + 1 {
        if input.content == digest.bytes { found.append(input) }
        next.removeFirst()
      }
    }
    return found
  }
}
