internal import AppAttest
internal import AuditLog
internal import RowShuffle
internal import Synchronization

/// One worker's end of the shuffle by device.
final class DeviceWriter {
  private let writer: RowWriter
  private let row: RowBuilder
  private let findingRow: RowBuilder
  /// The receiver of the devices that attestations name, or nil if nobody asks.
  private let attested: AttestedDevices?

  init(_ writer: RowWriter, texts: TextStore, attested: AttestedDevices? = nil) {
    self.attested = attested
    self.writer = writer
    row = RowBuilder(texts: texts)
    findingRow = RowBuilder(texts: texts)
  }

  /// Writes that an attestation names the device. `text` is the device identifier, `point` the X9.62 uncompressed point,
  /// 65 bytes, or empty if the attestation is not valid.
  func put(
    attestation keyID: Digest256, _ claim: DeviceClaim, point: [UInt8], of device: Digest256,
    text: Span<UInt8>, time: Int64, position: Position
  ) throws(AuditError) {
    attested?.add(device)
    for section in [DeviceRow.Section.registry, .event] {
      DeviceRow.write(
        attestation: keyID, claim, of: device, section, time: time, position: position, row)
      if section == .registry {
        try row.put(text: text)
        row.put(point.span)
      }
      unsafe try writer.append(row.row)
    }
  }

  /// Puts an assertion's row in that has no key identifier yet; `text` is the device identifier.
  func put(
    assertion event: UnsafeRawBufferPointer, of device: Digest256, text: Span<UInt8>
  ) throws(AuditError) {
    try unsafe DeviceRow.write(assertion: event, of: device, text: text, row)
    unsafe try writer.append(row.row)
  }

  /// Keeps a finding about an assertion at `time` until the join knows whose it is.
  func put(
    _ code: FindingCode, _ subject: Finding, of device: Digest256, time: Int64,
    detail: String
  ) throws(AuditError) {
    var finding = subject
    finding.severity = code.defaultSeverity
    finding.code = code
    finding.time = time
    finding.keyID = nil
    finding.detail = detail
    try FindingRow(finding: finding).write(findingRow)
    unsafe DeviceRow.write(
      finding: findingRow.row, of: device, time: time, position: subject.position, row)
    unsafe try writer.append(row.row)
  }
}

/// The devices that attestations of this run may name, by places that several may share.
final class AttestedDevices: Sendable {
  /// Places, a power of two: a bit each.
  private static let placeBits = 23

  private let words = Mutex([UInt64](repeating: 0, count: 1 << (placeBits - 6)))

  func add(_ device: Digest256) {
    let place = Self.place(device)
    words.withLock { $0[place >> 6] |= 1 << UInt64(place & 63) }
  }

  /// Returns whether the device may have been added; once all were.
  func mayHold(_ device: Digest256) -> Bool {
    let place = Self.place(device)
    return words.withLock { $0[place >> 6] >> UInt64(place & 63) & 1 == 1 }
  }

  private static func place(_ device: Digest256) -> Int {
    device.withSpan { bytes in (0..<4).reduce(0) { $0 << 8 | Int(bytes[$1]) } }
      & (1 << placeBits - 1)
  }
}
