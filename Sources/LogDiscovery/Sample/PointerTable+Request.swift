/// Pointers into data that a client sent.
extension PointerTable {
  /// Returns whether the value at a pointer is a part of a request, as its client wrote it.
  ///
  /// - Parameters:
  ///   - tokens: Pointers of tokens. An object named metadata is the client's if it holds a token.
  ///   - methods: Pointers of the method of the request.
  func isOfRequest(_ number: Int, tokens: Set<Int>, methods: Set<Int> = []) -> Bool {
    var isFound = false
    var at = number
    while at != Self.root {
      let words = NameWords(name(at))
      // An answer is the server's, but not one inside the request.
      let isAnswer =
        (words.contains(["resp"]) || words.isOne(["res"])) && !words.contains(["request"])
      let text = name(at).lowercased()
      isFound =
        !isAnswer
        && (isFound
          || WordLists.requestBeginnings.contains { text.hasPrefix($0) }
            && !WordLists.serverNames.contains(text))
      if at != number, !isAnswer {
        isFound =
          isFound || words.contains(["header", "hdr"])
          || words.isOne(WordLists.requestParts) && !isBodyOfRecord(at)
          || words.isOne(WordLists.bodiesOrRecords) && isBeside(methods, at)
          || words.contains(["metadata"]) && tokens.contains { isInside($0, at) }
      }
      at = parent(at)
    }
    return isFound
  }

  /// Returns whether pointers are outside of an object, and none of them inside.
  func isBeside(_ pointers: Set<Int>, _ object: Int) -> Bool {
    !pointers.isEmpty && pointers.allSatisfy { !isInside($0, object) }
  }

  private func isBodyOfRecord(_ number: Int) -> Bool {
    NameWords(name(number)).isOne(["body"])
      && children(parent(number)).contains { NameWords(name($0)).isOne(WordLists.recordMembers) }
  }
}
