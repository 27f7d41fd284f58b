internal import AppAttest
internal import Basics
internal import Files
internal import Glibc

/// Long texts, which are not in their rows but in a temporary file.
final class TextStore: Sendable {
  /// The longest text that stands in a row itself, in bytes of UTF-8.
  static let inlineBytes = 512

  private let file: SpillFile

  init(folder: String) { file = SpillFile(folder: folder) }

  /// Keeps `text` and returns the offset to fetch it by.
  func store(_ text: UnsafeRawBufferPointer) throws(AuditError) -> UInt64 {
    let offset = file.reserve(text.count)
    unsafe try file.write(text, at: offset)
    return UInt64(offset)
  }

  /// Returns the text of `count` bytes kept at `offset`.
  func fetch(_ offset: UInt64, count: Int) throws(AuditError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    unsafe try span.withUnsafeMutableBytes { (buffer) throws(AuditError) in
      unsafe try file.read(into: buffer, at: Int(offset))
    }
    return bytes
  }
}

/// A text in a row: inline, or a digest and where it is kept or its beginning. Layout: a tag of 2
/// bytes, which is the length of an inline text; `absentTag`; `storedTag`, SHA-256 cut to 16 bytes,
/// length, 8, offset, 8; or `cutTag`, digest and length, 2 bytes of what follows, and the beginning.
@safe struct RowText {
  static let absentTag: UInt16 = 0xFFFF
  static let storedTag: UInt16 = 0xFFFE
  static let storedBytes = 34
  /// Rows that are kept from run to run have long texts so, since no ``TextStore`` goes with them.
  static let cutTag: UInt16 = 0xFFFD
  static let cutHeadBytes = 28
  /// The most of a text that is cut, in bytes of UTF-8.
  static let longestCut = 2048
  /// The bytes with digest and length of a long text, and the place of a stored one's offset.
  private static let digestRange = 2..<26
  static let offsetPlace = 26

  let encoded: UnsafeRawBufferPointer

  init(encoded: UnsafeRawBufferPointer) { unsafe self.encoded = encoded }

  /// Makes the text that is kept elsewhere, and whose tag is at a place of a row.
  init(stored row: UnsafeRawBufferPointer, at place: Int) {
    unsafe encoded = UnsafeRawBufferPointer(rebasing: row[place..<(place + Self.storedBytes)])
  }

  nonisolated(unsafe) static let absent = {
    let tag = UnsafeMutableRawBufferPointer.allocate(byteCount: 2, alignment: 2)
    unsafe tag.storeBytes(of: absentTag, as: UInt16.self)
    return unsafe RowText(encoded: UnsafeRawBufferPointer(tag))
  }()

  private var tag: UInt16 { unsafe encoded.loadUnaligned(as: UInt16.self) }

  var isAbsent: Bool { tag == Self.absentTag }

  var isStored: Bool { tag == Self.storedTag }

  /// Whether the row has only the beginning of the text.
  var isCut: Bool { tag == Self.cutTag }

  /// The bytes of a text as far as it is in the row, or nil if it is absent or kept elsewhere.
  var inline: UnsafeRawBufferPointer? {
    if isCut { return unsafe UnsafeRawBufferPointer(rebasing: encoded[Self.cutHeadBytes...]) }
    return unsafe tag <= UInt16(TextStore.inlineBytes)
      ? UnsafeRawBufferPointer(rebasing: encoded[2...]) : nil
  }

  /// The length of a text that is kept elsewhere, in bytes of UTF-8, or 0 if it is not. No text is
  /// as long as a number can say.
  var storedLength: UInt64 { isStored ? min(longLength, 1 << 40) : 0 }

  private var isLong: Bool { isStored || isCut }
  private var longLength: UInt64 {
    unsafe encoded.loadUnaligned(fromByteOffset: 18, as: UInt64.self)
  }

  /// The bytes that are equal for equal texts of the same tag.
  private var compared: UnsafeRawBufferPointer {
    unsafe isLong ? UnsafeRawBufferPointer(rebasing: encoded[Self.digestRange]) : encoded
  }

  /// The bytes that are equal for equal texts, whatever row has them.
  var identity: [UInt8] {
    unsafe isLong ? Self.raw(Self.storedTag) + Array(compared) : Array(encoded)
  }

  func has(identity other: [UInt8]) -> Bool {
    let compared = unsafe compared
    let start = isLong ? 2 : 0
    guard other.count == start + compared.count,
      !isLong || other.starts(with: Self.raw(Self.storedTag))
    else { return false }
    return unsafe other.withUnsafeBytes { other in
      guard let left = compared.baseAddress, let right = other.baseAddress else { return true }
      return unsafe memcmp(left, right + start, compared.count) == 0
    }
  }

  /// The first 16 bytes of a text's SHA-256, and its length in bytes of UTF-8.
  var digest: (Digest128, length: UInt64) {
    guard isLong else {
      let text = unsafe UnsafeRawBufferPointer(rebasing: encoded[2...])
      let digest = unsafe Digest256.sha256(Span(_unsafeBytes: text))
      return (digest.firstHalf, UInt64(text.count))
    }
    return unsafe (Digest128(compared), longLength)
  }

  private static func raw(_ number: some FixedWidthInteger) -> [UInt8] {
    unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
  }

  /// Returns the identity that a row's text of these bytes has.
  static func identity(of bytes: [UInt8]) -> [UInt8] {
    guard bytes.count > TextStore.inlineBytes else { return raw(UInt16(bytes.count)) + bytes }
    let digest = Digest256.sha256(bytes.span).bytes.prefix(16)
    return raw(storedTag) + digest + raw(UInt64(bytes.count))
  }

  static func == (left: RowText, right: RowText) -> Bool {
    unsafe left.isLong == right.isLong && left.compared.elementsEqual(right.compared)
  }

  /// Returns the text as far as it is kept, or an empty text. It is UTF-8, as JSON is.
  func string(_ store: TextStore) throws(AuditError) -> String {
    if let inline = unsafe inline { return unsafe String(decoding: inline, as: UTF8.self) }
    return String(decoding: try bytes(store, most: .max), as: UTF8.self)
  }

  /// Returns at most `most` bytes of the text's beginning.
  func bytes(_ store: TextStore, most: Int) throws(AuditError) -> [UInt8] {
    if let inline = unsafe inline { return unsafe Array(inline.prefix(most)) }
    guard isStored else { return [] }
    let offset = unsafe encoded.loadUnaligned(fromByteOffset: Self.offsetPlace, as: UInt64.self)
    return try store.fetch(offset, count: min(Int(clamping: longLength), most))
  }
}
