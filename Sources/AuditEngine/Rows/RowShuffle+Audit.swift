internal import Files
package import RowShuffle

// The shuffle as the stages use it: its errors are those of an audit.

extension AuditError {
  /// Makes the error of an audit of a shuffle's.
  package init(_ error: ShuffleError) {
    switch error.code {
    case .storage(let number): self.init(.temporaryStorage(number), error.context)
    case .sourceStorage(let number): self.init(.stateStorage(number), error.context)
    case .damagedSource: self.init(.damagedState, error.context)
    case .brokenStream: self.init(.brokenStream, error.context)
    case .memory: self.init(.memory, error.context)
    case .inconsistent: self.init(.inconsistent, error.context)
    }
  }

  /// Makes the error of a temporary file.
  init(_ error: FileError) {
    self.init(.temporaryStorage(error.number), error.message)
  }
}

extension RowWriter {
  /// Adds a row of at most ``RowRun/maximumRowBytes`` bytes, its key in front.
  @inline(__always)
  func append(_ row: UnsafeRawBufferPointer) throws(AuditError) {
    do throws(ShuffleError) { unsafe try add(row) } catch { throw AuditError(error) }
  }
}

extension RowSorter {
  /// Ends the writing and gives the rows of a range back in order, with those of another sorter whose
  /// keys have the same layout.
  func merged(
    _ range: RowRange = .all, with other: RowSorter? = nil
  ) throws(AuditError) -> RowMerger {
    do throws(ShuffleError) { return try merge(range, with: other) } catch {
      throw AuditError(error)
    }
  }

  /// Ends the writing and returns the ranges that the rows are cut into, with those of another sorter.
  func allRanges(with other: RowSorter?) throws(AuditError) -> [RowRange] {
    do throws(ShuffleError) { return try ranges(with: other) } catch { throw AuditError(error) }
  }

  /// Hands the rows that are still held to where they go, if that is elsewhere.
  func handAllOver() throws(AuditError) {
    do throws(ShuffleError) { try handOver() } catch { throw AuditError(error) }
  }
}

extension RowMerger {
  /// Merges runs of kept rows.
  convenience init(
    kept sources: [any RowRunSource], _ order: SourceOrder
  ) throws(AuditError) {
    do throws(ShuffleError) {
      unsafe try self.init(
        sources, keyLength: EventRow.keyLength,
        order: RowOrder { unsafe EventRow.compare($0, $1, order) < 0 })
    } catch {
      throw AuditError(error)
    }
  }

  /// Goes to the front of another range.
  func moved(to range: RowRange) throws(AuditError) {
    do throws(ShuffleError) { try move(to: range) } catch { throw AuditError(error) }
  }

  /// Returns the next row in order, valid until the next call, or nil at the end.
  @inline(__always)
  func next() throws(AuditError) -> UnsafeRawBufferPointer? {
    do throws(ShuffleError) { return unsafe try nextRow() } catch { throw AuditError(error) }
  }
}
