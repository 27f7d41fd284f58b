/// The facts about the token with which bytes begin (`records.R53`).
package struct TokenFront: Equatable {
  /// How far the token goes.
  package enum Extent: Equatable {
    /// The bytes begin no token.
    case none
    /// They begin a whole object of another format.
    case otherObject
    /// They begin a map that has no name of a token yet: more bytes decide.
    case unnamed
    /// They have such a name, and more bytes decide.
    case undecided
    /// A token of so many bytes.
    case whole(Int)
    /// A token that goes on after the bytes.
    case open
    /// A token that no bytes complete.
    case broken
  }

  package var extent: Extent
  /// The number of bytes that a cut copy of the token has at least if other bytes complete it.
  package var own: Int
  /// The bytes that were read to know this: of a string, its head.
  package var work: Int
  /// The place of the first name, if a key before it is no UTF-8, which can be the words before another token.
  package var nameBehindWords: Int?

  package init(_ extent: Extent, own: Int = 0, work: Int = 0, nameBehindWords: Int? = nil) {
    self.extent = extent
    self.own = own
    self.work = work
    self.nameBehindWords = nameBehindWords
  }

  /// The length of the token, or nil if the bytes do not contain all of it.
  package var length: Int? {
    if case .whole(let length) = extent { length } else { nil }
  }
}
