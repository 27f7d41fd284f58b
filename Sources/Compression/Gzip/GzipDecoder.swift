/// A decoder of gzip members (RFC 1952). It checks their sums, and finds the next member again
/// after damage. Zero bytes after a member are ignored.
///
/// One source, one thread at a time.
final class GzipDecoder: FrameDecoder {
  enum State {
    /// The place where a member may begin or the source may end.
    case boundary
    case body
    case trailer
    /// A place after damage that is still to be reported, on the way to the next member.
    case searching(StreamDamage)
    case ended
  }

  /// The number of bytes before a damaged place at which the search for the next member may begin.
  static let rescanLimit: UInt64 = 128 << 10
  /// The bytes of false candidates that are examined twice; a file that is made of them is
  /// searched with less care afterwards, so that the work stays linear.
  static let candidateBudget = 16 << 20
  static let trailerByteCount = 8

  let input: InputWindow
  let inflater: InflateContext
  var state = State.boundary
  var frameStart: UInt64 = 0
  /// The offset at which the search begins if no member follows at the boundary.
  var searchStart: UInt64?
  /// CRC-32 and ISIZE of the open member so far.
  private var checksum: UInt32 = 0
  private var size: UInt32 = 0
  /// The bytes delivered so far, and at the beginning of the open member.
  private var decoded: UInt64 = 0
  var contentStart: UInt64 = 0
  var budget = GzipDecoder.candidateBudget
  /// The output of trial decoding, which nobody reads. It is allocated at the first damage.
  lazy var scratch = [UInt8](repeating: 0, count: Self.trialOutput)

  init(input: InputWindow) throws(CompressionError) {
    self.input = input
    inflater = try InflateContext()
  }

  /// Begins another source at the input's cursor.
  func reset() {
    state = .boundary
    searchStart = nil
    decoded = 0
    budget = Self.candidateBudget
  }

  /// Returns the next event; `output` has room for at least one byte.
  func next(into output: UnsafeMutableRawBufferPointer) throws -> DecodeEvent {
    while true {
      let event: DecodeEvent?
      switch state {
      case .boundary: event = try openMember()
      case .body: event = try unsafe inflateBody(into: output)
      case .trailer: event = try checkTrailer()
      case .searching(let damage): event = try search(after: damage)
      case .ended: return .end
      }
      if let event { return event }
    }
  }

  /// The first place where a member may have been swallowed by the open one, seen from the cursor.
  private var rescanStart: UInt64 {
    let limit = input.offset > Self.rescanLimit ? input.offset - Self.rescanLimit : 0
    return max(frameStart + 1, limit)
  }

  /// Reports `damage` after the next member was looked for from `start` on.
  private func fail(_ damage: StreamDamage, searchFrom start: UInt64) {
    // The same stretch is not searched again and again for nothing.
    budget -= Int(clamping: input.offset > start ? input.offset - start : 0)
    input.seek(to: budget >= 0 ? start : max(start, input.offset))
    state = .searching(damage)
  }

  private func failTruncated(_ detail: String, unprovenFrom unproven: UInt64? = nil) {
    input.advance(input.available)
    fail(
      StreamDamage(.truncated, at: input.offset, detail, unprovenFrom: unproven),
      searchFrom: rescanStart)
  }

  private func openMember() throws -> DecodeEvent? {
    while try input.require(1) {
      let padding = unsafe input.bytes.firstIndex { $0 != 0 } ?? input.available
      if padding == 0 { break }
      input.advance(padding)
      searchStart = nil
    }
    guard input.available > 0 else {
      state = .ended
      return .end
    }
    frameStart = input.offset
    let begin = searchStart ?? frameStart + 1
    let outcome = try GzipHeader.read(input)
    let end = input.offset
    switch outcome {
    case .valid, .checksumFailed:
      beginBody()
      guard outcome == .checksumFailed else { return nil }
      let detail = "the checksum of a gzip header does not match"
      return .damage(StreamDamage(.corrupt, at: end, detail))
    case .truncated: failTruncated("the file ends inside a gzip header")
    case .invalid:
      let detail = "the bytes here are trailing bytes and not a gzip member"
      fail(StreamDamage(.corrupt, at: frameStart, detail), searchFrom: begin)
    }
    return nil
  }

  /// Opens the member whose deflate data begin at the cursor.
  private func beginBody() {
    inflater.reset()
    (checksum, size) = (0, 0)
    contentStart = decoded
    searchStart = nil
    state = .body
  }

  private func inflateBody(into output: UnsafeMutableRawBufferPointer) throws -> DecodeEvent? {
    let step = try unsafe inflater.inflate(input.bytes, into: output)
    let isStuck = step.outcome == .more && step.produced == 0 && step.consumed == 0
    input.advance(step.consumed)
    let piece = unsafe UnsafeRawBufferPointer(rebasing: output[..<step.produced])
    checksum = unsafe CRC32.update(checksum, piece)
    size &+= UInt32(truncatingIfNeeded: step.produced)
    decoded &+= UInt64(step.produced)
    if step.outcome == .done {
      state = .trailer
    } else if step.outcome == .damaged || (isStuck && input.available > 0) {
      let detail = "the deflate data of a gzip member are not valid"
      fail(StreamDamage(.corrupt, at: input.offset, detail), searchFrom: rescanStart)
    } else if isStuck {
      if try !input.require(1) { failTruncated("the file ends inside a gzip member") }
    }
    return step.produced > 0 ? .bytes(step.produced) : nil
  }

  private func checkTrailer() throws -> DecodeEvent? {
    guard try input.require(Self.trailerByteCount) else {
      failTruncated(
        "the file ends inside the trailer of a gzip member", unprovenFrom: contentStart)
      return nil
    }
    let isIntact = trailerMatches(checksum: checksum, size: size)
    input.advance(Self.trailerByteCount)
    state = .boundary
    if isIntact { return nil }
    searchStart = rescanStart
    let detail = "the checksum or the size of a gzip member does not match its content"
    return .damage(
      StreamDamage(.corrupt, at: input.offset, detail, unprovenFrom: contentStart))
  }

  /// Returns whether the trailer at the cursor, all of which is available, has these values.
  func trailerMatches(checksum: UInt32, size: UInt32) -> Bool {
    input.number(at: 0, count: 4) == UInt64(checksum)
      && input.number(at: 4, count: 4) == UInt64(size)
  }
}
