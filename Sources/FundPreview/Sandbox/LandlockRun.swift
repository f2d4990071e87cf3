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
        var pipe: [Int32] = [-1, -1]
        guard pipe2(&pipe, O_CLOEXEC) == 0 else { throw SandboxError("pipe", code: errno) }
        // The launcher ends as soon as no process has this end.
        let held = pipe[1]
        defer { close(pipe[0]) }
        let scratch = "/tmp/\(SpoolDirectory.uniqueName(prefix: "fundmail-convert"))"
        let words = LandlockLauncher.words(for: command, scratch: scratch)
        let files = [input ?? -1, output.descriptor, pipe[0]]
        let process: SandboxProcess
        do throws(SandboxError) {
            process = try SandboxProcess(
                executable, words: words, variables: ["SWIFT_BACKTRACE=enable=no"],
                descriptors: { [files[0], files[1], $0, files[2]] })
        } catch {
            close(held)
            throw error
        }
        var isHeld = true
        let (end, seconds, errors) = process.wait(command.limits.wallSeconds, cancellation: cancellation) { _ in
            close(held)
            isHeld = false
        }
        if isHeld { close(held) }
        return SandboxRun(end: end, processorSeconds: seconds, errors: errors, output: output)
    }
}
