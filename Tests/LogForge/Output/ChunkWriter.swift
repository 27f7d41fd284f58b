import FindingCodes

/// A part of a file, ready to be written.
struct RenderedChunk: Sendable {
  var bytes: [UInt8] = []
  /// The number of lines that end in the chunk, blank ones included.
  var lines = 0
  /// The expected findings, with lines counted from the chunk's first, which is 1.
  var findings: [(code: FindingCode, line: Int, shape: [UInt8])] = []
}

/// A renderer of the lines of one period.
struct ChunkWriter: Sendable {
  let renderer: TrafficRenderer
  let file: FilePlan

  /// Returns the chunk of `range`: honest traffic and the attackers' `lines`, by time.
  func render(
    _ range: Range<Int64>, attacks lines: [ForgedLine], isFirst: Bool, isLast: Bool
  ) -> RenderedChunk {
    let tools = SigningTools()
    let form = renderer.options.form
    var chunk = RenderedChunk()
    var random = ForgeRandom(
      renderer.options.seed, 0xC4C, UInt64(bitPattern: range.lowerBound), UInt64(file.server))
    if isFirst && file.hasBOM { chunk.bytes += [0xEF, 0xBB, 0xBF] }
    var next = 0
    for row in renderer.plan.rows(in: range, server: file.server, of: file.servers) {
      while next < lines.count && lines[next].time < row.time {
        end(lines[next], in: &chunk)
        next += 1
      }
      if random.once(in: 200) { end([], in: &chunk) }
      if random.once(in: form.noiseOdds) {
        end(form.spelled(form.noise(at: row.time, &random), &random), in: &chunk)
      }
      end(renderer.line(row, tools), in: &chunk)
    }
    for line in lines[next...] { end(line, in: &chunk) }
    chunk.bytes = ChunkEncoder.encode(
      chunk.bytes, as: file.format, level: renderer.options.compressionLevel, isLast: isLast,
      &random)
    return chunk
  }

  private func end(_ line: ForgedLine, in chunk: inout RenderedChunk) {
    end(line.bytes, in: &chunk)
    for code in line.findings { chunk.findings.append((code, chunk.lines, line.shape)) }
  }

  private func end(_ bytes: [UInt8], in chunk: inout RenderedChunk) {
    chunk.lines += 1
    chunk.bytes.append(contentsOf: bytes)
    if file.usesCRLF { chunk.bytes.append(0x0D) }
    chunk.bytes.append(0x0A)
  }
}
