internal import AuditLog

/// The result of an audit from a stream of rows, to be taken in the order of the reports.
package struct StagedResult {
  private let input: StageInput
  /// The result; its rows can be taken once.
  package let result: any AuditResult

  /// Opens the stream, and takes the totals from its front.
  init(_ run: AuditRun, _ streams: StageStreams) throws(AuditError) {
    var run = run
    let configuration = run.configuration
    let texts = TextStore(folder: configuration.limits.tempDirectory)
    input = try streams.open(configuration, texts)
    let sources = try input.sources()
    run.sources = sources.map(\.source)
    // Entries of `expect:` have numbers after those of the sources.
    let names = run.sources.map(\.name) + configuration.expected.map(\.entry)
    let recalled = try streams.recall(input, names: names)
    run.configuration.history = recalled?.history
    try run.check(sources, input)
    let forms: [RowForm] = [.finding, .key, .reject, .verdict, .build]
    let ends = ShuffleEnds(forms, from: input, to: nil, texts: texts)
    let parts = try RunParts(run, names: names, ends: ends)
    let first = recalled?.history.firstSource ?? 0
    var inputs = run.sources.map { InputRow($0.name, .ok) }
    var isRead = inputs.map { _ in false }
    unsafe try input.forEach(.input) { (row) throws(AuditError) in
      let (number, found) = unsafe try InputRow.read(row, inputs.map(\.source), first: first)
      inputs[number] = found
      isRead[number] = true
    }
    if let missing = isRead.firstIndex(of: false) {
      throw FrameReader.broken("no task read \(names[missing])")
    }
    try ExpectedArrivals(
      configuration, run.sources, first: first &+ UInt32(clamping: run.sources.count)
    ).report(inputs, to: parts.context.findings)
    var totals = AuditTotals()
    parts.count(into: &totals)
    unsafe try input.forEach(.totals) { (row) throws(AuditError) in
      unsafe try totals.add(row: row)
    }
    if let history = recalled?.history {
      let seen = try input.remember(in: history, parts.withdrawals)
      try parts.withdrawReplaced(seen)
      try parts.withdrawals.finish()
    }
    if let form = try input.nextForm(), !forms.contains(form) {
      throw FrameReader.broken("it contains rows of another stage (\(form))")
    }
    try totals.check()
    let withdrawals = parts.withdrawals
    result = SortedResult(
      sources: names, history: recalled?.history, inputs: inputs,
      graded: parts.graded(totals),
      remarks: LogRemarks(totals, run.configuration, names: names), closed: withdrawals.first,
      closedCount: withdrawals.count, withdrawn: withdrawals.rows,
      shuffles: parts.shuffles, run: run.state, accounted: recalled?.night.accounted)
  }

  /// Throws unless every row was taken, and the stream is whole: before a report is put in place.
  package func end() throws(AuditError) { try input.end() }
}
