print("attest-audit")
