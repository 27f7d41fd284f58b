/// An operating system of devices. Its version decides the form of Apple's bytes (`facts.R14`, `facts.R19`,
/// `facts.R33` to `facts.R37`).
struct System: Sendable {
  /// The version, as the leaf names it.
  let version: String
  /// The build, or "" on iOS 14 to 16.2, whose leaves name only the version.
  var build = ""
  /// The version of the kernel's sources.
  var kernel = ""
  var isMac = false
  /// The values in place of the usual ones for [4] of …100.8.5 and [1026] of …100.8.7.
  var otherMarks: (key: Int, platform: String)?
  /// Whether it is one of the betas of August 2020, whose leaves and receipts differ from all others.
  var isBetaOf2020 = false

  static let iOS14Beta = System(version: "14.0", isBetaOf2020: true)
  static let iOS14 = System(version: "14.2")
  static let iOS16 = System(version: "16.1")
  static let iOS17 = System(version: "17.4", build: "21E219", kernel: "21.5.219.0.0,0")
  static let iOS18 = System(version: "18.5", build: "22F76", kernel: "22.6.76.0.0,0")
  static let iOS26 = System(version: "26.1", build: "23B85", kernel: "23.2.85.0.0,0")
  static let iOS27 = System(version: "27.0", build: "24A325b", kernel: "24.1.325.0.0,0")
  static let macOS27 = System(
    version: "27.0", build: "26A428", kernel: "26.1.428.0.0,0", isMac: true)

  static let all = [
    iOS14Beta, iOS14, iOS16, iOS17, iOS18, iOS26, iOS27, iOS27, macOS27,
  ]

  private var major: Int { Int(version.prefix(2)) ?? 0 }

  /// The two values that name the kind of device (`facts.R37`).
  private var marks: (key: Int, platform: String) {
    otherMarks ?? (isMac ? (13, "macosx") : (10, "iphoneos"))
  }

  /// The seconds from the beginning of the leaf's validity to the receipt's creation time.
  var lead: Int64 { isBetaOf2020 ? 600 : 86_400 }

  /// The possible lengths of the leaf's validity, in seconds.
  var lifetime: ClosedRange<Int64> {
    if isBetaOf2020 { return 87_000...87_000 }
    let days: ClosedRange<Int64> = !isMac && (16...18).contains(major) ? 193...354 : 3...3
    return days.lowerBound * 86_400...days.upperBound * 86_400
  }

  /// Whether the leaf has the key usage that all leaves have since February 2026 (`facts.R17`).
  var hasExtendedUsage: Bool { !isBetaOf2020 }

  /// Whether authenticator data end in a map about the running code.
  var signsCode: Bool { major >= 27 }

  /// Whether tokens of apps that opted in contain a code hash outside the signature.
  var showsUnsignedCode: Bool { !isMac && (18...26).contains(major) }

  /// The octets of the access control extension, or nil if the leaf has none (`facts.R36`).
  var accessControl: [UInt8]? {
    if isMac { return Self.macAccessControl }
    return major >= 26 ? Self.phoneAccessControl : nil
  }

  /// The tags of extension …100.8.5, with the App ID in clear.
  func appTags(_ appID: String) -> [UInt8] {
    let isOld = !isMac && major <= 18
    let mark = Array("sks ".utf8)
    var tags: [(Int, [UInt8])] = [
      (4, DERWriter.integer(marks.key)), (1200, DERWriter.integer(isOld ? 1 : 0)),
      (1201, DERWriter.integer(0)), (1202, DERWriter.integer(isOld ? 1 : 0)),
      (1203, DERWriter.integer(isOld ? 1 : 0)), (1204, DERWriter.octets(Array(appID.utf8))),
    ]
    if isOld { tags.append((5, DERWriter.octets(mark))) }
    tags.append((1206, DERWriter.integer(isOld ? 5 : 4)))
    tags += [1207, 1209, 1210].map { ($0, DERWriter.integer(0)) }
    if !build.isEmpty { tags.append((1211, DERWriter.integer(0))) }
    if major >= 18 { tags.append((10, DERWriter.integer(0))) }
    if major == 18 { tags.append((1212, DERWriter.integer(mark))) }
    return Self.tagged(tags)
  }

  /// The tags of extension …100.8.7.
  var systemTags: [UInt8] {
    let version = DERWriter.octets(Array(version.utf8))
    guard !build.isEmpty else { return Self.tagged([(1400, version)]) }
    let kernel = DERWriter.octets(Array(kernel.utf8))
    let zero = DERWriter.integer(0)
    let build = DERWriter.octets(Array(build.utf8))
    guard major >= 18 else {
      return Self.tagged([
        (1400, version), (1104, DERWriter.integer(0xFFFF_FFFF)), (1403, build), (1405, version),
        (1406, zero), (1420, kernel),
      ])
    }
    return Self.tagged(
      [
        (1400, version), (1104, DERWriter.integer(2)),
        (1401, DERWriter.octets(Array("1.0.223".utf8))), (1403, build), (1404, version),
        (1405, version),
      ] + (1406...1411).map { ($0, zero) } + [
        (1412, DERWriter.integer(isMac ? 0 : 1)), (1413, zero), (1418, kernel), (1419, kernel),
        (1420, kernel), (1026, DERWriter.octets(Array(marks.platform.utf8))),
      ])
  }

  private static func tagged(_ tags: [(number: Int, value: [UInt8])]) -> [UInt8] {
    DERWriter.sequence(tags.map { DERWriter.context($0.number, $0.value) })
  }

  static let phoneAccessControl = accessControl(["okd", "oa", "osgn", "odel", "ock"].map(right))

  /// The value of a Mac with System Integrity Protection and Full Security.
  static let macAccessControl = accessControl(
    ["ok", "oa", "odel"].map(right) + [
      DERWriter.sequence([
        DERWriter.utf8("osgn"), DERWriter.context(0, DERWriter.utf8("rsec")),
        DERWriter.sequence([DERWriter.context(6, DERWriter.integer(1))]),
      ])
    ])

  private static func accessControl(_ rights: [[UInt8]]) -> [UInt8] {
    DERWriter.sequence([DERWriter.utf8("11"), DERWriter.sequence(rights)])
  }

  /// Returns a right without a condition.
  private static func right(_ name: String) -> [UInt8] {
    DERWriter.sequence([
      DERWriter.utf8(name), DERWriter.context(1, DERWriter.boolean(true)),
    ])
  }
}
