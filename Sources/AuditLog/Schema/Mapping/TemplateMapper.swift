internal import CSimdjson

/// A template, with room for the text that it makes of the line at hand.
@safe final class TemplateMapper {
  private let parts: [CompiledRule.Field.Part]
  private let texts: TextPool
  private let room = TextRoom()
  private var decoded = ByteBuffer()
  /// Whether a part that is absent is an empty text.
  private let takesAbsent: Bool
  /// The first slot whose value is not what the template needs, after a failure.
  private(set) var missingSlot = -1

  init(_ parts: [CompiledRule.Field.Part], takesAbsent: Bool) {
    self.parts = parts
    self.takesAbsent = takesAbsent
    texts = TextPool(
      parts.map { part in if case .text(let text) = part { text } else { "" } })
  }

  /// Returns the text, or nil if a part has no text.
  func fill(_ line: borrowing JSONLine, _ sets: JSONLine.Sets) -> attest_json_value? {
    var length = 0
    for (index, part) in parts.enumerated() {
      switch part {
      case .text: unsafe length += texts[index].length
      case .slot(let slot, _):
        let bit: UInt64 = 1 << UInt64(slot)
        if takesAbsent, sets.present & bit == 0 { continue }
        guard (sets.strings | sets.numbers) & ~sets.binary & bit != 0 else {
          missingSlot = slot
          return nil
        }
        unsafe length += line.values[slot].length
      }
    }
    room.start(length)
    for (index, part) in parts.enumerated() {
      switch part {
      case .text: unsafe room.append(texts[index])
      case .slot(let slot, let isBase64):
        guard sets.present & (1 << UInt64(slot)) != 0 else { continue }
        guard isBase64 else {
          unsafe room.append(line.values[slot])
          continue
        }
        guard unsafe appendDecoded(line.values[slot]) else {
          missingSlot = slot
          return nil
        }
      }
    }
    return unsafe room.text
  }

  /// Appends the bytes that a text encodes: fewer than it has. Returns false if it is not base64.
  private func appendDecoded(_ text: attest_json_value) -> Bool {
    decoded.removeAll()
    let characters = unsafe UnsafeBufferPointer(start: text.bytes, count: text.length)
    guard let range = unsafe Base64.decode(characters, into: &decoded) else { return false }
    let bytes = decoded.storage
    room.append(bytes.span.extracting(range))
    return true
  }
}
