internal import Glibc

/// The memory in which messages stand (`MessageArea`), as a child sees it.
struct MappedMessages {
    private let memory: UnsafeRawBufferPointer

    /// Nil when there is none.
    init?(_ descriptor: Int32) {
        guard let start = mmap(nil, Wire.messagesBytes, PROT_READ, MAP_SHARED, descriptor, 0), start != MAP_FAILED
        else { return nil }
        memory = UnsafeRawBufferPointer(start: start, count: Wire.messagesBytes)
    }

    /// Nil when that is no part of it.
    func bytes(_ count: Int64, at place: Int) -> UnsafeRawBufferPointer? {
        guard (0...memory.count).contains(place), (0...Int64(memory.count - place)).contains(count) else { return nil }
        return UnsafeRawBufferPointer(rebasing: memory[place..<(place + Int(count))])
    }
}
