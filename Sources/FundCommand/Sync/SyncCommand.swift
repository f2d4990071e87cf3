import ArgumentParser
import Foundation
import FundClient
import Terminal

/// Keeps a folder in step.
struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Keep a folder of this machine in step with your funds.",
        discussion: """
            Both ways: what changed here goes to the server, what changed there comes here. Each fund is a folder at \
            the top of DIR; with --only one fund is DIR itself. Moved and renamed files are moved and renamed on the \
            other side. What changed on both sides is kept twice: report.pdf and report (conflict, ann, 2026-11-21).pdf.

            Nothing is lost: what is deleted or replaced lies in the trash of the server, or for 30 days in \
            DIR/.fund/trash. When more than 100 files, or more than a third of all, are to be deleted, you are asked \
            first.

            Left alone, and said: links and special files, names that the other side cannot have, and what has a name \
            that something else keeps. While something here cannot be read, nothing is deleted on the server.

            Exit status: 0 both sides are in step, but for what is left alone; 75 not yet, and why: run it again when \
            that is mended; 69 the server cannot be reached; 77 sign in again.

            Examples:
              fund sync ~/Funds
              fund sync ~/Funds --watch
              fund sync ~/Fund1 --only "Fund1" --one-way down
              fund sync ~/Funds --dry-run
            """)

    enum Way: String, ExpressibleByArgument, CaseIterable { case down, up }

    @Argument(help: "The folder to keep in step.", completion: .directory)
    var dir: String

    @Flag(help: "Keep running, and bring the folder in step whenever something changes.")
    var watch = false

    @Option(
        help: ArgumentHelp(
            "Only from the server here (down), or only from here to the server (up).", valueName: "down|up"))
    var oneWay: Way?

    @Option(help: ArgumentHelp("Only this fund, its content directly in DIR.", valueName: "fund"))
    var only: String?

    @Flag(help: "Show what would be done, and do nothing.")
    var dryRun = false

    @Flag(help: "Delete many files without asking.")
    var deleteMany = false

    @Option(help: ArgumentHelp("The seconds that a file must be unchanged before it is sent.", valueName: "seconds"))
    var settle = 2.0

    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        guard settle >= 0, settle <= 3600 else { throw ValidationError("--settle is 0 to 3600 seconds") }
        guard !(watch && dryRun) else { throw ValidationError("--watch and --dry-run exclude each other") }
    }

    func run() async throws {
        let output = SyncOutput(json: globals.json, quiet: globals.quiet, dryRun: dryRun, isStaying: watch)
        try await globals.withSession { session in try await run(session, output) }
        if !output.isInStep, !dryRun { throw ExitCode(ExitStatus.temporary.rawValue) }
    }

    private func run(_ session: Session, _ output: SyncOutput) async throws {
        var options = FolderSync.Options()
        options.direction = oneWay.map { $0 == .down ? .down : .up } ?? .both
        options.isDryRun = dryRun
        options.mayDeleteMany = deleteMany
        options.settleTime = .milliseconds(Int64(settle * 1000))
        if let only { options.fund = try await session.existingFund(named: only).id }
        do { try FileManager.default.createDirectory(atPath: dir, withIntermediateDirectories: true) } catch {
            throw CommandError(.cannotCreate, "\(dir) is no folder, and none can be made there.")
        }
        let path = URL(fileURLWithPath: dir).standardizedFileURL.resolvingSymlinksInPath().path
        let catalogue = try Catalogue(in: GlobalOptions.dataFolder(of: session.account))
        if watch {
            let sync = try open(path, session, catalogue, options)
            defer { sync.close() }
            let watcher = FolderWatch {
                output.warn(
                    "The system watches no more folders (fs.inotify.max_user_watches): changes are seen within five "
                        + "minutes.")
            }
            try await sync.watch(watcher, report: { output.take($0) }, ended: { output.ended($0, $1) })
            return
        }
        var summary = try await once(path, session, catalogue, options, output)
        if summary.heldDeletes > 0, !dryRun, output.confirms(summary) {
            options.mayDeleteMany = true
            summary = try await once(path, session, catalogue, options, output)
        }
        output.ended(summary, nil)
    }

    private func open(
        _ path: String, _ session: Session, _ catalogue: Catalogue, _ options: FolderSync.Options
    ) throws -> FolderSync {
        do { return try FolderSync(path, of: session, catalogue: catalogue, options: options) } catch {
            guard error.code == .busy else { throw error }
            throw CommandError(.temporary, "\(dir): \(error.detail).")
        }
    }

    private func once(
        _ path: String, _ session: Session, _ catalogue: Catalogue, _ options: FolderSync.Options, _ output: SyncOutput
    ) async throws -> SyncSummary {
        let sync = try open(path, session, catalogue, options)
        defer { sync.close() }
        return try await sync.run { output.take($0) }
    }
}
