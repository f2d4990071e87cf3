import ArgumentParser
import FundClient
import Terminal

struct DrivePullCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull", abstract: "Take files and folders of a drive into a fund.",
        discussion: """
            Nothing in the fund is overwritten: a name that is taken gets a number. Interrupted, the command ends, and \
            the transfer goes on: `fund drive cancel` ends it.

            Examples:
              fund drive pull Cloud:Reports/q3.pdf Fund1
              fund drive pull Cloud:Reports Cloud:Photos Fund1/Taken --no-wait
            """)

    @Argument(help: "Files and folders, DRIVE:PATH, and at the end the target: FUND or FUND/FOLDER.")
    var words: [String]

    @OptionGroup var waiting: TransferWaiting
    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        guard words.count >= 2 else { throw ValidationError("Name a file of a drive and where it goes: FUND.") }
        _ = try (sources(), RemotePath(words.last ?? ""))
    }

    private func sources() throws -> [DrivePlace] {
        let places = try words.dropLast().map { try DrivePlace.item($0) }
        guard Set(places.map(\.drive)).count == 1 else {
            throw ValidationError("Name files of one drive: another one is another transfer.")
        }
        return places
    }

    func run() async throws {
        let (places, target) = (try sources(), try RemotePath(words.last ?? ""))
        try await globals.withSession { session in
            let drive = try await session.existingDrive(places[0].drive)
            let (fund, folder): (FundID, FolderID?) =
                switch try await session.existingItem(at: target) {
                case .fund(let fund): (fund.id, nil)
                case .folder(let folder): (folder.fund, folder.id)
                case .file: throw CommandError(.refused, "\(target) is a file.")
                }
            let transfer = try await session.pull(
                places.map(\.path), from: drive.id, into: fund, folder: folder)
            try await waiting.follow(transfer, "Taken", session, globals)
        }
    }
}

struct DrivePushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Copy files and folders of funds to a drive.",
        discussion: """
            Nothing in the drive is overwritten: a name that is taken gets a number, unless the file there is known \
            to be the same. Interrupted, the command ends, and the transfer goes on: `fund drive cancel` ends it.

            Example:
              fund drive push Fund1/Reports/q3.pdf Cloud:Reports
            """)

    @Argument(help: "Files and folders of funds, and at the end the folder of the drive: DRIVE:PATH.")
    var words: [String]

    @OptionGroup var waiting: TransferWaiting
    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        guard words.count >= 2 else { throw ValidationError("Name a file and where it goes: DRIVE:PATH.") }
        _ = try (words.dropLast().map { try RemotePath($0) }, DrivePlace(words.last ?? ""))
    }

    func run() async throws {
        let target = try DrivePlace(words.last ?? "")
        try await globals.withSession { session in
            let drive = try await session.existingDrive(target.drive)
            var (files, folders): ([FileID], [FolderID]) = ([], [])
            for word in words.dropLast() {
                let path = try RemotePath(word)
                switch try await session.existingItem(at: path) {
                case .file(let file): files.append(file.id)
                case .folder(let folder): folders.append(folder.id)
                case .fund: throw CommandError(.usage, "\(path) is a fund: name files and folders of it.")
                }
            }
            let transfer = try await session.push(
                files: files, folders: folders, to: drive.id, into: target.path)
            try await waiting.follow(transfer, "Copied", session, globals)
        }
    }
}

/// Whether a command waits for the transfer that it began.
struct TransferWaiting: ParsableArguments {
    @Flag(name: .customLong("no-wait"), help: "End at once: the transfer goes on on the server.")
    var leaves = false

    /// The pause between two questions to the server.
    private static let pause = Duration.milliseconds(500)

