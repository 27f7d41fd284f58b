internal import Synchronization

/// A block of events' rows, copied out of the shuffles. Of each there is a head of 8 bytes, which holds
/// its form and length, and the row.
struct EventRowBlock {
  /// The kind of a row in a block.
  enum Form: UInt8 {
    /// A row of ``Shuffles/events``.
    case whole
    /// A row of ``Shuffles/byKey`` of which nothing more is said.
    case event
    /// The verdict and codes of the event that follows.
    case amendment
  }

  /// Events of a full block, some quarter of a megabyte. Their number, and not their bytes, which differ with
  /// the forms: the index is the same whatever form its events come in.
  private static let limit = 1_024
  /// Bytes of long texts, which stand in no row, of the events of a full block.
  private static let longTextLimit: UInt64 = 1 << 20
  private static let headBytes = 8
  /// The form stands above the length in a head.
  private static let formShift: UInt64 = 56

  private let rooms: EventRowRooms
  private var bytes: [UInt8]
  private var count = 0
  private var longTextBytes: UInt64 = 0

  init(_ rooms: EventRowRooms) {
    self.rooms = rooms
    bytes = rooms.take()
  }

  var isEmpty: Bool { count == 0 }
  var isFull: Bool { count >= Self.limit || longTextBytes >= Self.longTextLimit }

  /// Adds a copy of a row.
  mutating func append(_ form: Form, _ row: UnsafeRawBufferPointer) {
    switch form {
    case .whole:
      count += 1
      unsafe longTextBytes += VerdictRow.longTextBytes(event: row)
    case .event:
      count += 1
      longTextBytes += unsafe EventRow(row).rest.longTextBytes
    case .amendment: break
    }
    let head = (UInt64(form.rawValue) << Self.formShift | UInt64(row.count)).littleEndian
    unsafe withUnsafeBytes(of: head) { unsafe bytes.append(contentsOf: $0) }
    unsafe bytes.append(contentsOf: row)
  }

  /// Returns the events of the rows; the block is not to be used any more.
  consuming func events(_ shuffles: Shuffles) -> EventRows {
    let rows = EventRowRooms.Loan(bytes, rooms)
    return EventRows(count: count, longTextBytes: longTextBytes) { body in
      try unsafe rows.bytes.withUnsafeBytes { try unsafe Self.read($0, shuffles, body) }
    }
  }

  private static func read(
    _ bytes: UnsafeRawBufferPointer, _ shuffles: Shuffles, _ body: (VerdictRow) throws -> Void
  ) throws {
    // One for all, so that its hash stays where it is.
    var event = VerdictRow(position: Position(source: 0, line: 0), verdict: .valid, codes: [])
    var app = EventRow.noApp
    var amendment = VerdictAmendment.none
    var at = 0
    while at < bytes.count {
      let head = UInt64(
        littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      let start = at + headBytes
      let end = start + Int(head & (1 << formShift - 1))
      let row = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      switch Form(rawValue: UInt8(head >> formShift)) {
      case .whole: try body(unsafe VerdictRow(event: row, shuffles))
      case .event:
        let row = unsafe EventRow(row)
        let hasApp = row.app == app && app != EventRow.noApp
        try event.read(row, amendment, shuffles, hasApp: hasApp)
        app = row.app
        amendment = .none
        try body(event)
      case .amendment: amendment = unsafe try VerdictAmendment(row)
      case nil: throw AuditError(.inconsistent, "a row of an event is of no form")
      }
      at = end
    }
  }
}

/// The memory of blocks, which later blocks use again. Memory that is new to a process costs as much time as
/// writing to it does.
final class EventRowRooms: Sendable {
  private let free = Mutex<[[UInt8]]>([])

  /// Returns an empty array, with room where there is some left.
  func take() -> [UInt8] {
    var bytes = free.withLock { $0.popLast() } ?? []
    bytes.removeAll(keepingCapacity: true)
    return bytes
  }

  /// The bytes of a block. Their memory goes back to the rooms with the last reader.
  final class Loan: Sendable {
    let bytes: [UInt8]
    private let rooms: EventRowRooms

    init(_ bytes: [UInt8], _ rooms: EventRowRooms) {
      self.bytes = bytes
      self.rooms = rooms
    }

    deinit { rooms.free.withLock { $0.append(bytes) } }
  }
}
