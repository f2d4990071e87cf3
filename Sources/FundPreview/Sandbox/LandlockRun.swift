internal import ChildProcesses
internal import Glibc
import FundCore

/// Runs a program within Landlock, where namespaces are not to be had: by this program itself, started anew for each
/// run (`LandlockLauncher`). It stays beside the converter, and ends it when this process lets go or dies.
enum LandlockRun {
    static func run(
        _ command: SandboxCommand, executable: String, input: Int32?, cancellation: Int32?
    ) throws(ProcessError) -> SandboxRun {
        let output = try MemoryFile()
        // The launcher ends as soon as no process has our end.
        let (held, other) = try LocalSocket.pair(.messages)
        defer { close(held) }
        let scratch = LandlockScratch.newPath()
        let words = LandlockLauncher.words(for: command, scratch: scratch)
        let process: SupervisedChild
        do throws(ProcessError) {
            process = try SupervisedChild(
                ChildCommand(
                    executable, words: words, variables: ["SWIFT_BACKTRACE=enable=no"],
                    descriptors: [input ?? -1, output.descriptor, -1, other], hasOwnSession: command.isAwaited))
        } catch {
            close(other)
            throw error
        }
        close(other)
        let (end, time, errors) = process.wait(command.limits.wallSeconds, cancellation: cancellation) { _ in
            // The launcher sees the end as at a close, and what it wrote can still be read.
            shutdown(held, Int32(SHUT_WR))
        }
        LandlockLauncher.finish(held, scratch: scratch)
        return SandboxRun(end: end, processorSeconds: time.ofLauncher, errors: errors, output: output)
    }
}
