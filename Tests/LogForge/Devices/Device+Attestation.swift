internal import Minting

extension Device {
  /// Returns the attestation that the device and an honest authority make at `time` (milliseconds
  /// since 1970) for `clientDataHash`. `random` chooses among the forms of Apple's bytes.
  func attestation(
    at time: Int64, clientDataHash: [UInt8], authority: SyntheticAuthority,
    _ random: inout ForgeRandom
  ) -> AttestationRecipe {
    let digits = random.pick([0, 1, 2, 3, 3, 3, 6, 9])
    let unit = Int64([1000, 100, 10, 1][min(digits, 3)])
    let created = (time - random.within(20...3_000)) / unit * unit
    let notBefore = created / 1000 - system.lead + random.within(-4...4)
    var recipe = AttestationRecipe(
      rpIDHash: app.rpIDHash, aaguid: aaguid, credentialID: id, cosePoint: point,
      extensionMap: extensionMap(at: 0, &random), clientDataHash: clientDataHash,
      leafPoint: point, leafSubject: id, leafAppID: app.id, system: system,
      accessControl: system.accessControl,
      leafSerial: CBORWriter.bigEndian(UInt64(created - random.within(6...1_110)), 6),
      notBefore: notBefore, notAfter: notBefore + random.within(system.lifetime),
      issuer: authority.intermediate, chain: [authority.intermediate.certificate],
      receipt: receipt(
        created: CalendarTime.rfc3339(created, digits: digits, tail: random.next()),
        expires: CalendarTime.rfc3339(created + 90 * 86_400_000), clientDataHash: clientDataHash,
        authority: authority, &random),
      unsignedCode: unsignedCode(at: 0))
    if recipe.extensionMap != nil && setsEDFlag { recipe.flags = 0xC0 }
    return recipe
  }

  /// Returns the receipt of an attestation, with its creation time and its expiry as text.
  private func receipt(
    created: String, expires: String, clientDataHash: [UInt8], authority: SyntheticAuthority,
    _ random: inout ForgeRandom
  ) -> ReceiptRecipe {
    var recipe = ReceiptRecipe(
      appID: app.id, clientHash: clientDataHash,
      environment: isDevelopment ? "sandbox" : "production", created: created, expires: expires,
      token: TextCode.base64.encode(random.bytes(64)), signer: authority.receiptSigner,
      chain: [authority.receiptIntermediate, authority.receiptRoot])
    recipe.isBER = !random.once(in: 3)
    recipe.signature =
      system.isBetaOf2020
      ? .contentBesideAttributes : random.pick([.content, .content, .attributes])
    if random.once(in: 4) { recipe.notBefore = created }
    return recipe
  }
}
