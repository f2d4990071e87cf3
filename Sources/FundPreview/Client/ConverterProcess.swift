internal import ChildProcesses
internal import Dispatch
internal import Glibc
import FundCore

/// Conversions by a converter process: one that systemd starts, or a child of this process.
package final class ConverterProcess: Converter {
    /// Where the process is.
    package enum Place: Sendable, Hashable {
        /// Behind a socket at this path (fundmail-convert.socket).
        case socket(path: String)
        /// A child that runs this program with `ConvertWorkerMain.command`.
        case child(executable: String, sandbox: Sandbox.Choice)
    }

    /// Longer than any conversion may take, the second attempt included: then the process itself hangs.
    private static let answerSeconds = 300.0

    private let place: Place
    private let child: WorkerChild?
    private let slots: ResourcePool<Int>

    /// Label of the threads that wait for the process.
    private static let label = "fundmail.converters"

    /// Starts nothing yet.
    ///
    /// - Parameter count: conversions at the same time; more wait.
    package init(_ place: Place, atMost count: Int) {
        self.place = place
        slots = ResourcePool(Array(0..<max(count, 1)))
        switch place {
        case .socket: child = nil
        case .child(let executable, let sandbox):
            child = WorkerChild(executable: executable, arguments: [ConvertWorkerMain.command, sandbox.rawValue])
        }
    }

    /// The child; nil while there is none.
    package var childProcess: Int32? { child?.pid }

    /// Ends the child with all that it runs; conversions under way fail. For good.
    package func shutdown() async {
        _ = slots.close()
        await DispatchQueue.runAlone(Self.label) { [child] in child?.end() }
    }

    package func convert(_ conversion: Conversion, of input: Int32) async throws -> Converted {
        let size = try Self.size(of: input)
        guard size <= ToolJob.maxInputBytes else { throw RenditionFailure.tooLarge }
        return try await withSlot { [self] in
            let descriptor = try Self.readOnly(input)
            defer { close(descriptor) }
            return try await request { connection in
                let output = try MemoryFile()
                let answer = try connection.answer(
                    to: .convert(conversion), [descriptor, output.descriptor], within: Self.answerSeconds)
                switch answer {
                case .info(let info) where conversion.work == .info: return .info(info)
                case .written: return try CheckedOutput.of(conversion, in: output)
                case .failure(let failure): throw failure
                default: throw Self.error(answer)
                }
            }
        }
    }

    package func abilities() async throws -> ConverterAbilities {
        try await withSlot { [self] in
            try await request { connection in
                let answer = try connection.answer(to: .abilities, within: Self.answerSeconds)
                guard case .abilities(let abilities) = answer else { throw Self.error(answer) }
                return abilities
            }
        }
    }

    private static func error(_ answer: ConvertAnswer?) -> ProcessError {
        switch answer {
        case nil: ProcessError("the converter process died", code: EPIPE)
        case .systemFailure(let text): ProcessError("converter process: \(text)", code: EIO)
        default: ProcessError("the converter process gave another answer", code: EPROTO)
        }
    }

    private func withSlot<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        let slot = try await slots.acquire()
        defer { slots.release(slot) }
        return try await body()
    }

    /// Runs `body` with a connection, off the threads of Swift's pool. A task that is cancelled waits until its work
    /// has ended in the other process.
    private func request<Value: Sendable>(
        _ body: @escaping @Sendable (ConvertConnection) throws -> Value
    ) async throws -> Value {
        let connection = try await DispatchQueue.runAlone(Self.label) { [self] () throws(ProcessError) in
            ConvertConnection(takingOwnershipOf: try connect())
        }
        defer { connection.end() }
        do {
            return try await withTaskCancellationHandler {
                try await DispatchQueue.runAlone(Self.label) { try body(connection) }
            } onCancel: {
                connection.cancel()
            }
        } catch {
            if (error as? ProcessError)?.code == ETIMEDOUT {
                await DispatchQueue.runAlone(Self.label) { [child] in child?.restart() }
            }
            throw Task.isCancelled ? CancellationError() : error
        }
    }

    private func connect() throws(ProcessError) -> Int32 {
        switch place {
        case .socket(let path): return try LocalSocket.connect(to: path, .messages)
        case .child:
            guard let child else { throw ProcessError("converter process", code: ECHILD) }
            return try child.connect()
        }
    }

    private static func size(of descriptor: Int32) throws -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw ProcessError("input", code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw ProcessError("input", code: EINVAL) }
        return Int64(status.st_size)
    }

    /// Opens the same file anew, only for reading, with a position of its own. Converters get copies of it.
    private static func readOnly(_ descriptor: Int32) throws(ProcessError) -> Int32 {
        let opened = open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
        guard opened >= 0 else { throw ProcessError("input", code: errno) }
        return opened
    }
}
