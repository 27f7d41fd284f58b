/// The result of an audit whose stages were carried out elsewhere: rows in order, from a stream, which
/// have to be taken in the order of the reports.
package struct StagedResult {
  private let input: StageInput
  /// The result; its rows can be taken once.
  package let result: any AuditResult

  /// Opens the stream, and takes the totals from its front.
  init(_ run: AuditRun, _ streams: StageStreams) throws(AuditError) {
    let configuration = run.configuration
    let texts = TextStore(folder: configuration.limits.tempDirectory)
    input = try streams.open(configuration, texts)
    let names = try input.allNames()
    let forms: [RowForm] = [.finding, .key, .reject, .verdict]
    let ends = ShuffleEnds(forms, from: input, to: nil, texts: texts)
    let parts = try RunParts(run, names: names, ends: ends)
    var inputs = names.map { InputRow($0, .ok) }
    var isRead = names.map { _ in false }
    unsafe try input.forEach(.input) { (row) throws(AuditError) in
      let (number, found) = unsafe try InputRow.read(row, names)
      inputs[number] = found
      isRead[number] = true
    }
    if let missing = isRead.firstIndex(of: false) {
      throw FrameReader.broken("nobody read \(names[missing])")
    }
    var totals = AuditTotals()
    parts.count(into: &totals)
    unsafe try input.forEach(.totals) { (row) throws(AuditError) in
      unsafe try totals.add(row: row)
    }
    if let form = try input.nextForm(), !forms.contains(form) {
      throw FrameReader.broken("it holds rows that another stage takes (\(form))")
    }
    try totals.check()
    if let text = totals.unconfiguredNotice(configuration) { run.notice(text) }
    result = SortedResult(
      sources: names, history: nil, inputs: inputs, totals: totals, shuffles: parts.shuffles,
      run: run.state)
  }

  /// Throws unless every row was taken, and the stream is whole: before a report is put in place.
  package func end() throws(AuditError) { try input.end() }
}
