internal import ChildProcesses
import FundCore
import Glibc

/// One run of openssl(1). What it reads and writes are files in memory, so that no key stands on a disk or in the list
/// of processes.
struct OpenSSLRun: Sendable {
    static let program = "/usr/bin/openssl"
    /// A signature takes some milliseconds; a machine under load more.
    private static let maxSeconds = 20.0
    /// Bytes of output. A profile with some certificates has some ten thousand.
    private static let maxOutputBytes = 1 << 20

    /// Its standard output; empty unless it ended well.
    let output: [UInt8]
    /// The beginning of its standard error; nil when it ended well.
    let failure: String?

    static var isInstalled: Bool { access(program, X_OK) == 0 }

    /// The name under which the program finds a file of `inputs` behind its standard input.
    /// - Parameter number: 1 or more.
    static func path(ofInput number: Int) -> String { "/proc/self/fd/\(number + 2)" }

    /// Blocks until it has ended. Throws `signing` when it cannot be started, or takes too long.
    /// - Parameters:
    ///   - words: its arguments.
    ///   - inputs: files that it reads; the first is its standard input.
    init(_ words: [String], inputs: [[UInt8]]) throws(ProfileError) {
        guard Self.isInstalled else {
            throw ProfileError(.signing, "\(Self.program) is not there; install Debian's package openssl")
        }
        do {
            let (end, errors, output) = try Self.run(words, inputs)
            switch end {
            case .exited(0): (self.output, failure) = (output, nil)
            case .exited: (self.output, failure) = ([], errors)
            case .outOfTime, .cancelled:
                throw ProfileError(.signing, "openssl took longer than \(Int(Self.maxSeconds)) s")
            }
        } catch let error as ProfileError { throw error } catch {
            throw ProfileError(.signing, "openssl cannot be started: \(error)")
        }
    }

    private static func run(
        _ words: [String], _ inputs: [[UInt8]]
    ) throws -> (end: SupervisedChild.End, errors: String, output: [UInt8]) {
        var files: [Int32] = []
        defer { files.forEach { close($0) } }
        for input in inputs { files.append(try MemoryFile(sealed: input).take()) }
        let output = try MemoryFile()
        // In a session without a terminal nothing asks for a passphrase.
        let child = try SupervisedChild(
            ChildCommand(
                program, words: ["openssl"] + words, variables: ["LANG=C", "PATH=/usr/bin:/bin"],
                descriptors: [files.first ?? -1, output.descriptor, -1] + files.dropFirst(), hasOwnSession: true))
        let (end, _, errors) = child.wait(maxSeconds, cancellation: nil, stop: { $0.kill() })
        return (end, errors, try output.bytes(atMost: maxOutputBytes))
    }
}
