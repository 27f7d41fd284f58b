// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target: Swift 6 mode, explicit imports, memory safety that has to be
/// waived aloud, and (in CI) warnings as errors.
var swiftSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .strictMemorySafety(),
]
if Context.environment["CI"] != nil {
  swiftSettings.append(.treatAllWarnings(as: .error))
}

/// Settings of the targets in which tests spend their time: optimised in debug builds, too. SwiftPM
/// takes no such flags in a checkout that another package depends on.
let isDependency = Context.packageDirectory.contains("/checkouts/")
let optimized: [SwiftSetting] =
  swiftSettings + (isDependency ? [] : [.unsafeFlags(["-O"], .when(configuration: .debug))])
let optimizedC: [CSetting] =
  isDependency ? [] : [.unsafeFlags(["-O2"], .when(configuration: .debug))]
let optimizedCXX: [CXXSetting] =
  isDependency ? [] : [.unsafeFlags(["-O2"], .when(configuration: .debug))]

let argumentParser: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
  name: "attest-audit",
  products: [
    .executable(name: "attest-audit", targets: ["attest-audit"]),
    .library(name: "AppAttest", targets: ["AppAttest"]),
  ],
  dependencies: [
    // Commands, flags, help and completions: made from declarations, as Swift's own tools do it.
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    // The log levels and the one interface by which notices and progress reach standard error.
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    // Pipeline and schema files are YAML, and Yams knows the line of every node for its messages.
    // Its C module, CYaml, examines a file before nodes are made of it.
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    // The state's SQLite database: transactions, statements and migrations over Debian's library.
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
  ],
  targets: [
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CLinux"),
    .target(
      name: "CSimdjson", cSettings: optimizedC, cxxSettings: optimizedCXX,
      linkerSettings: [.linkedLibrary("simdjson")]),
    .target(name: "Basics", swiftSettings: optimized),
    .target(
      name: "FindingCodes", resources: [.embedInCode("Page")], swiftSettings: optimized),
    .target(name: "Files", dependencies: ["CLinux"], swiftSettings: optimized),
    .target(name: "RowShuffle", dependencies: ["CLinux", "Files"], swiftSettings: optimized),
    .target(name: "OpenSSL", dependencies: ["Basics", "COpenSSL"], swiftSettings: optimized),
    .target(
      name: "Compression", dependencies: ["CZstd", "CZlib"],
      swiftSettings: optimized),
    .target(name: "CSignatureBatch", cSettings: optimizedC),
    .target(
      name: "SignatureBatch", dependencies: ["CSignatureBatch"], swiftSettings: optimized),
    .target(name: "AppAttest", dependencies: ["Basics", "OpenSSL"], swiftSettings: optimized),
    .target(
      name: "AuditLog", dependencies: ["Basics", "Compression", "CSimdjson", "Files", "OpenSSL"],
      swiftSettings: optimized),
    .target(
      name: "LogDiscovery", dependencies: ["Basics", "AppAttest", "AuditLog", "OpenSSL"],
      resources: [.embedInCode("Words")], swiftSettings: optimized),
    .target(
      name: "AuditEngine",
      dependencies: [
        "Basics", "AppAttest", "AuditLog", "CLinux", "Compression", "Files", "FindingCodes",
        "OpenSSL", "RowShuffle", "SignatureBatch",
      ],
      swiftSettings: optimized),
    .target(
      name: "AuditState",
      dependencies: [
        "Basics", "AppAttest", "AuditEngine", "AuditLog", "Files", "OpenSSL", "RowShuffle",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: optimized),
    .target(
      name: "AuditReport",
      dependencies: [
        "Basics", "AppAttest", "AuditEngine", "AuditLog", "Compression", "Files", "OpenSSL",
      ],
      resources: [.embedInCode("Page/Resources")], swiftSettings: optimized),
    .target(
      name: "AuditSettings",
      dependencies: [
        "Basics", "AppAttest", "AuditEngine", "AuditLog", "AuditReport", "Files", "OpenSSL", "Yams",
      ],
      resources: [.embedInCode("Schemas/Shipped")], swiftSettings: optimized),
    .target(
      name: "Investigation",
      dependencies: [
        "Basics", "AppAttest", "AuditEngine", "AuditLog", "AuditReport", "AuditSettings",
        "Compression", "Files", "LogDiscovery", "OpenSSL", "RowShuffle",
      ],
      resources: [.embedInCode("Evidence/Resources")], swiftSettings: optimized),
    .executableTarget(
      name: "attest-audit",
      dependencies: [
        "Basics", "AuditEngine", "AuditLog", "AuditReport", "AuditSettings", "AuditState",
        "AppAttest",
        "CLinux", "Files", "FindingCodes", "Investigation", "LogDiscovery", "OpenSSL",
        argumentParser,
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: optimized),
    // From here on: what tests and measures the program, and is never installed.
    .target(
      name: "Minting", dependencies: ["COpenSSL"], path: "Tests/Minting", swiftSettings: optimized),
    .target(
      name: "LogForge",
      dependencies: ["Basics", "CZlib", "Compression", "Files", "FindingCodes", "Minting"],
      path: "Tests/LogForge", resources: [.embedInCode("Data")], swiftSettings: optimized),
    .executableTarget(
      name: "attest-forge", dependencies: ["FindingCodes", "LogForge", argumentParser],
      path: "Tests/attest-forge", swiftSettings: swiftSettings),
    .executableTarget(
      name: "attest-bench",
      dependencies: [
        "Basics", "AuditEngine", "AuditLog", "AuditReport", "AuditSettings", "AuditState",
        "AppAttest",
        "LogForge", "Compression", "Minting", "OpenSSL", "RowShuffle", "SignatureBatch",
        argumentParser,
      ],
      path: "Tests/attest-bench", swiftSettings: swiftSettings),
    .target(
      name: "TestSupport",
      dependencies: [
        "AppAttest", "AuditEngine", "AuditLog", "Basics", "Compression", "Files", "LogForge",
        "Minting", "OpenSSL", "RowShuffle",
      ],
      path: "Tests/TestSupport", swiftSettings: optimized),
    .testTarget(
      name: "BasicsTests", dependencies: ["Basics", "TestSupport"], swiftSettings: swiftSettings),
    .testTarget(
      name: "FilesTests", dependencies: ["Files", "TestSupport"], swiftSettings: swiftSettings),
    .testTarget(
      name: "RowShuffleTests", dependencies: ["Files", "RowShuffle", "TestSupport"],
      swiftSettings: optimized),
    .testTarget(
      name: "OpenSSLTests", dependencies: ["OpenSSL", "TestSupport"],
      swiftSettings: swiftSettings),
    .target(
      name: "CSignatureBatchTesting", dependencies: ["CSignatureBatch"],
      path: "Tests/CSignatureBatchTesting", cSettings: optimizedC),
    .testTarget(
      name: "SignatureBatchTests",
      dependencies: [
        "SignatureBatch", "CSignatureBatchTesting", "Minting", "OpenSSL", "TestSupport",
      ],
      swiftSettings: optimized),
    .testTarget(
      name: "CompressionTests", dependencies: ["Compression", "TestSupport"],
      swiftSettings: optimized),
    .testTarget(
      name: "AppAttestTests",
      dependencies: ["AppAttest", "Basics", "LogForge", "OpenSSL", "TestSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "AuditLogTests",
      dependencies: [
        "AppAttest", "AuditLog", "AuditSettings", "Basics", "Compression", "CSimdjson", "Files",
        "TestSupport",
      ],
      swiftSettings: optimized),
    .testTarget(
      name: "LogDiscoveryTests",
      dependencies: ["LogDiscovery", "AppAttest", "AuditLog", "AuditSettings"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "AuditEngineTests",
      dependencies: [
        "AuditEngine", "AuditLog", "AppAttest", "Basics", "Files", "LogForge", "Minting",
        "OpenSSL", "RowShuffle", "SignatureBatch", "TestSupport",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "AuditStateTests",
      dependencies: [
        "AuditState", "AuditEngine", "AuditLog", "AppAttest", "Files", "Basics", "OpenSSL",
        "RowShuffle",
        "TestSupport",
      ],
      swiftSettings: optimized),
    .testTarget(
      name: "AuditReportTests",
      dependencies: ["AuditReport", "AuditEngine", "Basics", "Files", "TestSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "InvestigationTests",
      dependencies: [
        "Investigation", "AppAttest", "AuditEngine", "AuditSettings", "Minting", "TestSupport",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "AuditSettingsTests",
      dependencies: [
        "AuditSettings", "AuditEngine", "AuditLog", "AuditReport", "AppAttest", "Basics",
        "TestSupport", "Yams",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "LogForgeTests",
      dependencies: ["LogForge", "Basics", "FindingCodes", "Minting", "TestSupport", "OpenSSL"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "attest-audit", "attest-forge", "Basics", "FindingCodes", "AuditEngine", "AuditSettings",
        "LogForge",
        "TestSupport",
      ],
      swiftSettings: optimized),
    .testTarget(
      name: "ScriptTests", dependencies: ["attest-audit", "TestSupport"],
      swiftSettings: optimized),
  ],
  cxxLanguageStandard: .cxx17
)

// The fuzz targets are a test, or for `pipelines/fuzz` a program of their own.
let fuzzed: [Target.Dependency] = [
  "AppAttest", "AuditEngine", "AuditLog", "AuditSettings", "AuditState", "Basics", "CSimdjson",
  "Compression", "CZlib", "CZstd", "LogDiscovery", "LogForge", "Minting", "OpenSSL", "RowShuffle",
  "SignatureBatch", "TestSupport",
]
if Context.environment["ATTEST_AUDIT_FUZZ"] != nil {
  // With traps for undefined behaviour its lanes take the compiler many minutes.
  for target in package.targets where target.name == "CSignatureBatch" {
    target.cSettings = [.unsafeFlags(["-fno-sanitize=undefined"])]
  }
  package.targets += [
    .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
    .executableTarget(
      name: "attest-fuzz", dependencies: fuzzed + ["CFuzzer"], path: "Tests/Fuzz",
      exclude: ["CFuzzer", "FuzzTests.swift"], swiftSettings: swiftSettings),
  ]
} else {
  package.targets.append(
    .testTarget(
      name: "FuzzTests", dependencies: fuzzed, path: "Tests/Fuzz",
      exclude: ["CFuzzer", "AttestFuzz.swift"], swiftSettings: optimized))
}

// Only some test targets, for a quick turn: ATTEST_AUDIT_TESTS=AuditLogTests,CommandTests
// pipelines/test
if let names = Context.environment["ATTEST_AUDIT_TESTS"]?.split(separator: ",").map(String.init) {
  package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}
