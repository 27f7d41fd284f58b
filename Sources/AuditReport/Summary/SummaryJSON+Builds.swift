internal import AppAttest
internal import AuditEngine

/// The member `builds` of `summary.json`, written and read: totals, and the builds of the page.
extension BuildTotals {
  var tree: JSONTree {
    [
      "total": .number(builds), "unlisted": .number(unlisted),
      "byCategory": .object(
        byCategory.sorted { $0.key < $1.key }.map { ($0.key, .number($0.value)) }),
      "withCategory": .number(withCategory), "withBundleVersion": .number(withBundleVersion),
      "withCodeHash": .number(withCodeHash), "byHour": .array(uses.map(\.tree)),
      "notByHour": .number(furtherUses),
    ]
  }

  init(stored value: StoredValue?) {
    self.init()
    func number(_ name: String) -> UInt64 { value?[name]?.number() ?? 0 }
    builds = number("total")
    unlisted = number("unlisted")
    for (name, count) in value?["byCategory"]?.members ?? [] {
      byCategory[String(decoding: name, as: UTF8.self)] = count.number() ?? 0
    }
    withCategory = number("withCategory")
    withBundleVersion = number("withBundleVersion")
    withCodeHash = number("withCodeHash")
    uses = (value?["byHour"]?.elements ?? []).prefix(Self.useLimit).compactMap(
      BuildUse.init(stored:))
    furtherUses = number("notByHour")
  }
}

extension BuildUse {
  /// The bins of an hour or several are one text: `INDEX:UNKNOWN,ACCEPTED,REJECTED` each.
  fileprivate var tree: JSONTree {
    let bins = hours.bins.map { bin in
      "\(bin.index):" + bin.counts.map { String($0) }.joined(separator: ",")
    }
    return .object(
      BuildColumns.identity.members(of: ReportedBuild(BuildRow(build), nil)) + [
        ("keys", .number(keys)), ("keyPrefixes", .array(keyPrefixes.map(JSONTree.string))),
        ("outside", .number(outside)), ("hours", .integer(hours.width)),
        ("counts", .string(bins.joined(separator: " "))),
      ])
  }

  fileprivate init?(stored value: StoredValue) {
    var reported = ReportedBuild(BuildRow(Build(appID: "")), nil)
    guard BuildColumns.identity.read(value, into: &reported) == nil else { return nil }
    self.init(reported.row.build)
    keys = value["keys"]?.number() ?? 0
    keyPrefixes = (value["keyPrefixes"]?.elements ?? []).prefix(Self.keyLimit).compactMap(\.string)
    outside = value["outside"]?.number() ?? 0
    let bins = (value["counts"]?.string ?? "").split(separator: " ").compactMap { text in
      let parts = text.split(separator: ":")
      return parts.first.flatMap { Int64($0) }.map { index in
        TimeBins.Bin(
          index: index, counts: parts[1...].joined().split(separator: ",").compactMap { UInt64($0) }
        )
      }
    }
    guard
      let hours = TimeBins(
        kinds: 3, limit: Self.binLimit, width: value["hours"]?.number() ?? 1, bins: bins)
    else { return nil }
    self.hours = hours
  }
}
