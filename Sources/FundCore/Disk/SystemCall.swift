internal import Glibc

/// Calls of the kernel that signals interrupt (EINTR, signal(7)), made until they are done.
package enum SystemCall {
    /// Makes `call` again while it is interrupted. Returns its result; where that is negative, errno(3) says why.
    package static func retrying(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    /// Fills `buffer` with the bytes at `offset` of a file. Returns how many came, fewer than it has room for only at
    /// the end of the file; -1 when it cannot be read, and errno(3) says why.
    package static func fill(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, at offset: Int64) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = retrying { pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + done) }
            if count < 0 { return count }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// pwrite(2) until all is written. False when it fails, and errno(3) says why.
    package static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64) -> Bool {
        var position = off_t(offset)
        return writeAll(bytes) { rest in
            let count = pwrite(descriptor, rest.baseAddress, rest.count, position)
            if count > 0 { position += count }
            return count
        }
    }

    /// Gives `bytes` to `write` until it has taken all; it returns how many it took. False when it fails, and errno(3)
    /// says why.
    package static func writeAll(_ bytes: UnsafeRawBufferPointer, _ write: (UnsafeRawBufferPointer) -> Int) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = retrying { write(UnsafeRawBufferPointer(rebasing: rest)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
