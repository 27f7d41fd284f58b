internal import Minting

extension Device {
  /// Returns the attestation that the device and an honest authority make at `time` (milliseconds
  /// since 1970) for `clientDataHash`. `random` chooses among the forms of Apple's bytes.
  func attestation(
    at time: Int64, clientDataHash: [UInt8], authority: SyntheticAuthority,
    _ random: inout ForgeRandom
  ) -> AttestationRecipe {
    let map = extensionMap(&random)
    let seconds = time / 1000
    let days = random.pick([1, 2, 3, 3, 3, 30, 90, 353])
    // A certificate of one day that began 24 hours ago would end right now.
    let notBefore = seconds - 86_400 + (days == 1 ? 3_600 : random.within(-30...30))
    var recipe = AttestationRecipe(
      rpIDHash: app.rpIDHash, aaguid: aaguid, credentialID: id, cosePoint: point,
      extensionMap: map, clientDataHash: clientDataHash, leafPoint: point, leafSubject: id,
      leafAppID: app.id, leafSerial: CBORWriter.bigEndian(UInt64(time), 6) + random.bytes(2),
      notBefore: notBefore, notAfter: notBefore + Int64(days) * 86_400,
      issuer: authority.intermediate, chain: [authority.intermediate.certificate],
      receipt: receipt(at: time, clientDataHash: clientDataHash, authority: authority, &random))
    if map != nil && setsEDFlag { recipe.flags = 0xC0 }
    recipe.leafDetails = leafDetails(&random)
    return recipe
  }

  private func leafDetails(_ random: inout ForgeRandom) -> LeafDetails {
    var details = LeafDetails()
    switch system {
    case .early:
      details.osVersion = "14.2"
      details.build = "18B92"
      details.platform = 0xFFFF_FFFF
      details.systemTags = random.once(in: 2)
    case .usual:
      details.extendedUsage = random.once(in: 2)
      details.accessControl = random.once(in: 3)
      details.appTags = !random.once(in: 6)
    case .latest:
      details.osVersion = "27.0"
      details.build = "24A325b"
      details.extendedUsage = true
      details.accessControl = !random.once(in: 3)
    }
    return details
  }

  /// Returns the receipt of an attestation at `time`.
  private func receipt(
    at time: Int64, clientDataHash: [UInt8], authority: SyntheticAuthority,
    _ random: inout ForgeRandom
  ) -> ReceiptRecipe {
    let created = time - random.within(20...4_000)
    var recipe = ReceiptRecipe(
      appID: app.id, clientHash: clientDataHash,
      environment: random.once(in: 5) ? nil : isDevelopment ? "sandbox" : "production",
      created: CalendarTime.rfc3339(
        created, digits: random.pick([0, 1, 2, 3, 3, 3, 6, 9]), tail: random.next()),
      expires: CalendarTime.rfc3339(created + 90 * 86_400_000),
      token: TextCode.base64.encode(random.bytes(64)), signer: authority.receiptSigner,
      chain: [authority.receiptIntermediate, authority.receiptRoot])
    recipe.isBER = !random.once(in: 3)
    recipe.signature =
      system == .early ? .contentBesideAttributes : random.pick([.content, .content, .attributes])
    if random.once(in: 4) { recipe.notBefore = CalendarTime.rfc3339(created) }
    return recipe
  }
}
