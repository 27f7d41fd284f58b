extension AttackCatalog {
  static let counterAttacks = SceneText.attacks(
    """
    counter.regression counts
      enrol a; a 60 1; a 120 2; a 180 5; a 240 6; a 540 3 !counter.regression
      enrol a; a 60 1; a 61 2; a 62 0 !counter.regression
      enrol a; a 60 0 !counter.regression; a 61 0 !counter.regression
      enrol a; a 60 1; a 100 5; a 125 6; a 140 4 !counter.regression; a 141 7
      import a; a 60 40 !counter.regression; a 120 51
      enrol a; a 60 1; a 120 10; a 180 7 !counter.regression; a 181 8 !counter.regression; a 240 11
      enrol a; a 60 4; a 90.001 3 !counter.regression
    counter.reordered counts
      enrol a; a 60 1; a 70 4; a 80 3 !counter.reordered
      enrol a; a 60 4; a 90 3 !counter.reordered
      enrol a; a 60 5; a 60.001 3 !counter.reordered; a 60.002 4 !counter.reordered; a 60.003 6
      enrol a; a 60 4; a 60 3; a 60.005 2 !counter.reordered
    counter.repeated counts
      enrol a; a 60 1; a 61 1 !counter.repeated
      enrol a; a 60 1; a 120 2; a 180 3; a 3600 1 !counter.repeated; a 3660 2 !counter.repeated; \
    a 3720 3 !counter.repeated; a 3780 4
      import a; a 60 50 !counter.repeated; a 120 51
      enrol a; a 60 1; a 120 9; a 130 1 !counter.repeated
    counter.gap counts
      enrol a; a 60 1; a 120 1001; a 180 2002 !counter.gap
      enrol a; a 60 1001 !counter.gap; a 120 1002
      enrol a; a 60 1; a 120 4294967295 !counter.gap
      import a; a 60 1051 !counter.gap
    """)

  /// The counters that the server had stored. A server that was restored, one that never stores, one that stores
  /// the last counter, and requests at once (`detection.R21`).
  static let serverCounterAttacks = SceneText.attacks(
    """
    counter.server_mismatch serverCounter
      enrol a; a 60 1 <0; a 120 2 <1; a 180 7 <2; a 3600 8 <2 !counter.server_mismatch; \
    a 3660 9 <8; a 3720 10 <
      enrol a; a 60 1 <0; a 120 9 <8 !counter.server_mismatch; a 180 10 <9
      enrol a; a 60 1 <0; a 120 2 <0 !counter.server_mismatch; \
    a 180 3 <0 !counter.server_mismatch; a 240 4 <
      enrol a; a 60 5 <0; a 120 3 <5 !counter.regression; \
    a 180 4 <3 !counter.server_mismatch counter.regression; a 240 6 <5; \
    a 300 7 <4294967295 !counter.server_mismatch
      import a; a 60 51 <0 !counter.server_mismatch; a 120 52 <51
      enrol a; a 60 1 <1 !counter.server_mismatch; a 120 2 <1; a 180 3 stored=2; \
    same 20 stored=99 accepted !replay.assertion; \
    a 240 4 forged stored=98 !assertion.signature_invalid; a 300 4 stored=3
      enrol a; a 60 1 <0; a 60.020 2 <0; a 60.021 3 <1; a 89.999 4 <0; a 90.022 5 <3; \
    a 119.998 6 <3; a 149.999 7 <5 !counter.server_mismatch; \
    a 150.025 8 <3 !counter.server_mismatch; a 150.026 9 <6
      enrol a; a 60 1 <0; a 120 2 <0 !counter.server_mismatch; \
    a 240 3 <2 rejected !decision.rejected_valid; a 300 4 <2; \
    a 360 9 <4 rejected !decision.rejected_valid; a 420 10 <9 !counter.server_mismatch; a 480 11 <10
    """)

  /// The counter of a device that was attested before these logs begin.
  static let importedCounter: UInt32 = 50
}
