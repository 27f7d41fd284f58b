/// Numbers in a form for people.
package enum SummaryNumber {
  /// Returns a number with a comma between groups of three digits.
  package static func grouped(_ value: UInt64) -> String {
    let digits = Array(String(value))
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return text
  }

  /// Returns a number and its noun, which has an `s` unless the number is 1.
  package static func counted(_ count: Int, _ noun: String) -> String {
    "\(grouped(UInt64(count.magnitude))) \(noun)\(count == 1 ? "" : "s")"
  }
}
