import CLinux
internal import Glibc
import FundCore

/// Memory in which small messages stand for a child to read, several at a time: one copy for each instead of a file, a
/// descriptor and their system calls. The child can change nothing of it, and neither side can make it shorter.
///
/// Nothing is wiped: until others stand in its place, a child can see a message that the one before it was given.
final class MessageArea {
    let descriptor: Int32
    private let memory: UnsafeMutableRawBufferPointer
    private var used = 0

    init() throws(ChildError) {
        // MFD_CLOEXEC and MFD_ALLOW_SEALING, which glibc shows only under _GNU_SOURCE
        descriptor = memfd_create("fundmail-messages", 1 | 2)
        guard descriptor >= 0 else { throw .own(ParserError(.cannotStart, "memfd_create", errno)) }
        // Mapped before it is sealed: only what is mapped by then can be written.
        guard ftruncate(descriptor, off_t(Wire.messagesBytes)) == 0,
            let start = mmap(nil, Wire.messagesBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            start != MAP_FAILED
        else { throw Self.failure(closing: descriptor) }
        guard fundmail_seal_but_for_mapping(descriptor) == 0 else {
            let error = Self.failure(closing: descriptor)
            munmap(start, Wire.messagesBytes)
            throw error
        }
        memory = UnsafeMutableRawBufferPointer(start: start, count: Wire.messagesBytes)
    }

    private static func failure(closing descriptor: Int32) -> ChildError {
        defer { close(descriptor) }
        return .own(ParserError(.cannotStart, "memory for messages", errno))
    }

    deinit {
        munmap(memory.baseAddress, memory.count)
        close(descriptor)
    }

    /// The child needs nothing of it any more.
    func reset() { used = 0 }

    /// Gives the place; nil when there is no room.
    func put(_ bytes: [UInt8]) -> Int? {
        guard bytes.count <= memory.count - used else { return nil }
        UnsafeMutableRawBufferPointer(rebasing: memory[used...]).copyBytes(from: bytes)
        defer { used += bytes.count }
        return used
    }
}
