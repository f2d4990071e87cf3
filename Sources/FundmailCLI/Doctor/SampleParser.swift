internal import ChildProcesses
import FundCore
import MailParse

/// Parses messages that are looked at and not kept, in a child as a run does.
struct SampleParser: Sendable {
    private let scratch: ScratchFolder
    private let parser: ParserPool
    private let limits: ParseLimits

    /// Throws `CommandError` when no temporary folder can be made.
    init(_ workspace: Workspace, limits: ParseLimits) throws {
        scratch = try ScratchFolder()
        parser = workspace.parser(stagingDirectory: scratch.path, concurrency: 1)
        self.limits = limits
    }

    /// Throws when no child can be started. What cannot be parsed is a result.
    func parse(_ bytes: [UInt8]) async throws -> ParseResult {
        let (spool, limits) = (SpoolDirectory(path: scratch.path), limits)
        return try await parser.withWorker { worker in
            var writer = spool.makeWriter()
            try bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws -> Void in try writer.append(bytes) }
            return try worker.parse(writer.finish(), limits: limits)
        }
    }

    /// The headers among messages that can be read; also of one that a run would refuse.
    func headers(of messages: [[UInt8]]) async throws -> [MessageHeader] {
        var headers: [MessageHeader] = []
        for message in messages {
            switch try await parse(message) {
            case .message(let parsed): headers.append(parsed.header)
            case .refused(_, _, let header, _): if let header { headers.append(header) }
            }
        }
        return headers
    }

    /// Confinement of the child that parsed last; nil before the first message.
    var confinement: ChildConfinement? { parser.confinement }

    /// Ends the child.
    func shutdown() async { await parser.shutdown() }
}
