internal import Glibc

extension String {
  /// Returns whether the text is these bytes in UTF-8: Unicode takes different bytes for one text.
  package func isEncoded(as bytes: UnsafeRawBufferPointer) -> Bool {
    let isSame = unsafe utf8.withContiguousStorageIfAvailable { text in
      guard text.count == bytes.count else { return false }
      guard let left = text.baseAddress, let right = bytes.baseAddress else { return true }
      return unsafe memcmp(left, right, bytes.count) == 0
    }
    return unsafe isSame ?? utf8.elementsEqual(bytes)
  }

  /// Returns whether both texts are the same bytes in UTF-8.
  package func isSame(as other: String) -> Bool {
    let isSame = unsafe other.utf8.withContiguousStorageIfAvailable { bytes in
      unsafe isEncoded(as: UnsafeRawBufferPointer(bytes))
    }
    return isSame ?? utf8.elementsEqual(other.utf8)
  }
}
