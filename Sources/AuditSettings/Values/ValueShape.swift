/// The shape of a setting's text, as far as a shell can complete it.
package enum ValueShape: Sendable, Equatable {
  case text
  case path
  case boolean
  case duration
  case size
  case share
  case number(ClosedRange<Int>)
  case words([String])
  /// Permissions, in octal digits.
  case permissions
}
