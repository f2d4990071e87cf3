import CLinux
internal import Glibc
import FundCore

/// Runs a program within Landlock, where namespaces are not to be had: by this program itself, started anew for each
/// run (`LandlockLauncher`). It stays beside the converter, and ends it when this process lets go or dies.
enum LandlockRun {
    static func run(
        _ command: SandboxCommand, executable: String, input: Int32?, cancellation: Int32?
    ) throws(SandboxError) -> SandboxRun {
        let output = try MemoryFile()
        // The launcher ends as soon as no process has our end.
        var sockets: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &sockets) == 0 else { throw SandboxError("socketpair", code: errno) }
        let (held, other) = (sockets[0], sockets[1])
        defer { close(held) }
        let scratch = LandlockScratch.newPath()
        let words = LandlockLauncher.words(for: command, scratch: scratch)
        let files = [input ?? -1, output.descriptor, other]
        let process: SandboxProcess
        do throws(SandboxError) {
            process = try SandboxProcess(
                executable, words: words, variables: ["SWIFT_BACKTRACE=enable=no"],
                hasOwnSession: command.isAwaited,
                descriptors: { [files[0], files[1], $0, files[2]] })
        } catch {
            close(other)
            throw error
        }
        close(other)
        let (end, time, errors) = process.wait(command.limits.wallSeconds, cancellation: cancellation) { _ in
            // As if it were closed, but what the launcher wrote can be read.
            shutdown(held, Int32(SHUT_WR))
        }
        LandlockLauncher.finish(held, scratch: scratch)
        return SandboxRun(end: end, processorSeconds: time.ofLauncher, errors: errors, output: output)
    }
}
