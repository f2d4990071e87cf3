internal import CZstd
import FundCore
internal import Synchronization

/// The body of a small record, packed: u64 count of its bytes, then one frame of zstd (RFC 8878).
///
/// Text of mail takes a third of its size. Packing 5 KB takes 9 µs.
enum PackedBody {
    /// Lower bound for a body that is packed: fewer bytes are not worth the look.
    private static let minBytes = 512
    /// Upper bound for a packed body; one that says more is damaged.
    private static let maxBytes = Int(LogFormat.largeBytes)
    /// Another level saves two more percent for twice the time.
    private static let level: Int32 = 1
    private static let countBytes = 8

    /// Packs a body; nil when that would not save an eighth.
    static func pack(_ parts: [UnsafeRawBufferPointer]) -> [UInt8]? {
        let count = parts.reduce(0) { $0 + $1.count }
        guard (minBytes...maxBytes).contains(count) else { return nil }
        var body: [UInt8] = []
        body.reserveCapacity(count)
        for part in parts { body.append(contentsOf: part) }
        let packed = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            bytes.storeBytes(of: UInt64(count).littleEndian, as: UInt64.self)
            let room = UnsafeMutableRawBufferPointer(rebasing: bytes[countBytes...])
            let end = body.withUnsafeBytes { body in
                contexts.use { ZSTD_compressCCtx($0, room.baseAddress, room.count, body.baseAddress, count, level) }
            }
            if let end, ZSTD_isError(end) == 0 { filled = countBytes + end }
        }
        return packed.isEmpty || packed.count > count / 8 * 7 ? nil : packed
    }

    /// Unpacks a body; nil when it is none.
    static func unpack(_ packed: [UInt8]) -> [UInt8]? {
        packed.withUnsafeBytes { packed in
            guard packed.count >= countBytes else { return nil }
            let count = packed.integer(at: 0, as: UInt64.self)
            guard (1...UInt64(maxBytes)).contains(count) else { return nil }
            let frame = UnsafeRawBufferPointer(rebasing: packed[countBytes...])
            let body = [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
                let found = ZSTD_decompress(buffer.baseAddress, buffer.count, frame.baseAddress, frame.count)
                filled = ZSTD_isError(found) == 0 ? found : 0
            }
            return body.count == Int(count) ? body : nil
        }
    }

    private static let contexts = PackingContexts()
}

/// Working memory of zstd: some hundred kilobytes, which are kept instead of made for each body.
private final class PackingContexts: Sendable {
    /// One `ZSTD_CCtx *`. `@unchecked Sendable`: one caller at a time has it.
    private final class Context: @unchecked Sendable {
        let pointer: OpaquePointer

        init?() {
            guard let pointer = ZSTD_createCCtx() else { return nil }
            self.pointer = pointer
        }

        deinit { ZSTD_freeCCtx(pointer) }
    }

    private let idle = Mutex<[Context]>([])

    /// Nil when there is no memory for one.
    func use(_ body: (OpaquePointer) -> Int) -> Int? {
        guard let context = idle.withLock({ $0.popLast() }) ?? Context() else { return nil }
        defer { idle.withLock { $0.append(context) } }
        return body(context.pointer)
    }
}
