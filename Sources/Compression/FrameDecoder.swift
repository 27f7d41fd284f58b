/// Decodes the frames or members of one format; ``StreamDecoder`` says what holds of all of them.
protocol FrameDecoder: AnyObject {
  /// Where the current frame or member begins in the source.
  var frameStart: UInt64 { get }
  /// Where its content began in the decompressed stream.
  var contentStart: UInt64 { get }

  /// Begins another source at the input's cursor.
  func reset()

  /// Decodes on, and returns what came of it; `output` has room for at least one byte.
  func next(into output: UnsafeMutableRawBufferPointer) throws -> DecodeEvent
}
