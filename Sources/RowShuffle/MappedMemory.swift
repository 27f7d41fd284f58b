internal import Glibc

/// A fixed piece of memory: zero, taken from the system when it is first touched, given back with its owner,
/// or at once on `release`. Where the system has no room for it, there are no bytes.
@safe package struct MappedMemory: ~Copyable {
  /// The first byte; not to be touched where there are none.
  package let base: UnsafeMutableRawPointer
  /// Bytes there are: as many as were asked for, in whole large pages if these are used, or none.
  package let byteCount: Int
  /// The bytes of a large page, and those from which they are asked for, each of which is taken as a whole: a few of them.
  private static let (largePage, largePagesFrom) = (2 << 20, 8 << 20)

  /// Takes memory. If few of its bytes may be used, `isSparse` says so: then its pages are small.
  package init(byteCount: Int, isSparse: Bool = false) {
    let isLarge = !isSparse && byteCount >= Self.largePagesFrom
    // The system places whole large pages so that none of them is cut.
    let byteCount = isLarge ? byteCount / Self.largePage * Self.largePage : byteCount
    let mapped = unsafe mmap(
      nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    if let mapped = unsafe mapped, unsafe mapped != MAP_FAILED {
      unsafe base = mapped
      self.byteCount = byteCount
      if isLarge { unsafe madvise(mapped, byteCount, MADV_HUGEPAGE) }
    } else {
      unsafe base = UnsafeMutableRawPointer(bitPattern: 1).unsafelyUnwrapped
      self.byteCount = 0
    }
  }

  deinit {
    if byteCount > 0 { unsafe munmap(base, byteCount) }
  }

  /// Gives the bytes from an offset on back, in whole pages; they are zero when they are touched again.
  func release(from offset: Int = 0) {
    let page = sysconf(Int32(_SC_PAGESIZE))
    let start = (offset + page - 1) / page * page
    guard start < byteCount else { return }
    unsafe madvise(base + start, byteCount - start, MADV_DONTNEED)
  }
}
