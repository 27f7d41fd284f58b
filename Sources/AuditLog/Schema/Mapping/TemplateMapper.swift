internal import CSimdjson

/// A template, with room for the text that it makes of the line at hand.
@safe final class TemplateMapper {
  private enum Part {
    case text
    case slot(Int, TemplateForm)
  }

  private let parts: [Part]
  /// The text of each part, or the bytes before its value.
  private let texts: TextPool
  private let room = TextRoom()
  private var decoded = ByteBuffer()
  /// Whether a part that is absent is an empty text.
  private let takesAbsent: Bool
  /// The first slot whose value is not what the template needs, after a failure.
  private(set) var missingSlot = -1

  init(_ parts: [TemplatePart], _ slots: [Int], takesAbsent: Bool) {
    var rest = slots[...]
    self.parts = parts.map { part in
      guard case .pointer(_, let form) = part else { return .text }
      return .slot(rest.removeFirst(), form)
    }
    self.takesAbsent = takesAbsent
    texts = TextPool(
      parts.map { part in
        switch part {
        case .text(let text): Array(text.utf8)
        case .pointer(_, let form): form.head
        }
      })
  }

  func fill(_ line: borrowing JSONLine, _ sets: attest_json_sets) -> attest_json_value? {
    var length = 0
    for (index, part) in parts.enumerated() {
      unsafe length += texts[index].length
      guard case .slot(let slot, _) = part else { continue }
      let bit: UInt64 = 1 << UInt64(slot)
      if takesAbsent, sets.present & bit == 0 { continue }
      guard (sets.strings | sets.numbers) & ~sets.binary & bit != 0 else {
        missingSlot = slot
        return nil
      }
      unsafe length += line.values[slot].length + Self.countBytes
    }
    room.start(length)
    for (index, part) in parts.enumerated() {
      switch part {
      case .text: unsafe room.append(texts[index])
      case .slot(let slot, let form):
        guard sets.present & (1 << UInt64(slot)) != 0 else { continue }
        guard form != .text else {
          unsafe room.append(line.values[slot])
          continue
        }
        unsafe room.append(texts[index])
        guard unsafe appendDecoded(line.values[slot], isCounted: form != .base64) else {
          missingSlot = slot
          return nil
        }
      }
    }
    return unsafe room.text
  }

  /// The number of bytes before a byte string in CBOR whose length has 32 bits.
  private static let countBytes = 5

  /// Appends the bytes that a text encodes: fewer than it has. If they are counted, they are a byte string
  /// in CBOR. Returns false if the text is not base64.
  private func appendDecoded(_ text: attest_json_value, isCounted: Bool) -> Bool {
    decoded.removeAll()
    guard let range = unsafe Base64.decode(text.text, into: &decoded) else { return false }
    if isCounted {
      guard let count = UInt32(exactly: range.count) else { return false }
      let head: InlineArray<5, UInt8> = [
        0x5A, UInt8(count >> 24), UInt8(count >> 16 & 255), UInt8(count >> 8 & 255),
        UInt8(count & 255),
      ]
      room.append(head.span)
    }
    let bytes = decoded.storage
    room.append(bytes.span.extracting(range))
    return true
  }
}
