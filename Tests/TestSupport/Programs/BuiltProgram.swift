internal import Foundation
internal import Glibc

/// The `fundmail` program of this build, run as a person would run it.
package struct BuiltProgram: Sendable {
    package struct Finished: Sendable {
        /// The exit status, or the number of the signal.
        package var status: Int32
        package var wasKilled: Bool
        package var output: String
        package var errors: String
        package var seconds: Double
        /// Seen by a thread of its own: the test itself may be kept waiting by others.
        package var endedAt: ContinuousClock.Instant
        /// Peak resident sizes in KiB, of the process and of the largest of its children; seen every 10 ms where
        /// `looksAtSizes`, else 0.
        package var peak = (own: 0, child: 0)

        /// Exit status 0 and no signal.
        package var isSuccess: Bool { status == 0 && !wasKilled }
    }

    /// Ends a run that hangs, and lets its test fail instead of holding everything up.
    private static let deadline: TimeInterval = 300
    /// Tests keep a machine busy: previews in the background must not wait until it is not, and a password must not
    /// take a debug build seconds.
    private static let always = ["FUNDMAIL_PROCESSOR_PRESSURE": "100", "FUNDMAIL_HASH_LOG_ROUNDS": "4"]

    package var path: String
    package var environment: [String: String] = [:]
    /// Where it runs, so that relative paths mean the same in every copy of a folder.
    package var workingFolder: String?
    /// Words in front of the program, as in `prlimit --fsize=…`.
    package var prefix: [String] = []
    /// Whether the sizes of its processes are looked at, a hundred times a second, while it is waited for.
    package var looksAtSizes = false

    /// Stands beside the test bundle that is running, or where `FUNDMAIL_BINARY` says.
    package init() {
        if let named = ProcessInfo.processInfo.environment["FUNDMAIL_BINARY"] {
            path = named
            return
        }
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        path = bundle.appendingPathComponent("fundmail").path
        if !FileManager.default.isExecutableFile(atPath: path) {
            path = FileManager.default.currentDirectoryPath + "/.build/debug/fundmail"
        }
    }

    /// Another program of this build, such as `fund`.
    package init(named name: String) {
        self.init()
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        path = bundle.appendingPathComponent(name).path
        if !FileManager.default.isExecutableFile(atPath: path) {
            path = FileManager.default.currentDirectoryPath + "/.build/debug/" + name
        }
    }

    /// Runs to the end; with `killAfter` (seconds) it gets SIGKILL then, unless it is through before.
    package func run(_ arguments: [String], killAfter: Double? = nil) async throws -> Finished {
        try await start(arguments).wait(killAfter: killAfter)
    }

    /// With `holdingInput` its standard input stays open, with nothing in it, for as long as it is `Running`.
    /// - Parameter terminal: shows its output and its errors instead of `Finished`.
    package func start(
        _ arguments: [String], holdingInput: Bool = false, at terminal: PseudoTerminal? = nil
    ) throws -> Running {
        let process = Process()
        let words = prefix + [path] + arguments
        process.executableURL = URL(fileURLWithPath: words[0].hasPrefix("/") ? words[0] : "/usr/bin/env")
        process.arguments = words[0].hasPrefix("/") ? Array(words.dropFirst()) : words
        process.environment = ProcessInfo.processInfo.environment.merging(Self.always) { own, _ in own }
            .merging(environment) { _, new in new }
        if let workingFolder { process.currentDirectoryURL = URL(fileURLWithPath: workingFolder) }
        let input = holdingInput ? Pipe() : nil
        process.standardInput = input ?? FileHandle.nullDevice
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fundmail-run-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let names = (output: folder.appendingPathComponent("out"), errors: folder.appendingPathComponent("err"))
        for name in [names.output, names.errors] { try Data().write(to: name) }
        process.standardOutput = try FileHandle(forWritingTo: names.output)
        process.standardError = try FileHandle(forWritingTo: names.errors)
        if let terminal {
            let end = FileHandle(fileDescriptor: terminal.program)
            process.standardInput = end
            process.standardOutput = end
            process.standardError = end
        }
        let begin = Date()
        try process.run()
        return Running(
            process: process, isWrapped: Faketime.isWrapper(prefix), looksAtSizes: looksAtSizes, folder: folder,
            input: input, begin: begin)
    }

    /// A program that was started. Used by one task at a time.
    package final class Running: @unchecked Sendable {
        private let process: Process
        /// The program is a child of `process`, as below `Faketime`.
        private let isWrapped: Bool
        private let looksAtSizes: Bool
        private let folder: URL
        private let input: Pipe?
        private let begin: Date
        private var peak = (own: 0, child: 0)
        /// Seconds between two looks at sizes.
        private static let look = 0.01

        fileprivate init(
            process: Process, isWrapped: Bool, looksAtSizes: Bool, folder: URL, input: Pipe?, begin: Date
        ) {
            (self.process, self.isWrapped, self.looksAtSizes) = (process, isWrapped, looksAtSizes)
            (self.folder, self.input, self.begin) = (folder, input, begin)
        }

        package var identifier: Int32 { process.processIdentifier }
        package var isRunning: Bool { process.isRunning }

        /// Sends a signal, as SIGTERM, to the program: a wrapper passes none on, and ends with what it wraps.
        package func signal(_ number: Int32) {
            guard process.isRunning else { return }
            let targets = isWrapped ? children : []
            for target in targets.isEmpty ? [identifier] : targets { _ = Glibc.kill(target, number) }
        }

        package func kill() { signal(SIGKILL) }

        /// Standard error as far as it was written.
        package var errorsSoFar: String {
            (try? String(contentsOf: folder.appendingPathComponent("err"), encoding: .utf8)) ?? ""
        }

        /// Standard output as far as it was written.
        package var outputSoFar: String {
            (try? String(contentsOf: folder.appendingPathComponent("out"), encoding: .utf8)) ?? ""
        }

        package func wait(killAfter: Double? = nil) async throws -> Finished {
            let pause = looksAtSizes ? Self.look : .infinity
            let ended = await withCheckedContinuation { continuation in
                Thread.detachNewThread { [self] in
                    let limit = begin.addingTimeInterval(killAfter ?? BuiltProgram.deadline)
                    repeat {
                        if looksAtSizes { lookAtSizes() }
                    } while !ProcessEnd.comes(to: identifier, within: min(pause, limit.timeIntervalSinceNow))
                        && Date() < limit
                    kill()
                    process.waitUntilExit()
                    continuation.resume(returning: (date: Date(), instant: ContinuousClock.now))
                }
            }
            let seconds = ended.date.timeIntervalSince(begin)
            defer { try? FileManager.default.removeItem(at: folder) }
            func text(_ name: String) throws -> String {
                String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
            }
            return Finished(
                status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
                output: try text("out"), errors: try text("err"), seconds: seconds, endedAt: ended.instant,
                peak: peak)
        }

        private static func read(_ path: String) -> String {
            (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        }

        /// Processes that it has started and that run.
        package var children: [Int32] {
            Self.threads(of: identifier).flatMap { thread in
                Self.read("\(thread)/children").split(separator: " ").compactMap { Int32($0) }
            }
        }

        /// A thread of one of them waits for time to pass, in sleep(3).
        package var hasSleepingChild: Bool {
            children.flatMap { Self.threads(of: $0) }.contains { Self.read("\($0)/wchan").contains("nanosleep") }
        }

        /// Their folders in /proc.
        private static func threads(of process: Int32) -> [String] {
            let folder = "/proc/\(process)/task"
            return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).map { "\(folder)/\($0)" }
        }

        private func lookAtSizes() {
            func peak(of process: some CustomStringConvertible) -> Int {
                let line = Self.read("/proc/\(process)/status").split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
                return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
            }
            self.peak.own = max(self.peak.own, peak(of: identifier))
            self.peak.child = max(self.peak.child, children.map { peak(of: $0) }.max() ?? 0)
        }
    }
}
