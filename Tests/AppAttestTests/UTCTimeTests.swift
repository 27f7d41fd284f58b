import Testing

@testable import AppAttest

struct UTCTimeTests {
  private func seconds(_ text: String) -> Int64? { UTCTime.seconds(Array(text.utf8).span) }

  @Test func `times of certificates are read, from 1950 to 2049`() {
    #expect(seconds("700101000000Z") == 0)
    #expect(seconds("500101000000Z") == -631_152_000)
    #expect(seconds("491231235959Z") == 2_524_607_999)
    #expect(seconds("240229120000Z") == 1_709_208_000)
  }

  @Test(arguments: [
    "", "700101000000", "7001010000Z", "700101000000z", "700101000000+0000", "701301000000Z",
    "700001000000Z", "700100000000Z", "700132000000Z", "230229000000Z", "700101240000Z",
    "700101006000Z", "700101000060Z", "70010100000:Z", "19700101000000Z",
  ])
  func `what is no such time is refused`(text: String) {
    #expect(seconds(text) == nil)
  }
}
