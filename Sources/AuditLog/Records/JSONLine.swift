internal import CSimdjson

/// A reader of lines as JSON objects with simdjson. It is a handle for one thread at a time.
@safe struct JSONLine: ~Copyable {
  /// The way in which a line failed, and the byte of the line at which it did (`records.R45`).
  enum Failure: Equatable {
    case notJSON(at: Int)
    case endsEarly(at: Int)
    case secondObject(at: Int)
    case tooDeep(at: Int)
    case noMemory

    /// One English sentence. `start` is the number of bytes of the line before the text.
    func reason(after start: Int = 0) -> String {
      switch self {
      case .notJSON(let at): "The line is not JSON: byte \(start + at) cannot be part of an object."
      case .endsEarly(let at):
        "The line ends early: its object is not complete at byte \(start + at)."
      case .secondObject(let at): "A second object begins at byte \(start + at) of the line."
      case .tooDeep(let at):
        "The line is nested deeper than \(ATTEST_JSON_MAXIMUM_DEPTH): at byte \(start + at)."
      case .noMemory: "There is not enough memory to read the line."
      }
    }
  }

  /// The deviations that strict JSON refuses, with their names (`records.R81`).
  private static let tolerances: [(attest_json_tolerance, String)] = [
    (ATTEST_JSON_NOT_UTF8, "bytes that are not UTF-8"),
    (ATTEST_JSON_LONE_SURROGATE, "a lone surrogate"),
    (ATTEST_JSON_CONTROL_CHARACTER, "an unescaped control character"),
    (ATTEST_JSON_HEX_ESCAPE, "an escape with \\x"),
    (ATTEST_JSON_NOT_A_NUMBER, "NaN or Infinity"),
    (ATTEST_JSON_BYTES_BEFORE, "zero bytes or a byte order mark before the object"),
    (ATTEST_JSON_TEXT_AFTER, "text after the object"),
  ]

  /// A field's value in the memory of the line or of the parser, valid until the next line.
  @safe struct Value {
    enum Kind {
      case absent, null, string, number
      /// A boolean, an object or an array.
      case other
    }
    let kind: Kind
    /// The decoded text of a string, or else the text in the line.
    let text: UnsafeBufferPointer<UInt8>

    var isPresent: Bool {
      switch kind {
      case .absent, .null: false
      case .string, .number, .other: true
      }
    }
  }

  static let padding = Int(ATTEST_JSON_PADDING)

  private let parser: OpaquePointer
  private let fields: UnsafeMutablePointer<attest_json_fields>
  /// The texts of the line that was read last, by slot.
  let values: UnsafePointer<attest_json_value>
  private let raws: UnsafePointer<attest_json_value>

  init() { self.init(CompiledSchema.standard.tree) }

  init(_ tree: PointerTree) {
    unsafe fields = .allocate(capacity: 1)
    unsafe fields.initialize(to: attest_json_fields())
    unsafe values = Self.array(\.values, of: fields)
    unsafe raws = Self.array(\.raws, of: fields)
    let joined = tree.places.flatMap(\.name) + [0]
    let parser = unsafe joined.withUnsafeBufferPointer { joined in
      var offset = 0
      var places: [attest_json_place] = unsafe []
      for place in tree.places {
        unsafe places.append(
          attest_json_place(
            name: joined.baseAddress.unsafelyUnwrapped + offset, length: place.name.count,
            parent: Int32(place.parent), slot: Int32(place.slot),
            flags: UInt32(place.hasHeaders ? ATTEST_JSON_HEADERS : 0)
              | UInt32(place.wantsRaw ? ATTEST_JSON_RAW : 0) | Self.flag(place.wrapping),
            switch_slot: Int32(place.switchSlot)))
        offset += place.name.count
      }
      return unsafe places.withUnsafeBufferPointer { places in
        unsafe attest_json_create(places.baseAddress.unsafelyUnwrapped, places.count)
      }
    }
    guard let parser = unsafe parser else {
      preconditionFailure("out of memory for a JSON parser")
    }
    unsafe self.parser = parser
  }

  private static func flag(_ wrapping: SchemaWrapping.Form?) -> UInt32 {
    switch wrapping {
    case nil: 0
    case .base64: UInt32(ATTEST_JSON_BASE64)
    case .percent: UInt32(ATTEST_JSON_PERCENT)
    case .json: UInt32(ATTEST_JSON_STRING_IN_STRING)
    }
  }

  /// Returns the address of the first element of an array in the fields.
  private static func array<Tuple>(
    _ path: KeyPath<attest_json_fields, Tuple>, of fields: UnsafePointer<attest_json_fields>
  ) -> UnsafePointer<attest_json_value> {
    unsafe UnsafeRawPointer(fields)
      .advanced(by: MemoryLayout<attest_json_fields>.offset(of: path) ?? 0)
      .assumingMemoryBound(to: attest_json_value.self)
  }

  deinit {
    unsafe attest_json_destroy(parser)
    unsafe fields.deallocate()
  }

  /// Reads `line`, after which `padding` bytes are readable; on success the values are there until
  /// the next line. A line that is not strict JSON is read again with tolerances.
  func read(_ line: UnsafeBufferPointer<UInt8>) -> Failure? {
    guard let base = line.baseAddress else { return .endsEarly(at: 0) }
    let status = unsafe attest_json_read(parser, base, line.count, fields)
    if status == ATTEST_JSON_OK { return nil }
    let at = unsafe fields.pointee.failed_at
    switch status {
    case ATTEST_JSON_NO_MEMORY: return .noMemory
    case ATTEST_JSON_ENDS_EARLY: return .endsEarly(at: at)
    case ATTEST_JSON_SECOND_OBJECT: return .secondObject(at: at)
    case ATTEST_JSON_TOO_DEEP: return .tooDeep(at: at)
    default: return .notJSON(at: at)
    }
  }

