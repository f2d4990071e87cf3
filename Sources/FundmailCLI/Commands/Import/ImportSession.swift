import ArgumentParser
import FundCore
import FundStore
import Glibc
import Terminal

/// Options of every import.
struct ImportOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Any address of the person who gets the files.", valueName: "email")) var owner: String
    @Flag(help: "Show what would happen; change nothing.") var dryRun = false
    @Flag(help: "Print one JSON object a file, and a summary as the last line.") var json = false
    @OptionGroup var globals: GlobalOptions
}

/// The store of an import, its owner and its output, from the beginning to the exit status.
struct ImportSession {
    let store: FundStore
    let owner: User
    let output: ImportOutput
    let shelf: ImportShelf
    /// Where the store lies.
    let storePath: String
    private let options: ImportOptions
    private let signals: StopSignal

    init(_ options: ImportOptions) async throws {
        let workspace = try Workspace(options.globals)
        store = try options.dryRun ? workspace.openStore(.readOnly) : workspace.openStoreForRun()
        owner = try await store.administration.user(options.owner).user
        guard !owner.isDisabled else {
            throw CommandError(.input, "\(owner.email) is disabled; `fundmail user enable \(owner.email)` first.")
        }
        (self.options, storePath) = (options, workspace.configuration.store)
        output = ImportOutput(json: options.json)
        let signals = StopSignal()
        self.signals = signals
        shelf = ImportShelf(store, of: owner, isRehearsal: options.dryRun) { signals.isReceived }
    }

    /// Whether the import is to end.
    var shouldStop: @Sendable () -> Bool { { [signals] in signals.isReceived } }

    /// The owner's fund of a name or alias, which must be there. Throws `CommandError`.
    func fund(named name: String) async throws -> Fund {
        try await store.administration.onlyFund(named: name, owner: options.owner).fund
    }

    /// A folder that the command line names. Throws `CommandError`.
    static func folder(_ path: String) throws -> SourceFolder {
        do { return try SourceFolder(path: path) } catch {
            throw CommandError(.input, "\(TerminalText.clean(path)) cannot be read as a folder: \(error.reason).")
        }
    }

    /// Runs an import, reports it also where it ended early, and throws its exit status unless all was imported. The
    /// audit trail has an entry of each that changed something.
    ///
    /// - Parameters:
    ///   - source: kind and path of what is imported, for the audit trail.
    ///   - notes: sentences about what was not kept.
    func run(_ source: String, notes: () -> [String] = { [] }, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch is CancellationError where signals.isReceived {
            // The file under way was given up: the next run takes it.
        } catch {
            if (error as? CommandError)?.status != .outputFailed, !output.isEmpty {
                try? await audit(source)
                try finish(notes(), isInterrupted: true)
            }
            throw error
        }
        try await audit(source)
        try finish(notes(), isInterrupted: signals.isReceived)
        try store.close()
        if signals.isReceived { throw ExitCode(128 + signals.number) }
        if output.hasRefusals { throw ExitCode(ExitStatus.input.rawValue) }
    }

    private func audit(_ source: String) async throws {
        guard !options.dryRun, output.hasChanges else { return }
        try await store.accounts.audit(
            actor: Workspace.actor, action: .storeImport, subject: owner.email, detail: "\(source): \(output.words)")
    }

    private func finish(_ notes: [String], isInterrupted: Bool) throws {
        try output.finish(isRehearsal: options.dryRun, isInterrupted: isInterrupted, notes: notes)
    }
}
