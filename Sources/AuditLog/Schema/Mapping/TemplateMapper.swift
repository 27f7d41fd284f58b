internal import CSimdjson

/// A template, with room for the text that it makes of the line at hand.
@safe final class TemplateMapper {
  private let parts: [CompiledRule.Field.Part]
  private let texts: TextPool
  private let room = TextRoom()
  /// Whether a part that is absent is an empty text.
  private let takesAbsent: Bool
  /// The first slot that holds no text, after a failure.
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
      case .slot(let slot):
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
      case .slot(let slot):
        if sets.present & (1 << UInt64(slot)) != 0 { unsafe room.append(line.values[slot]) }
      }
    }
    return unsafe room.text
  }
}
