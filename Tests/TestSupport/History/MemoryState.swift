package import AppAttest
package import AuditEngine

/// The data that committed runs left in a ``MemoryHistory``.
package struct MemoryState: Sendable {
  /// The remembered records of one run, in ascending order of their groups.
  package struct Segment: Sendable {
    /// The run's day, counted from 1970.
    package var day: Int
    package var records: [[UInt8]]
  }

  /// The kept rows of one run, in ascending order of their keys.
  package struct Rows: Sendable {
    /// The run's day, counted from 1970.
    package var day: Int
    package var rows: [[UInt8]]
  }

  /// A finding that was reported.
  package struct Reported: Sendable, Equatable {
    package var sighting: Sighting
    package var code: FindingCode
    package var keyID: Digest256?
    /// Whether it no longer stands.
    package var isClosed = false
  }

  /// The names of the sources of all runs, by ``Position/source``.
  package internal(set) var sources: [String] = []
  package internal(set) var runs = 0
  package internal(set) var keys: [Digest256: KeptKey] = [:]
  package internal(set) var devices: [Digest256: [KeptDevice]] = [:]
  package internal(set) var segments: [Segment] = []
  package internal(set) var rows: [Rows] = []
  package internal(set) var findings: [UInt64: Reported] = [:]

  /// The remembered records of all runs that are not forgotten, one run's behind the other's.
  package var records: [[UInt8]] { segments.flatMap(\.records) }
  /// The kept rows of all runs that are not forgotten, one run's behind the other's.
  package var keptRows: [[UInt8]] { rows.flatMap(\.rows) }

  mutating func take(_ run: MemoryRun) {
    let day = Self.day(run.date)
    runs += 1
    sources += run.names
    for key in run.keys.remembered { keys[key.keyID] = key }
    for device in run.keys.rememberedDevices {
      devices[device.device, default: []].append(device)
    }
    // In the order of insertion: of events at one instant, the one remembered first stays first.
    for (device, list) in devices {
      devices[device] = list.enumerated().sorted {
        ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
      }.map(\.element)
    }
    if !run.hashes.remembered.isEmpty {
      segments.append(Segment(day: day, records: run.hashes.remembered))
    }
    if !run.events.kept.isEmpty { rows.append(Rows(day: day, rows: run.events.kept)) }
    take(run.findings, run.date)
  }

  private mutating func take(_ memory: MemoryFindings, _ date: String) {
    for (fingerprint, records) in memory.explained {
      findings[fingerprint]?.sighting.records -= records
    }
    for (fingerprint, finding) in memory.remembered {
      var sighting =
        findings[fingerprint]?.sighting ?? Sighting(firstSeen: date, times: 0)
      sighting.times += 1
      if [.keyUnknown, .keyUntrusted].contains(finding.code) {
        let isNew = findings[fingerprint]?.isClosed ?? true
        sighting.records = (isNew ? 0 : sighting.records) + finding.count
      }
      sighting.worst = max(sighting.worst, finding.severity)
      findings[fingerprint] = Reported(
        sighting: sighting, code: finding.code, keyID: finding.keyID)
    }
    for fingerprint in memory.closed { findings[fingerprint]?.isClosed = true }
  }

  /// Returns the days from 1970 to a date such as `2026-11-20` (Howard Hinnant, days_from_civil),
  /// or 0 if the text is no date.
  static func day(_ date: String) -> Int {
    let parts = date.split(separator: "-").compactMap { Int($0) }
    guard parts.count == 3 else { return 0 }
    let year = parts[1] <= 2 ? parts[0] - 1 : parts[0]
    let month = (parts[1] + 9) % 12
    let (era, yearOfEra) = (year / 400, year % 400)
    let dayOfYear = (153 * month + 2) / 5 + parts[2] - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
