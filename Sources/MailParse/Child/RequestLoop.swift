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
            let count = buffer.withUnsafeMutableBytes { bytes in
                SystemCall.retrying { fundmail_receive_descriptor(0, bytes.baseAddress, bytes.count, &message) }
            }
            guard count > 0 else { return count == 0 ? 0 : 71 }
            guard message >= 0 else { return fail("a request without a message") }
            defer { close(message) }
            do throws(WireError) {
                let frame = try buffer[..<count].withBytes { (bytes) throws(WireError) in
                    try answer(Self.body(of: bytes), message)
                }
                guard send(frame) else { return 0 }
            } catch {
                return fail(error.what)
            }
        }
    }

    private mutating func answer(_ body: UnsafeRawBufferPointer, _ message: Int32) throws(WireError) -> [UInt8] {
        guard body.first != Wire.Kind.sanitize.rawValue else {
            let request = try SanitizeRequest(body: body)
            #if DEBUG
                if request.debug.contains(.poison) { Poison.take(from: message) }
            #endif
            return MarkupSanitizer.sanitized(try request.mail(in: message)).write(to: &writer)
        }
        let request = try ParseRequest(body: body)
        #if DEBUG
            if request.debug.contains(.poison) { Poison.take(from: message) }
        #endif
        return reader.read(message, request).write(to: &writer)
    }

    /// A request is far smaller than a socket's buffer and is sent by one call, so it comes whole.
    private static func body(of bytes: UnsafeRawBufferPointer) throws(WireError) -> UnsafeRawBufferPointer {
        guard bytes.count > Wire.lengthBytes else { throw WireError(what: "a request too short") }
        let length = Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
        guard length == bytes.count - Wire.lengthBytes else { throw WireError(what: "a request of another length") }
        return UnsafeRawBufferPointer(rebasing: bytes[Wire.lengthBytes...])
    }

    private func send(_ frame: [UInt8]) -> Bool {
        frame.withUnsafeBytes { bytes in
            SystemCall.writeAll(bytes) { Glibc.send(1, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        }
    }

    private func fail(_ what: String) -> Int32 {
        Wire.complain(what)
        return 70  // EX_SOFTWARE
    }
}

#if DEBUG
    /// For tests of the pool: a message that asks for it harms the child that reads it. Not compiled into a release.
    enum Poison {
        private static let mark = Array("X-Fundmail-Poison: ".utf8)

        /// Looks at the first bytes of the message.
        static func take(from message: Int32) {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = pread(message, &bytes, bytes.count, 0)
            guard count > 0 else { return }
            for line in bytes[..<count].split(whereSeparator: { $0 == .lf || $0 == .cr }) where line.starts(with: mark)
            {
                act(String(decoding: line.dropFirst(mark.count), as: UTF8.self))
            }
        }

        private static func act(_ kind: String) {
            switch kind {
            case "crash": raise(SIGSEGV)
            case "hang": while true { sleep(1) }
            case "spin": while true { _ = getppid() }
            case "exit": exit(3)
            case "memory":
                while let block = malloc(16 << 20) { memset(block, 1, 16 << 20) }
                Wire.complain("out of memory")
                abort()
            case "garbage":
                let bytes = [UInt8](repeating: 0xFF, count: 64)
                _ = write(1, bytes, bytes.count)
            default: break
            }
        }
    }
#endif
