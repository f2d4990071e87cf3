internal import ChildProcesses
internal import Glibc
import FundCore

/// Takes one request after the other from the socket, and answers.
struct RequestLoop {
    private var writer = FrameWriter()
    private let reader = MessageReader(pack: PackWriter(descriptor: Wire.packDescriptor))
    private let messages: MappedMessages
    private var requests = FrameBuffer(maxBytes: Wire.maxRequestBytes)

    /// Nil when the memory with messages is missing.
    init?() {
        guard let messages = MappedMessages(Wire.messagesDescriptor) else { return nil }
        self.messages = messages
    }

    /// The exit status: 0 when the parent closed the socket.
    ///
    /// - Parameter confinement: what the process has been confined to before.
    mutating func run(_ confinement: ChildConfinement) -> Int32 {
        _ = ProcessSettings.lower(.processes, to: 0)
        let confinement = confinement.union(.confineCalls())
        writer.begin(.ready)
        writer.u8(confinement.rawValue)
        guard send(writer.end()) else { return 71 }
        while true {
            var message: Int32 = -1
            let received = requests.fill { LocalSocket.receive(into: $0, &message, from: 0) }
            guard received > 0 else { return received == 0 ? 0 : 71 }
            defer { if message >= 0 { close(message) } }
            do throws(FrameError) {
                guard try answerAll(message) else { return 0 }
            } catch {
                Wire.complain(error.what)
                return 70  // EX_SOFTWARE
            }
        }
    }

    /// Answers the requests that are whole. False when the parent is gone.
    ///
    /// - Parameter message: the descriptor that came with them; -1 for none.
    private mutating func answerAll(_ message: Int32) throws(FrameError) -> Bool {
        while let body = try requests.body(isLast: false) {
            let frame = try requests[body].withBytes { (bytes) throws(FrameError) in try answer(bytes, message) }
            requests.take(body)
            guard send(frame) else { return false }
        }
        return true
    }

    private mutating func answer(_ body: UnsafeRawBufferPointer, _ message: Int32) throws(FrameError) -> [UInt8] {
        switch body.first {
        case Wire.Kind.sanitize.rawValue:
            let request = try FileRequest(body: body, .sanitize, upTo: Wire.maxMailBytes)
            takePoison(request.debug, from: .file(message))
            return MarkupSanitizer.sanitized(try HTMLMail(request, in: message)).write(to: &writer)
        case Wire.Kind.readFeed.rawValue:
            let request = try FileRequest(body: body, .readFeed, upTo: FeedDocument.maxFileBytes)
            takePoison(request.debug, from: .file(message))
            return FeedReader.read(try FeedDocument(request, in: message)).write(to: &writer)
        default:
            let request = try ParseRequest(body: body)
            let place = try place(of: request, message)
            takePoison(request.debug, from: place)
            return reader.read(place, request).write(to: &writer)
        }
    }

    private func takePoison(_ marks: ParseRequest.DebugMarks, from place: MessageReader.Place) {
        #if DEBUG
            if marks.contains(.poison) { Poison.take(from: place) }
        #endif
    }

    private func place(of request: ParseRequest, _ message: Int32) throws(FrameError) -> MessageReader.Place {
        if let place = request.place {
            guard let bytes = messages.bytes(request.messageBytes, at: place) else {
                throw FrameError(what: "a message outside of the memory")
            }
            return .memory(bytes)
        }
        guard message >= 0 else { throw FrameError(what: "a request without a message") }
        return .file(message)
    }

    private func send(_ frame: [UInt8]) -> Bool {
        frame.withUnsafeBytes { bytes in
            SystemCall.writeAll(bytes) { Glibc.send(1, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        }
    }
}

#if DEBUG
    /// For tests of the pool: a message that asks for it harms the child that reads it. Not compiled into a release.
    enum Poison {
        private static let mark = Array("X-Fundmail-Poison: ".utf8)

        /// Looks at the first bytes of the message.
        static func take(from message: MessageReader.Place) {
            let lines = beginning(of: message).split { $0 == .lf || $0 == .cr }
            for line in lines where line.starts(with: mark) {
                act(String(decoding: line.dropFirst(mark.count), as: UTF8.self))
            }
        }

        private static func beginning(of message: MessageReader.Place) -> [UInt8] {
            switch message {
            case .memory(let bytes): return Array(bytes.prefix(4096))
            case .file(let descriptor):
                var bytes = [UInt8](repeating: 0, count: 4096)
                return Array(bytes[..<max(pread(descriptor, &bytes, bytes.count, 0), 0)])
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
            case "escape":
                Wire.complain("reached \(reached.isEmpty ? "nothing" : reached.joined(separator: ", "))")
                exit(3)
            default: break
            }
        }

        /// Names of what a child that a message took over can reach.
        private static var reached: [String] {
            let parent = getppid()
            var limit = rlimit(rlim_cur: 64, rlim_max: 64)
            var thread = pthread_t()
            let tries = [
                ("a file", open("/etc/passwd", O_RDONLY) >= 0), ("a folder", open("/", O_RDONLY) >= 0),
                ("its program", open("/proc/self/exe", O_RDONLY) >= 0),
                ("memory of its parent", open("/proc/\(parent)/mem", O_RDONLY) >= 0),
                ("a new file", open("/tmp/fundmail-escape", O_WRONLY | O_CREAT, 0o600) >= 0),
                ("the network", socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) >= 0),
                ("local sockets", socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) >= 0),
                ("its parent", kill(parent, 0) == 0), ("its parent's files", fcntl(0, F_SETOWN, parent) == 0),
                ("limits", setrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit) == 0),
                ("a thread", pthread_create(&thread, nil, { _ in nil }, nil) == 0),
                ("a program", (try? ChildCommand("/bin/true", words: ["true"], variables: []).start()) != nil),
            ]
            return tries.filter(\.1).map(\.0)
        }
    }
#endif
