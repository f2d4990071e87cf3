internal import ChildProcesses
import FundCore
internal import Glibc

/// A request about what travels in a file: it does not fit into the buffer of a socket.
struct FileRequest: Equatable {
    let kind: Wire.Kind
    /// Size of the file.
    var fileBytes: Int
    var debug: ParseRequest.DebugMarks = []

    func write(to writer: inout FrameWriter) -> [UInt8] {
        writer.begin(kind)
        writer.i64(Int64(fileBytes))
        writer.u8(debug.rawValue)
        return writer.end()
    }
}

extension FileRequest {
    /// - Parameters:
    ///   - body: the frame behind its count.
    ///   - most: bytes that the file may have.
    init(body: UnsafeRawBufferPointer, _ kind: Wire.Kind, upTo most: Int) throws(FrameError) {
        var reader = FrameReader(body)
        guard try reader.u8() == kind.rawValue else { throw FrameError(what: "not a request") }
        let count = try reader.i64()
        guard (0...Int64(most)).contains(count) else { throw FrameError(what: "a file of \(count) bytes") }
        self.init(kind: kind, fileBytes: Int(count), debug: ParseRequest.DebugMarks(rawValue: try reader.u8()))
        guard reader.isAtEnd else { throw FrameError(what: "a request too long") }
    }

    /// Reads the frame of the file by `read`.
    /// - Returns: what it read, and the bytes that stand behind that.
    func content<Value>(
        in descriptor: Int32, _ read: (inout FrameReader) throws(FrameError) -> Value
    ) throws(FrameError) -> (value: Value, rest: [UInt8]) {
        var bytes = [UInt8](repeating: 0, count: fileBytes)
        let count = bytes.withUnsafeMutableBytes { SystemCall.fill($0, from: descriptor, at: 0) }
        guard count == fileBytes, count > Frame.lengthBytes else { throw FrameError(what: "a file cut short") }
        let (value, size) = try bytes[Frame.lengthBytes...].withBytes { (body) throws(FrameError) -> (Value, Int) in
            var reader = FrameReader(body)
            guard try reader.u8() == kind.rawValue else { throw FrameError(what: "a file of another kind") }
            return (try read(&reader), reader.remainingBytes)
        }
        return (value, Array(bytes.suffix(size)))
    }
}
