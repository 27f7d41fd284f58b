/// Pointers into data that a client sent.
extension PointerTable {
  /// Returns whether the value at a pointer is a part of a request, as its client wrote it.
  ///
  /// - Parameters:
  ///   - tokens: Pointers of tokens. An object named metadata is the client's if it holds a token.
  ///   - methods: Pointers of the method of the request.
  func isOfRequest(_ number: Int, tokens: Set<Int>, methods: Set<Int> = []) -> Bool {
    let path = [number] + parents(of: number)
    // An answer is the server's, but not one inside the request.
    let outside = path.lastIndex(where: isAnswer).map { path[($0 + 1)...] } ?? path[...]
    return outside.contains { at in
      let words = NameWords(name(at))
      let text = name(at).lowercased()
      if WordLists.requestBeginnings.contains(where: text.hasPrefix),
        !WordLists.serverNames.contains(text)
      {
        return true
      }
      return at != number
        && (words.contains(["header", "hdr"])
          || words.isOne(WordLists.requestParts) && !isBodyOfRecord(at)
          || words.isOne(WordLists.bodiesOrRecords) && isBeside(methods, at)
          || words.contains(["metadata"]) && tokens.contains { isInside($0, at) })
    }
  }

  private func isAnswer(_ number: Int) -> Bool {
    let words = NameWords(name(number))
    return (words.contains(["resp"]) || words.isOne(["res"])) && !words.contains(["request"])
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
