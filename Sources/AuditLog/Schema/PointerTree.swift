/// The pointers of a schema as a tree of places, each pointer with a slot for its value.
struct PointerTree: Sendable {
  /// A member of an object, or an element of an array, on the way to a value.
  struct Place: Sendable {
    /// The name of the place. The names of headers are without capitals.
    var name: [UInt8]
    /// The index of the place that holds this one, or -1 for the outermost object.
    var parent: Int
    /// The slot of the value here, or -1 if there is none.
    var slot = -1
    var hasHeaders = false
    var wantsRaw = false
    var wrapping: SchemaWrapping.Form?
    /// The slot of the value that says whether they are wrapped, or -1 if they always are.
    var switchSlot = -1
    /// The pointer to this place as a schema wrote it.
    var text: String
    /// The slots here and below, a bit each.
    var slots: UInt64 = 0
    /// The pointer from the line, if the value here is the line's: nothing in a record is at this place.
    var ofLine: JSONPointer?
  }

  /// The most slots, and the most steps of a pointer.
  static let maximumSlots = 64
  static let maximumSteps = 16

  /// The places, each behind the one that holds it.
  private(set) var places: [Place] = []
  private(set) var slotPlaces: [Int] = []
  private var index: [Key: Int] = [:]

  private struct Key: Hashable {
    var parent: Int
    var name: [UInt8]
  }

  /// Whether pointers that begin with `^` start somewhere else: at the line that contains the records.
  private let isOfItems: Bool

  /// Makes the pointers to `headers` come first: names in them are entered without capitals.
  init(headers: [JSONPointer], isOfItems: Bool = false) throws(SchemaProblem) {
    self.isOfItems = isOfItems
    for pointer in headers.sorted(by: { $0.steps.count < $1.steps.count }) {
      places[try enter(pointer)].hasHeaders = true
    }
  }

  mutating func slot(of pointer: JSONPointer, raw: Bool = false) throws(SchemaProblem) -> Int {
    let place = try enter(pointer)
    if raw { places[place].wantsRaw = true }
    if places[place].slot >= 0 { return places[place].slot }
    let slot = slotPlaces.count
    guard slot < Self.maximumSlots else {
      throw SchemaProblem("more than \(Self.maximumSlots) different pointers")
    }
    places[place].slot = slot
    slotPlaces.append(place)
    var at = place
    while at >= 0 {
      places[at].slots |= 1 << UInt64(slot)
      at = places[at].parent
    }
    return slot
  }

  /// Lets strings at a place be wrapped, and those that tell it have a slot.
  mutating func wrap(_ wrapping: SchemaWrapping) throws(SchemaProblem) {
    let place = try enter(wrapping.pointer)
    guard places[place].wrapping == nil else {
      throw SchemaProblem("\(wrapping.pointer.text) is wrapped twice")
    }
    places[place].wrapping = wrapping.form
    guard let flag = wrapping.flag else { return }
    guard !flag.steps.starts(with: wrapping.pointer.steps) else {
      throw SchemaProblem("\(flag.text) is in the string that it is about")
    }
    places[place].switchSlot = try slot(of: flag)
  }

  /// Returns the slots that say whether strings on the way to some slots are wrapped.
  func switches(of slots: UInt64) -> UInt64 {
    places.reduce(0) { switches, place in
      place.switchSlot >= 0 && place.slots & slots != 0
        ? switches | 1 << UInt64(place.switchSlot) : switches
    }
  }

  /// The first place with a wrapping that no pointer goes to or through.
  var idleWrapping: Place? { places.first { $0.wrapping != nil && $0.slots == 0 } }

  /// The first place with headers that no pointer goes through.
  var idleHeaders: Place? {
    places.first { $0.hasHeaders && $0.slots & ~(($0.slot < 0) ? 0 : 1 << UInt64($0.slot)) == 0 }
  }

  private mutating func enter(_ pointer: JSONPointer) throws(SchemaProblem) -> Int {
    guard pointer.steps.count <= Self.maximumSteps else {
      throw SchemaProblem(
        "the pointer \(pointer.text) has more than \(Self.maximumSteps) steps")
    }
    var parent = -1
    if isOfItems, pointer.isOfLine {
      let key = Key(parent: parent, name: Array(pointer.text.utf8))
      if let known = index[key] { return known }
      places.append(
        Place(name: key.name, parent: parent, text: pointer.text, ofLine: pointer.local))
      index[key] = places.count - 1
      return places.count - 1
    }
    for (depth, step) in pointer.steps.enumerated() {
      var name = Array(step.utf8)
      if parent >= 0, places[parent].hasHeaders { name = name.map(Self.withoutCapitals) }
      let key = Key(parent: parent, name: name)
      if let known = index[key] {
        parent = known
        continue
      }
      let text = JSONPointer(Array(pointer.steps[...depth])).text
      places.append(Place(name: name, parent: parent, text: text))
      index[key] = places.count - 1
      parent = places.count - 1
    }
    return parent
  }

  private static func withoutCapitals(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}

/// The reason for which a schema cannot be used, in lower case, without a full stop.
package struct SchemaProblem: Error, Equatable {
  package var text: String

  init(_ text: String) { self.text = text }
}
