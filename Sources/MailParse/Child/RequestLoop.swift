import CLinux
internal import Glibc
import FundCore

/// Takes one request after the other from the socket, and answers.
struct RequestLoop {
    private var writer = WireWriter()
    private let reader = MessageReader(pack: PackWriter(descriptor: Wire.packDescriptor))

    /// The exit status: 0 when the parent closed the socket.
    mutating func run() -> Int32 {
        ChildLimits.forbidProcesses()
        writer.begin(.ready)
        guard send(writer.end()) else { return 71 }
        var buffer = [UInt8](repeating: 0, count: Wire.maxRequestBytes)
        while true {
            var message: Int32 = -1
            let count = buffer.withUnsafeMutableBytes { receive($0, &message) }
            guard count > 0 else { return count == 0 ? 0 : 71 }
            guard message >= 0 else { return fail("a request without a message") }
            defer { close(message) }
            do throws(WireError) {
                let request = try buffer.withBytes(of: 0..<count, Self.request)
                guard send(answer(request, message).write(to: &writer)) else { return 0 }
            } catch {
                return fail(error.what)
            }
        }
    }

    private func answer(_ request: ParseRequest, _ message: Int32) -> ParseResponse {
        #if DEBUG
            if request.debug.contains(.poison) { Poison.take(from: message) }
        #endif
        return reader.read(message, request)
    }

    /// A request is far smaller than a socket's buffer and is sent by one call, so it comes whole.
    private static func request(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> ParseRequest {
        guard bytes.count > Wire.lengthBytes else { throw WireError(what: "a request too short") }
        let length = Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
        guard length == bytes.count - Wire.lengthBytes else { throw WireError(what: "a request of another length") }
        return try ParseRequest(body: UnsafeRawBufferPointer(rebasing: bytes[Wire.lengthBytes...]))
    }

    private func receive(_ buffer: UnsafeMutableRawBufferPointer, _ message: inout Int32) -> Int {
        while true {
            let count = fundmail_receive_descriptor(0, buffer.baseAddress, buffer.count, &message)
            if count >= 0 || errno != EINTR { return count }
        }
    }

    private func send(_ frame: [UInt8]) -> Bool {
        frame.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = Glibc.send(1, bytes.baseAddress.map { $0 + done }, bytes.count - done, Int32(MSG_NOSIGNAL))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }

    private func fail(_ what: String) -> Int32 {
        Wire.complain(what)
        return 70  // EX_SOFTWARE
    }
}