    /// Shows how far a transfer is until it ends. Throws `CommandError` when it fails, as it does
    /// when some of its files do, and when it is cancelled.
    func follow(
        _ begun: DriveTransfer, _ verb: String, _ session: Session, _ globals: GlobalOptions
    ) async throws {
        var transfer = begun
        if !leaves {
            let line = ProgressLine(isQuiet: globals.quiet || globals.json)
            defer { line.clear() }
            while !transfer.state.isEnded {
                line.show(transfer.progressText)
                try await Task.sleep(for: Self.pause)
                transfer = try await session.driveTransfer(transfer.id)
            }
        }
        if globals.json { try JSONLine.write(transfer) }
        guard transfer.state.isEnded else {
            return try globals.say("Transfer \(transfer.id) is on its way. See `fund drive transfers`.")
        }
        let reason = transfer.detail.map { ": " + TerminalText.clean($0) } ?? ""
        switch transfer.state {
        case .failed:
            throw CommandError(
                .refused,
                "Transfer \(transfer.id) failed\(reason). \(transfer.outcomeText) "
                    + "`fund drive retry \(transfer.id)` tries again.")
        case .cancelled: throw CommandError(.refused, "Transfer \(transfer.id) was cancelled.")
        default: break
        }
        let files = Quantity.count(Int(transfer.files), "file")
        try globals.say("\(verb): \(files), \(Quantity.display(bytes: transfer.bytes)).")
    }
}

extension DriveTransfer {
    /// `2 of 7 files, 3 MB of 9 MB`.
    fileprivate var progressText: String {
        guard state != .queued else { return "Waiting for its turn" }
        return "\(files) of \(Quantity.count(Int(totalFiles), "file")), \(Quantity.display(bytes: bytes)) of "
            + Quantity.display(bytes: max(bytes, totalBytes))
    }

    /// `2 files failed, 5 files arrived.`
    fileprivate var outcomeText: String {
        "\(Quantity.count(Int(failedFiles), "file")) failed, \(Quantity.count(Int(files), "file")) arrived."
    }
}

struct DriveTransfersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfers", abstract: "List what was and is on its way between drives and funds.",
        discussion: """
            Example:
              fund drive transfers
            """)

    @Option(help: ArgumentHelp("The number of transfers at most.", valueName: "count"))
    var limit = 50

    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        guard limit >= 1 else { throw ValidationError("--limit must be 1 or more.") }
    }

    func run() async throws {
        try await globals.withSession { session in
            let names = Dictionary(uniqueKeysWithValues: try await session.drives().map { ($0.id, $0.name) })
            let transfers = try await Page.first(limit) { try await session.driveTransfers(after: $0, limit: $1) }
            try Listing(
                items: transfers, ifEmpty: "Nothing was on its way.",
                columns: [
                    .number("ID"), "BEGUN", "WAY", .shrinking("DRIVE"), "STATE", .number("FILES"), .number("SIZE"),
                    .shrinking("PROBLEM"),
                ]
            ) { transfer in
                [
                    "\(transfer.id)", WrittenTime.local(transfer.addedAt),
                    transfer.direction == "pull" ? "to fund" : "to drive", names[transfer.drive] ?? "",
                    transfer.state.rawValue, "\(transfer.files)/\(transfer.totalFiles)",
                    Quantity.display(bytes: transfer.bytes), transfer.detail ?? "",
                ]
            }.write(json: globals.json)
        }
    }
}

struct DriveCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "End transfers. Files that have arrived stay.",
        discussion: """
            Example:
              fund drive cancel 12
            """)

    @Argument(help: "The numbers that `fund drive transfers` shows.")
    var ids: [Int64]

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withEach("Transfer", ids, outcome: "is cancelled.") { session, id in
            try await session.cancelDriveTransfer(DriveTransferID(id))
        }
    }
}

struct DriveRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Queue transfers again that failed or were cancelled.",
        discussion: """
            What they have done is not done again.

            Example:
              fund drive retry 12
            """)

    @Argument(help: "The numbers that `fund drive transfers` shows.")
    var ids: [Int64]

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withEach("Transfer", ids, outcome: "waits for its turn.") { session, id in
            try await session.retryDriveTransfer(DriveTransferID(id))
        }
    }
}
