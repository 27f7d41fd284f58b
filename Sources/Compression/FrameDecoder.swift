/// A decoder of the frames or members of one format. ``StreamDecoder`` says what holds of all of
/// them.
protocol FrameDecoder: AnyObject {
  /// The offset in the source at which the current frame or member begins.
  var frameStart: UInt64 { get }
  /// The offset in the decompressed stream at which its content began.
  var contentStart: UInt64 { get }

  /// Begins another source at the input's cursor.
  func reset()

  /// Decodes on, and returns what came of it; `output` has room for at least one byte.
  func next(into output: UnsafeMutableRawBufferPointer) throws -> DecodeEvent
}