  /// Whether the line, or JSON in its strings, is not strict JSON.
  var isOdd: Bool { unsafe fields.pointee.tolerances != 0 }

  /// The tolerances that the line needed and the byte of their first use, as a clause.
  func oddities(after start: Int) -> String {
    let offsets = unsafe fields.pointee.tolerated_at
    let places = unsafe withUnsafeBytes(of: offsets) { unsafe Array($0.bindMemory(to: Int.self)) }
    return Self.tolerances.filter { unsafe fields.pointee.tolerances & 1 << $0.0.rawValue != 0 }
      .map { "\($0.1) (byte \(start + places[Int($0.0.rawValue)]))" }.joined(separator: ", ")
  }

  /// The parts of the line that can contain a token: long strings as written, arrays of numbers.
  var parts: UnsafeBufferPointer<attest_json_value> {
    var count = 0
    let first = unsafe attest_json_parts(parser, &count)
    return unsafe UnsafeBufferPointer(start: first, count: count)
  }

  // MARK: The default schema

  /// Reads a line likewise. `duplicate` is a field that occurs twice, or in another case.
  func read(
    _ line: UnsafeBufferPointer<UInt8>, duplicate: inout LogField?
  ) -> Failure? {
    let failure = unsafe read(line)
    let place = sets.duplicate
    duplicate = place < 0 ? nil : LogField(rawValue: Int(place))
    return failure
  }

  var kinds: FieldKinds {
    let sets = sets
    return FieldKinds(
      strings: FieldSet(bits: UInt32(truncatingIfNeeded: sets.strings)),
      numbers: FieldSet(bits: UInt32(truncatingIfNeeded: sets.numbers)),
      others: FieldSet(bits: UInt32(truncatingIfNeeded: sets.others)),
      shadows: FieldSet(bits: UInt32(truncatingIfNeeded: sets.shadows)))
  }

  subscript(field: LogField) -> Value { value(field.rawValue) }

  // MARK: Other schemas

  var sets: attest_json_sets { unsafe fields.pointee.sets }

  /// Slots with a value that stands for nothing (`null`, an empty text, `-`) or below one, a bit each.
  var blank: UInt64 {
    var blank = sets.nulls | sets.under_null | sets.under_blank
    var strings = sets.strings
    while strings != 0 {
      let slot = strings.trailingZeroBitCount
      strings &= strings - 1
      if unsafe FieldValues.isBlank(values[slot].text) { blank |= 1 << UInt64(slot) }
    }
    return blank
  }

  /// Returns the first place on the way to the `wanted` slots that occurs twice, or in another case.
  func twice(_ wanted: UInt64) -> Int? {
    let place = unsafe attest_json_twice(parser, wanted)
    return place < 0 ? nil : Int(place)
  }

  /// Reads JSON in the strings on the way to the `wanted` slots. Returns false if memory is out.
  func open(_ wanted: UInt64) -> Bool {
    guard sets.closed & wanted != 0 else { return true }
    return unsafe attest_json_open(parser, wanted, fields) == ATTEST_JSON_OK
  }

  func value(_ slot: Int) -> Value {
    let bit: UInt64 = 1 << UInt64(slot)
    let kind: Value.Kind
    if sets.strings & bit != 0 {
      kind = .string
    } else if sets.numbers & bit != 0 {
      kind = .number
    } else if sets.others & bit != 0 {
      kind = .other
    } else {
      kind = sets.nulls & bit != 0 ? .null : .absent
    }
    guard kind != .absent, kind != .null else {
      return unsafe Value(kind: kind, text: UnsafeBufferPointer(start: nil, count: 0))
    }
    return unsafe Value(kind: kind, text: values[slot].text)
  }

  /// Takes values of the line that contains the record, as if the record had them.
  func take(_ line: borrowing JSONLine, _ shared: [(record: Int, line: Int)]) {
    for (own, other) in shared {
      let (bit, otherBit): (UInt64, UInt64) = (1 << UInt64(own), 1 << UInt64(other))
      for set in Self.slotSets {
        let isSet = line.sets[keyPath: set] & otherBit != 0
        unsafe fields.pointee.sets[keyPath: set] &= ~bit
        if isSet { unsafe fields.pointee.sets[keyPath: set] |= bit }
      }
      unsafe UnsafeMutablePointer(mutating: values)[own] = line.values[other]
      unsafe UnsafeMutablePointer(mutating: raws)[own] = line.raws[other]
    }
  }

  private static let slotSets: [any WritableKeyPath<attest_json_sets, UInt64> & Sendable] = [
    \.strings, \.numbers, \.nulls, \.others, \.duplicates, \.variants, \.repeats, \.closed,
    \.broken, \.binary, \.under_null, \.under_blank,
  ]

  /// Returns the bytes of the value in a slot whose place wants them raw, if it is present.
  func raw(_ slot: Int) -> UnsafeBufferPointer<UInt8> { unsafe raws[slot].text }
}

extension attest_json_value {
  @inline(__always)
  var text: UnsafeBufferPointer<UInt8> { unsafe UnsafeBufferPointer(start: bytes, count: length) }
}

extension attest_json_sets {
  /// Slots with something other than `null`.
  var present: UInt64 { strings | numbers | others }

  /// Slots with `null`, or with a name on the way to them that differs in case.
  var shadows: UInt64 { nulls | variants }
}
