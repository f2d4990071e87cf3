internal import ChildProcesses
internal import Glibc
import FundCore

/// Memory in which small messages stand for a child to read, several at a time: one copy for each instead of a file, a
/// descriptor and their system calls. The child can change nothing of it, and neither side can make it shorter.
///
/// Nothing is wiped: until others stand in its place, a child can see a message that the one before it was given.
final class MessageArea {
    private let file: MemoryFile
    private let memory: UnsafeMutableRawBufferPointer
    private var used = 0

    var descriptor: Int32 { file.descriptor }

    init() throws(ChildError) {
        var mapping = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        do throws(ProcessError) { file = try MemoryFile(byteCount: Wire.messagesBytes, mapping: &mapping) } catch {
            throw ChildError(.cannotStart, error)
        }
        memory = mapping
    }

    deinit { munmap(memory.baseAddress, memory.count) }

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
