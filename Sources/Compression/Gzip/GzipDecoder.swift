/// A decoder of gzip members (RFC 1952) and zero bytes after them, for one thread at a time.
final class GzipDecoder: FrameDecoder {
  private enum State {
    /// The place where a member may begin or the source may end.
    case boundary
    case body, trailer
  }

  static let noun = "gzip member"
  private static let trailerByteCount = 8
  /// A candidate that gives this much, in bytes, is a member.
  private static let trialOutput = 4 << 10
  /// The most bytes of deflate data that a trial takes.
  private static let trialInput = 32 << 10
  /// The longest header of a candidate, in bytes: names and an extra field of usual size.
  private static let trialHeader: UInt64 = 64 << 10
  /// A candidate that ends before ``trialOutput`` counts without a matching trailer from here on.
  private static let provenOutput = 256

  let input: InputWindow
  var place = FramePlace()
  private let inflater: InflateContext
  private var state = State.boundary
  /// CRC-32 and ISIZE of the open member so far.
  private var checksum: UInt32 = 0
  private var size: UInt32 = 0
  /// The output of trials, which nobody reads. It is allocated at the first damage.
  private lazy var scratch = [UInt8](repeating: 0, count: Self.trialOutput)

  init(input: InputWindow) throws(CompressionError) {
    self.input = input
    inflater = try InflateContext()
  }

  func goToBoundary() { state = .boundary }

  func step(into output: UnsafeMutableRawBufferPointer) throws -> DecodeEvent? {
    switch state {
    case .boundary: try openMember()
    case .body: try unsafe inflateBody(into: output)
    case .trailer: try checkTrailer()
    }
  }

  private func openMember() throws -> DecodeEvent? {
    while try input.require(1) {
      let padding = unsafe input.bytes.firstIndex { $0 != 0 } ?? input.available
      if padding == 0 { break }
      input.advance(padding)
      place.searchStart = nil
    }
    guard input.available > 0 else {
      place.isEnded = true
      return .end
    }
    let start = input.offset
    place.frameStart = start
    switch try GzipHeader.read(input) {
    case .valid: beginBody()
    case .checksumFailed:
      beginBody()
      let detail = "the checksum of a gzip header does not match"
      return .damage(StreamDamage(.corrupt, at: input.offset, detail))
    case .truncated: return failCut("the file ends inside a gzip header")
    case .invalid:
      return fail(
        "the bytes here are trailing bytes and not a gzip member", at: start,
        searchFrom: place.searchStart ?? start + 1)
    }
    return nil
  }

  /// Opens the member whose deflate data begin at the cursor.
  private func beginBody() {
    inflater.reset()
    (checksum, size) = (0, 0)
    place.contentStart = place.decoded
    place.searchStart = nil
    state = .body
  }

  private func inflateBody(into output: UnsafeMutableRawBufferPointer) throws -> DecodeEvent? {
    let step = try unsafe inflater.inflate(input.bytes, into: output)
    let isStuck = step.outcome == .more && step.produced == 0 && step.consumed == 0
    input.advance(step.consumed)
    let piece = unsafe UnsafeRawBufferPointer(rebasing: output[..<step.produced])
    checksum = unsafe CRC32.update(checksum, piece)
    size &+= UInt32(truncatingIfNeeded: step.produced)
    place.decoded &+= UInt64(step.produced)
    if step.outcome == .done {
      state = .trailer
    } else if step.outcome == .damaged || (isStuck && input.available > 0) {
      _ = fail(
        "the deflate data of a gzip member are not valid", at: input.offset,
        searchFrom: rescanStart)
    } else if isStuck, try !input.require(1) {
      _ = failCut("the file ends inside a gzip member")
    }
    return step.produced > 0 ? .bytes(step.produced) : nil
  }

  private func checkTrailer() throws -> DecodeEvent? {
    guard try input.require(Self.trailerByteCount) else {
      return failCut(
        "the file ends inside the trailer of a gzip member", unprovenFrom: place.contentStart)
    }
    let isIntact = trailerMatches(checksum: checksum, size: size)
    input.advance(Self.trailerByteCount)
    state = .boundary
    if isIntact { return nil }
    place.searchStart = rescanStart
    return .damage(
      StreamDamage(
        .corrupt, at: input.offset,
        "the checksum or the size of a gzip member does not match its content",
        unprovenFrom: place.contentStart))
  }

  /// Returns whether the trailer at the cursor, all of which is available, has these values.
  private func trailerMatches(checksum: UInt32, size: UInt32) -> Bool {
    input.number(at: 0, count: 4) == UInt64(checksum)
      && input.number(at: 4, count: 4) == UInt64(size)
  }

  // MARK: The next member after damage

  /// The magic number with the method deflate and no reserved flag.
  static func firstMagic(_ bytes: UnsafeRawBufferPointer) -> Int? {
    let magic =
      UInt32(GzipMagic.first) | UInt32(GzipMagic.second) << 8 | UInt32(GzipMagic.deflate) << 16
    return unsafe bytes.firstWord { $0 & 0xE0FF_FFFF == magic }
  }

  func accepts() throws -> Bool {
    guard try GzipHeader.read(input, limit: Self.trialHeader) == .valid else { return false }
    inflater.reset()
    var produced = 0
    var consumed = 0
    var sum: UInt32 = 0
    defer { place.budget -= produced }
    while true {
      let source = unsafe input.prefix(min(input.available, Self.trialInput - consumed))
      let step = try unsafe scratch.withUnsafeMutableBytes { scratch in
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[produced...])
        let step = try unsafe inflater.inflate(source, into: room)
        let piece = unsafe UnsafeRawBufferPointer(rebasing: room[..<step.produced])
        sum = unsafe CRC32.update(sum, piece)
        return step
      }
      input.advance(step.consumed)
      produced += step.produced
      consumed += step.consumed
      if produced >= Self.trialOutput { return true }
      switch step.outcome {
      case .damaged, .checksumFailed: return false
      case .done: return try acceptsEnd(checksum: sum, size: produced)
      case .more:
        if consumed >= Self.trialInput { return produced > 0 }
        if step.consumed == 0, input.available > 0 { return false }
        if try !input.require(1) { return produced > 0 }
      }
    }
  }

  /// Returns whether the candidate that ends at the cursor after few bytes is a member.
  private func acceptsEnd(checksum: UInt32, size: Int) throws -> Bool {
    guard try input.require(Self.trailerByteCount) else { return size > 0 }
    return trailerMatches(checksum: checksum, size: UInt32(truncatingIfNeeded: size))
      || size >= Self.provenOutput
  }
}
