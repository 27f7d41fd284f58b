import AppAttest
import AuditLog

package final class SampleReader {
  /// The length of the longest line that is examined, in bytes.
  static let lineBytes = 1 << 20
  /// The largest numbers of bytes and of values of lines that are kept.
  private static let (totalBytes, totalValues) = (64 << 20, 1 << 21)
  /// The largest zstd window that is accepted, in bytes.
  private static let windowBytes = 128 << 20

  private let limit: Int
  private let document = JSONDocument()
  private let search = AuditLog.TokenSearch(AppAttestSniffer.tokenFront)
  private var bytes = 0
  private var values = 0
  private var sample = LogSample()

  private init(limit: Int) { self.limit = limit }

  /// Reads up to `limit` lines, as evenly from all inputs as their lengths allow.
  package static func read(_ inputs: [String], limit: Int) -> LogSample {
    let reader = SampleReader(limit: limit)
    let sources = InputPlan.sources(inputs, standardInputName: "-") {
      reader.sample.damages.append($0)
    }
    reader.sample.sources = sources.map(\.name)
    for (index, source) in sources.enumerated() {
      if case .file(let path) = source.origin, let content = ForeignContent.of(path: path),
        !content.isSequence
      {
        reader.sample.foreign.append((source.name, content))
      } else {
        reader.read(source, index, left: sources.count - index)
      }
    }
    reader.sample.unwrap(reader.document)
    reader.sample.unreadBytes = UnreadBytes(&reader.sample, reader.document)
    reader.sample.recordArray = RecordArray(reader.sample)
    if let array = reader.sample.recordArray, let place = array.place {
      reader.spread(place, array.hasSingles ? [place, nil] : [place])
    }
    reader.sample.foldHeaders()
    return reader.sample
  }

  /// Makes a line of each record in an array of the lines, without the other records (`records.R84`).
  private func spread(_ place: JSONPointer, _ records: [JSONPointer?]) {
    sample.batches = sample.lines.map { line in
      var line = line
      line.values = []
      return line
    }
    sample.records = records
    sample.lines = []
    sample.pointers = PointerTable()
    sample.wrappings = []
    bytes = 0
    for batch in sample.batches {
      let text = batch.bytes[batch.start...]
      guard let nodes = document.read(text) else { continue }
      guard let array = RecordArray.value(nodes[...], at: place.steps[...]) else {
        if records.contains(nil) { append(batch, text, in: text) }
        continue
      }
      let (front, back) = (text[..<array.raw.startIndex], text[array.raw.endIndex...])
      for element in RecordArray.elements(array, document) {
        var line = batch
        line.bytes = batch.bytes[..<batch.start] + front + array.written(element) + back
        line.holdsToken = search.finds(element.raw)
        append(
          line, element.kind == .string ? element.text : element.raw,
          in: front + Array("[]".utf8) + back)
      }
    }
    sample.unwrap(document)
  }

  private func append(
    _ line: SampleLine, _ record: ArraySlice<UInt8>, in around: ArraySlice<UInt8>
  ) {
    guard bytes < Self.totalBytes else {
      sample.isPart = true
      return
    }
    bytes += line.bytes.count
    var line = line
    line.parts = (record, around)
    line.flatten(&sample.pointers, document)
    sample.lines.append(line)
  }

  private func read(_ source: LogSource, _ index: Int, left: Int) {
    let end = min(limit, sample.count + max(1, (limit - sample.count) / left))
    let pool = BatchPool(batchBytes: 1 << 18)
    _ = SourceReader(lineLimit: Self.lineBytes, windowLimit: Self.windowBytes, pool: pool).read(
      source, index: UInt32(clamping: index),
      to: SourceReader.Output(
        batch: { [self] batch in
          batch.forEachLine(limit: Self.lineBytes) { line in
            if isFull(end) { sample.isPart = true } else { take(line, index) }
          }
          pool.giveBack(batch)
        },
        damage: { [self] damage in sample.damages.append("\(source.name): \(damage.detail)") },
        progress: { _ in },
        mustStop: { [self] in isFull(end) && sample.isPart }))
  }

  private func isFull(_ end: Int) -> Bool {
    sample.count >= end || bytes >= Self.totalBytes || values >= Self.totalValues
  }

  /// Finds the beginning of gzip or zstd in a line: a compressed file was appended to a plain one.
  private func findPacked(_ text: [UInt8], after offset: UInt64, _ source: String) {
    for (mark, name, tool) in [
      ([0x1F, 0x8B, 0x08], "gzip", "gzip -dc"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd", "zstd -dc"),
    ] as [([UInt8], String, String)] {
      guard let place = text.firstRange(of: mark)?.lowerBound else { continue }
      let byte = offset + UInt64(place)
      sample.packed = (
        "\(name) begins at byte \(byte) of \(source)",
        "tail -c +\(byte + 1) \(ShellText.quoted(source)) | \(tool)"
      )
    }
  }

  private func take(_ line: LogLine, _ source: Int) {
    switch line.state {
    case .blank, .passed: return
    case .cut: sample.cut += 1
    case .overlong: sample.overlong += 1
    case .whole:
      let text = unsafe Array(line.text)
      bytes += text.count
      var found = SampleLine(
        source: source, number: line.number, bytes: text,
        holdsToken: unsafe search.finds(line.text))
      let starts = unsafe [
        0, LinePrefix.length(line.text), LinePrefix.lengthFromEnd(line.text) ?? 0,
      ]
      for (index, start) in starts.enumerated() where index == 0 || start > 0 {
        let strict = document.read(text[start...])
        guard let nodes = strict ?? document.read(text[start...], takesOdd: true),
          nodes[0].kind == .object
        else { continue }
        (found.start, found.isOdd) = (start, strict == nil)
        found.flatten(&sample.pointers, document)
        values += found.values.count
        sample.lines.append(found)
        return
      }
      sample.unread.append(found)
      if sample.packed == nil { findPacked(text, after: line.byteOffset, sample.sources[source]) }
    }
  }
}

extension AuditLog.TokenSearch {
  func finds(_ text: ArraySlice<UInt8>) -> Bool {
    let padded = Array(text) + [UInt8](repeating: 0, count: LineBatch.padding)
    return unsafe padded.withUnsafeBufferPointer { bytes in
      unsafe finds(UnsafeBufferPointer(rebasing: bytes[..<text.count]))
    }
  }
}
