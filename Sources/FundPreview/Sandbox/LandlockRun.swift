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
        let (held, other) = try ConvertSocket.pair()
        defer { close(held) }
        let scratch = "/tmp/\(SpoolDirectory.uniqueName(prefix: "fundmail-convert"))"
        let words = LandlockLauncher.words(for: command, scratch: scratch)
        let files = [input ?? -1, output.descriptor, other]
        let process: SandboxProcess
        do throws(SandboxError) {
            process = try SandboxProcess(
                executable, words: words, variables: ["SWIFT_BACKTRACE=enable=no"],
                descriptors: { [files[0], files[1], $0, files[2]] })
        } catch {
            close(other)
            throw error
        }
        close(other)
        let (end, seconds, errors) = process.wait(command.limits.wallSeconds, cancellation: cancellation) { _ in
            // As if it were closed, but what the launcher wrote can be read.
            shutdown(held, Int32(SHUT_WR))
        }
        LandlockLauncher.finish(held, scratch: scratch)
        return SandboxRun(end: end, processorSeconds: seconds, errors: errors, output: output)
    }
}
