internal import CZstd
internal import Glibc
import FundCore

/// A file as one frame of zstd (RFC 8878), packed and unpacked piece by piece.
enum PackedFile {
    /// A database of rows takes a third to a quarter; another level saves little for much time.
    private static let level: Int32 = 3

    /// Packs a file into a new one, which is durable afterwards. Throws `DiskError`.
    static func pack(_ path: String, into target: String) throws {
        guard let context = ZSTD_createCCtx() else { throw DiskError("pack", path, code: ENOMEM) }
        defer { ZSTD_freeCCtx(context) }
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
        // A changed byte is found when it is unpacked.
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: ZSTD_CStreamOutSize(), alignment: 16)
        defer { room.deallocate() }
        unlink(target)
        try DiskFile.write(target) { emit in
            func feed(_ bytes: UnsafeRawBufferPointer, _ directive: ZSTD_EndDirective) throws {
                var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
                while true {
                    var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
                    let rest = ZSTD_compressStream2(context, &output, &input, directive)
                    guard ZSTD_isError(rest) == 0 else { throw DiskError("pack", path, code: EIO) }
                    try emit(UnsafeRawBufferPointer(rebasing: room[..<output.pos]))
                    if directive == ZSTD_e_end ? rest == 0 : input.pos == input.size { return }
                }
            }
            try FileBytes.read(path) { try feed($0, ZSTD_e_continue) }
            try feed(UnsafeRawBufferPointer(start: nil, count: 0), ZSTD_e_end)
        }
    }

    /// Unpacks into a new file, which is durable afterwards. Throws `corrupted` when it is not as it was packed, and
    /// `DiskError`.
    static func unpack(_ path: String, into target: String) throws {
        guard let context = ZSTD_createDCtx() else { throw DiskError("unpack", path, code: ENOMEM) }
        defer { ZSTD_freeDCtx(context) }
        let damage = StoreError(.corrupted, "unpack \(path)", "it has changed since it was packed")
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: ZSTD_DStreamOutSize(), alignment: 16)
        defer { room.deallocate() }
        unlink(target)
        try DiskFile.write(target) { emit in
            // Not 0 until a frame has ended.
            var rest = 1
            try FileBytes.read(path) { bytes in
                var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
                while input.pos < input.size {
                    var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
                    rest = ZSTD_decompressStream(context, &output, &input)
                    guard ZSTD_isError(rest) == 0 else { throw damage }
                    try emit(UnsafeRawBufferPointer(rebasing: room[..<output.pos]))
                }
            }
            while rest != 0 {
                // The context may still hold the frame's end.
                var input = ZSTD_inBuffer(src: nil, size: 0, pos: 0)
                var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
                rest = ZSTD_decompressStream(context, &output, &input)
                guard ZSTD_isError(rest) == 0, output.pos > 0 || rest == 0 else { throw damage }
                try emit(UnsafeRawBufferPointer(rebasing: room[..<output.pos]))
            }
        }
    }
}
