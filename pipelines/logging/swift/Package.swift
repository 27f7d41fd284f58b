// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "server",
  platforms: [.macOS(.v14)],
  dependencies: [
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", exact: "2.28.1")
  ],
  targets: [
    .executableTarget(
      name: "server", dependencies: [.product(name: "Hummingbird", package: "hummingbird")])
  ])
