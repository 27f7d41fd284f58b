import Testing

@testable import AuditLog

/// What is read in a quick way, held against a plain one.
@Suite struct `Quick reading` {
  /// All that is known of a line: how it failed, or what its fields are.
  private func outcome(_ line: [UInt8], byIndex: Bool, _ json: borrowing JSONLine) -> [String] {
    withLine(line) { text in
      var duplicate: LogField?
      let failure =
        byIndex
        ? unsafe json.readByIndex(text, duplicate: &duplicate)
        : unsafe json.read(text, duplicate: &duplicate)
      if let failure { return ["\(failure)"] }
      var known = ["\(duplicate.map { $0.name } ?? "-")"]
      for field in LogField.allCases {
        let value = json[field]
        known.append(unsafe "\(value.kind) \(Array(value.text))")
      }
      return known
    }
  }

  private static let seeds: [String] = [
    #"{"time":1772331929484,"keyId":"Hfz0KKhc6GUslrY_BagjCu_4qEEyqtQK5Tz6q3KQ8po=","kind":"assertion"}"#,
    #"{ "time" : "2026-03-01T02:25:15.018Z" , "subject":"u\u0073er-\u0033\u00322425","x":[1,{"y":[]}]}"#,
    #"{"payload":"a\"b\\c\/\b\f\n\r\t\ud83d\ude00é€😀","clientData":null,"decision":true,"appId":{}}"#,
    #"{"\u0074ime":-1.5e+10,"time":2,"trace":{"a":{"b":[null,true,false,"x"]},"c":0.25}}"#,
    #"{"requestId":"req-6a5717f292c8d00b7962e634-and-a-long-tail-behind-it\u00e9","platform":"ios"}"#,
    "{}", #"{"a":"\ud800"}"#, "[1]", " {\t} ", #"{"format":"a","format":"b","k":[[[[]]]]}"#,
  ]

  @Test func `changed lines are read alike with and without the index`() {
    let json = JSONLine()
    var random = Generator(17)
    let pieces = Array("{}[]\",:\\u0123dDeE+-.truefalsn \t\u{E9}\u{20AC}\n/b\u{1F}\u{7F}\u{0}".utf8)
    for round in 0..<30_000 {
      var line = Array(Self.seeds[round % Self.seeds.count].utf8)
      for _ in 0..<random.below(4) where !line.isEmpty {
        let place = random.below(line.count)
        switch random.below(4) {
        case 0: line[place] = pieces[random.below(pieces.count)]
        case 1: line.insert(pieces[random.below(pieces.count)], at: place)
        case 2: line.remove(at: place)
        default: line.removeLast(random.below(8) == 0 ? line.count - place : 0)
        }
      }
      let quick = outcome(line, byIndex: false, json)
      #expect(
        quick == outcome(line, byIndex: true, json), "\(String(decoding: line, as: UTF8.self))")
    }
  }

  // MARK: Base64

  /// The bytes of base64 without padding, a bit at a time; nil for a character of no alphabet.
  private func reference(_ text: [UInt8]) -> [UInt8]? {
    let alphabet = Array(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var bits: [Bool] = []
    for byte in text {
      let character: UInt8 =
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: " "): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: byte
        }
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      for place in stride(from: 5, through: 0, by: -1) { bits.append(value >> place & 1 == 1) }
    }
    return (0..<(bits.count / 8)).map { index in
      bits[(8 * index)..<(8 * index + 8)].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }
  }

  private func decode(_ text: [UInt8]) -> [UInt8]? {
    var buffer = ByteBuffer(capacity: 64)
    let range = unsafe text.withUnsafeBufferPointer { unsafe Base64.decode($0, into: &buffer) }
    return range.map { Array(buffer.storage[$0]) }
  }

  @Test func `base64 of every length is decoded as bit by bit`() {
    let alphabet = Array(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_ ".utf8)
    var random = Generator(23)
    for length in (0..<200) where length % 4 != 1 {
      for _ in 0..<5 {
        let text = (0..<length).map { _ in alphabet[random.below(alphabet.count)] }
        #expect(decode(text) == reference(text))
      }
    }
  }

  @Test func `every byte in every place of a vector is taken or refused`() {
    let text = [UInt8](repeating: UInt8(ascii: "Q"), count: 96)
    for place in 0..<text.count {
      for byte in UInt8.min...255 where byte != UInt8(ascii: "=") || place < 90 {
        var changed = text
        changed[place] = byte
        if decode(changed) != reference(changed) {
          Issue.record("\(byte) at \(place)")
        }
      }
    }
  }

  // MARK: Numbers

  @Test func `plain numbers are times as all numbers are`() {
    var random = Generator(29)
    for _ in 0..<5000 {
      let text = (0..<(1 + random.below(18))).map { _ in UInt8(ascii: "0") + UInt8(random.below(10))
      }
      #expect(LogTime.parse(number: text.span) == LogTime.parse(anyNumber: text.span), "\(text)")
    }
    for text in ["0", "99999999999", "100000000000", "253402300799999", "253402300800000"] {
      let text = Array(text.utf8)
      #expect(LogTime.parse(number: text.span) == LogTime.parse(anyNumber: text.span))
    }
  }
}
