import AppAttest
import Testing

struct ConfiguredAppsTests {
  private static let apps = ConfiguredApps([
    AppPolicy(id: "ABC.one"),
    AppPolicy(
      id: "ABC.two", categories: [ValidationCategory(rawValue: 4)], bundleVersions: ["1", "2"]),
  ])

  private func hash(_ id: String) -> Digest256 {
    let bytes = Array(id.utf8)
    return .sha256(bytes.span)
  }

  @Test func `without an App ID the hash finds the app`() {
    #expect(Self.apps.judge(appID: nil, rpIDHash: hash("ABC.two")) == (true, 1))
    #expect(Self.apps.judge(appID: nil, rpIDHash: hash("ABC.three")) == (false, nil))
    #expect(ConfiguredApps([]).judge(appID: nil, rpIDHash: hash("ABC.one")) == (false, nil))
  }

  @Test func `with an App ID the app is that one, or unknown`() {
    #expect(Self.apps.judge(appID: "ABC.one", rpIDHash: hash("ABC.one")) == (true, 0))
    #expect(Self.apps.judge(appID: "ABC.one", rpIDHash: hash("ABC.two")) == (false, 0))
    #expect(Self.apps.judge(appID: "ABC.three", rpIDHash: hash("ABC.three")) == (false, nil))
    #expect(Self.apps.judge(appID: "ABC.three", rpIDHash: hash("ABC.one")) == (false, nil))
    #expect(Self.apps.judge(appID: "abc.one", rpIDHash: hash("ABC.one")) == (false, nil))
  }
}
