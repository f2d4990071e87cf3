internal import ChildProcesses
internal import Glibc
import FundCore

/// Exit statuses of the scripts of tools, which no tool uses itself.
enum ScriptStatus {
    static let tooLarge: Int32 = 90
    static let encrypted: Int32 = 91
    static let unsupported: Int32 = 92
    /// Statuses of sh(1) for a program that could not be run, or is not there.
    static let notRun: Int32 = 126
    static let notFound: Int32 = 127
}

extension ToolJob {
    /// Output of a command that ended with status 0; throws its failure otherwise.
    ///
    /// - Parameters:
    ///   - tools: the programs that it runs.
    ///   - isPartWelcome: what it wrote counts although it failed or ended at a limit: text, names.
    func output(
        of command: SandboxCommand, needing tools: [String], isPartWelcome: Bool = false
    ) throws(ToolError) -> [UInt8] {
        let (bytes, failure) = try outcome(of: command, needing: tools)
        if let failure, bytes.isEmpty || !isPartWelcome || !Self.failuresWithParts.contains(failure) {
            throw .failure(failure)
        }
        return bytes
    }

    private static let failuresWithParts: Set<RenditionFailure> = [.damaged, .tooLarge, .timedOut, .crashed]

    /// Output of a command, and its failure.
    func outcome(
        of command: SandboxCommand, needing tools: [String]
    ) throws(ToolError) -> (bytes: [UInt8], failure: RenditionFailure?) {
        for tool in tools where access("/usr/bin/\(tool)", X_OK) != 0 { throw .failure(.noTool) }
        guard sandbox.kind != .none else { throw .failure(.noSandbox) }
        var command = command
        if conversion.attempt > 1 { command.limits = command.limits.doubled }
        command.isAwaited = conversion.isAwaited
        let run = try start(command)
        guard run.end != .cancelled else { throw .cancelled }
        // Where the time is not known, it may have been all that there was.
        let isTimeUp = run.processorSeconds.map { $0 >= Double(command.limits.processorSeconds) } ?? true
        let failure = Self.failure(run.end, errors: run.errors, isTimeUp: isTimeUp)
        do throws(ProcessError) {
            return (try run.output.bytes(atMost: Int(clamping: command.limits.fileBytes)), failure)
        } catch {
            throw .system(error)
        }
    }

    private func start(_ command: SandboxCommand) throws(ToolError) -> SandboxRun {
        do throws(ProcessError) {
            return try sandbox.run(command, input: input, cancellation: cancellation)
        } catch {
            throw .system(error)
        }
    }

    /// Failure by which a program ended; nil when it ended well.
    /// - Parameter isTimeUp: it has used the processor time that it may.
    private static func failure(_ end: SupervisedChild.End, errors: String, isTimeUp: Bool) -> RenditionFailure? {
        guard case .exited(let status) = end else { return .timedOut }
        switch status {
        case 0: return nil
        case ScriptStatus.tooLarge, 128 + SIGXFSZ: return .tooLarge
        case ScriptStatus.encrypted: return .encrypted
        case ScriptStatus.unsupported: return .unsupported
        // It could not be run although it is there, or soffice caught its own end.
        case ScriptStatus.notRun, ScriptStatus.notFound: return .crashed
        case 128 + SIGXCPU: return .timedOut
        // By the limit of processor time; else from outside, as by the kernel when the machine has no memory left. Our
        // own limit of memory lets allocations fail, and kills nothing.
        case 128 + SIGKILL: return isTimeUp ? .timedOut : .crashed
        // FFmpeg catches SIGXCPU, and ends with this status when it gets it.
        case stoppedStatus where isTimeUp: return .timedOut
        default: break
        }
        let text = errors.lowercased()
        if outOfMemoryTexts.contains(where: text.contains) { return .tooMuchMemory }
        if (129...192).contains(status) || text.contains("cannot fork") { return .crashed }
        if encryptedTexts.contains(where: text.contains) { return .encrypted }
        if text.contains(noPagesText) { return .damaged }
        return missingTexts.contains(where: text.contains) ? .unsupported : .damaged
    }

    private static let stoppedStatus: Int32 = 255
    private static let outOfMemoryTexts = [
        "bad_alloc", "out of memory", "cannot allocate", "can't allocate", "memory allocation", "unable to allocate",
    ]
    private static let encryptedTexts = ["incorrect password", "passphrase", "encrypted"]
    /// A document without any page (pdfinfo, pdftoppm).
    private static let noPagesText = "after the last page (0)"
    /// A page that the document does not have (pdftoppm, libvips), or a file without a picture (ffmpeg).
    private static let missingTexts = ["wrong page range", "does not contain page", "matches no streams"]
}
