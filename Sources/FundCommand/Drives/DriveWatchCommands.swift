import ArgumentParser
import FundClient
import Terminal

struct DriveWatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Have files that appear in a folder of a drive filed into a fund.",
        discussion: """
            The server looks at the folder every few minutes, also when this machine is off. Files that lie in it are \
            filed, too, each once; folders in it are left alone.
            """,
        subcommands: [
            WatchAddCommand.self, WatchListCommand.self, WatchPauseCommand.self, WatchResumeCommand.self,
            WatchRemoveCommand.self,
        ])
}

struct WatchAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Watch a folder of a drive.",
        discussion: """
            A file is taken when it holds still. In the fund nothing is overwritten: a name that is taken gets a \
            number, and a file that changes is filed once more.

            Examples:
              fund drive watch add Cloud:Scans Fund1
              fund drive watch add Cloud:Scans Fund1/Post --then move --minutes 1
            """)

    /// The act on a file of the drive that was filed.
    enum Act: String, ExpressibleByArgument, CaseIterable {
        case leave, move, mark

        var disposition: DriveWatch.Disposition { DriveWatch.Disposition(rawValue: rawValue) ?? .leave }
    }

    @Argument(help: "The folder: DRIVE:PATH, or DRIVE: for the top.")
    var place: String

    @Argument(help: "The target: FUND or FUND/FOLDER.")
    var target: String

    @Option(
        help: ArgumentHelp(
            "What happens to a filed file in the drive: leave, move (into a folder below) or mark (in its name).",
            valueName: "act"))
    var then = Act.leave

    @Option(help: ArgumentHelp("The folder below for --then move, instead of Filed.", valueName: "name"))
    var folder: String?

    @Option(help: ArgumentHelp("Minutes between two looks, 1 to 1440, instead of 5.", valueName: "count"))
    var minutes: Int?

    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        _ = try (DrivePlace(place), RemotePath(target))
        if folder != nil, then != .move { throw ValidationError("--folder goes with --then move.") }
        if let minutes, !(1...1440).contains(minutes) { throw ValidationError("--minutes must be 1 to 1440.") }
    }

    func run() async throws {
        let (place, target) = (try DrivePlace(place), try RemotePath(target))
        try await globals.withSession { session in
            let drive = try await session.existingDrive(place.drive)
            let (fund, into): (FundID, FolderID?) =
                switch try await session.existingItem(at: target) {
                case .fund(let fund): (fund.id, nil)
                case .folder(let folder): (folder.fund, folder.id)
                case .file: throw CommandError(.refused, "\(target) is a file.")
                }
            let watch = try await session.watch(
                place.path, of: drive.id, into: fund, folder: into, disposition: then.disposition, subfolder: folder,
                minutes: minutes)
            if globals.json { return try JSONLine.write(watch) }
            try globals.say("Watched folder \(watch.id): \(drive.name):\(watch.path), every \(watch.minutes) minutes.")
        }
    }
}

struct WatchListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List your watched folders, or the files of one that cannot be filed.",
        discussion: """
            Examples:
              fund drive watch list
              fund drive watch list --refused 12
            """)

    @Option(help: ArgumentHelp("List the files of this watched folder that cannot be filed.", valueName: "number"))
    var refused: Int64?

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            if let refused {
                return try write(try await session.refusedFiles(of: try await session.existingWatch(refused)))
            }
            let drives = try await session.drives()
            let names = Dictionary(uniqueKeysWithValues: drives.map { ($0.id, $0.name) })
            let funds = Dictionary(uniqueKeysWithValues: try await session.funds().map { ($0.id, $0.name) })
            var watches: [DriveWatch] = []
            for drive in drives { watches += try await session.watches(of: drive.id) }
            try Listing(
                items: watches, ifEmpty: "There are no watched folders. Add one with `fund drive watch add`.",
                columns: [
                    .number("ID"), .shrinking("FOLDER"), .shrinking("FUND"), "THEN", .number("MINUTES"), "STATE",
                    "LOOKED", .number("FILED"), .number("WAITING"), .number("REFUSED"), .shrinking("PROBLEM"),
                ]
            ) { watch in
                [
                    "\(watch.id)", "\(names[watch.drive] ?? ""):\(watch.path)", funds[watch.fund] ?? "",
                    watch.disposition, "\(watch.minutes)", watch.state.rawValue,
                    watch.lookedAt.map { WrittenTime.local($0) } ?? "", "\(watch.filed)", "\(watch.waiting)",
                    "\(watch.refused)", watch.detail ?? "",
                ]
            }.write(json: globals.json)
        }
    }

    private func write(_ files: [RefusedFile]) throws {
        try Listing(
            items: files, ifEmpty: "All files could be filed.", columns: [.shrinking("NAME"), "FILED", "PROBLEM"]
        ) { file in [file.name, file.isFiled ? "yes" : "no", file.detail ?? ""] }.write(json: globals.json)
    }
}

struct WatchPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause watched folders. Files that are on their way arrive.",
        discussion: """
            Example:
              fund drive watch pause 12
            """)

    @Argument(help: "The numbers that `fund drive watch list` shows.")
    var ids: [Int64]

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withEach("Watched folder", ids, outcome: "is paused.") { session, id in
            try await session.setWatch(try await session.existingWatch(id), isOn: false)
        }
    }
}

struct WatchResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Look at watched folders now, and go on with those that were paused.",
        discussion: """
            Files that could not be filed are tried again.

            Example:
              fund drive watch resume 12
            """)

    @Argument(help: "The numbers that `fund drive watch list` shows.")
    var ids: [Int64]

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withEach("Watched folder", ids, outcome: "is looked at.") { session, id in
            try await session.setWatch(try await session.existingWatch(id), isOn: true)
        }
    }
}

struct WatchRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Watch folders no more. What is filed stays.",
        discussion: """
            Example:
              fund drive watch remove 12
            """)

    @Argument(help: "The numbers that `fund drive watch list` shows.")
    var ids: [Int64]

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withEach("Watched folder", ids, outcome: "is watched no more.") { session, id in
            try await session.removeWatch(try await session.existingWatch(id))
        }
    }
}

extension Session {
    /// The watched folder of a number. Throws `CommandError` when there is none.
    fileprivate func existingWatch(_ number: Int64) async throws -> DriveWatch {
        for drive in try await drives() {
            if let watch = try await watches(of: drive.id).first(where: { $0.id.value == number }) { return watch }
        }
        throw CommandError(.refused, "There is no watched folder \(number). See `fund drive watch list`.")
    }
}
