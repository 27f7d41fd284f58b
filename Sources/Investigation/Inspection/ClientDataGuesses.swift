internal import AppAttest
internal import AuditLog
internal import AuditSettings

/// Other clientDataHashes that a device may have been given, each with its meaning. They are tried
/// if a signature or nonce does not hold.
struct ClientDataGuesses {
  struct Guess {
    /// A clause that goes on behind "if the device had signed".
    let words: String
    let hash: [UInt8]
  }

  let guesses: [Guess]

  /// The largest number of guesses. Each costs two key recoveries.
  private static let limit = 1200
  /// The length of the longest clientDataHash, in bytes.
  private static let hashLimit = 255

  /// Makes the guesses from the texts of a line.
  ///
  /// - Parameter recorded: The clientDataHash that was tried and is no guess.
  init(line: [UInt8], recorded: [UInt8]?) {
    var guesses: [Guess] = []
    var seen: Set<[UInt8]> = []
    func add(_ words: String, _ hash: [UInt8]) {
      guard guesses.count < Self.limit, hash.count <= Self.hashLimit, seen.insert(hash).inserted
      else { return }
      guesses.append(Guess(words: words, hash: hash))
    }
    func sha256(_ bytes: [UInt8]) -> [UInt8] { Digest256.sha256(bytes.span).bytes }
    if let recorded {
      add("the recorded clientDataHash hashed once more", sha256(recorded))
      seen.insert(recorded)
    }
    var data: [(name: String, bytes: [UInt8])] = []
    for text in LineStrings(line).texts {
      data.append(("the field \(text.name)", text.bytes))
    }
    // First the texts as they are, then each in other forms.
    for (name, bytes) in data { add("the SHA-256 of \(name)", sha256(bytes)) }
    for (name, bytes) in data {
      for form in Self.forms(bytes) {
        add("the SHA-256 of \(name) \(form.name)", sha256(form.bytes))
      }
    }
    for (name, bytes) in data {
      add("\(name) itself, not hashed", bytes)
      add("\(name) hashed twice", sha256(sha256(bytes)))
      if let decoded = KeyTexts.base64(String(decoding: bytes, as: UTF8.self)), !decoded.isEmpty {
        add("the bytes of \(name), which is base64, not hashed", decoded)
      }
      if let decoded = KeyTexts.hex(String(decoding: bytes, as: UTF8.self)), !decoded.isEmpty {
        add("the bytes of \(name), which is hex, not hashed", decoded)
      }
    }
    self.guesses = guesses
  }

  /// Returns other forms of a text.
  private static func forms(_ bytes: [UInt8]) -> [(name: String, bytes: [UInt8])] {
    var forms = JSONRewriting.forms(bytes).map { ("written as JSON \($0.name)", $0.bytes) }
    if let decoded = KeyTexts.base64(String(decoding: bytes, as: UTF8.self)), !decoded.isEmpty {
      forms.append(("decoded from base64", decoded))
    }
    if let decoded = KeyTexts.hex(String(decoding: bytes, as: UTF8.self)), !decoded.isEmpty {
      forms.append(("decoded from hex", decoded))
    }
    let plus = UInt8(ascii: "+")
    if bytes.contains(0x20) {
      forms.append(
        ("with '+' for each space, which form decoding ate", bytes.map { $0 == 0x20 ? plus : $0 }))
    }
    if bytes.contains(plus) {
      forms.append(
        ("with a space for each '+', as form decoding makes", bytes.map { $0 == plus ? 0x20 : $0 }))
    }
    if bytes.contains(UInt8(ascii: "%")) {
      forms.append(("with percent signs decoded", PercentCode.decoded(bytes.span)))
    }
    forms.append(("with a line end behind it", bytes + [0x0A]))
    if let last = bytes.last, last <= 0x20 {
      forms.append(
        ("without the white space behind it", Array(bytes[...(bytes.lastIndex { $0 > 0x20 } ?? 0)]))
      )
    }
    return forms
  }
}
