import ArgumentParser
import FundClient
import Terminal

struct DriveEntriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List a folder of a drive.",
        discussion: """
            Examples:
              fund drive ls Cloud:
              fund drive ls Cloud:Reports/2026
            """)

    @Argument(help: "The folder: DRIVE:PATH, or DRIVE: for the top.")
    var place: String

    @OptionGroup var globals: GlobalOptions

    func validate() throws { _ = try DrivePlace(place) }

    func run() async throws {
        let place = try DrivePlace(place)
        try await globals.withSession { session in
            let drive = try await session.existingDrive(place.drive)
            var entries: [DriveEntry] = []
            var (cursor, unnamed): (PageCursor?, Int) = (nil, 0)
            repeat {
                let page: Page<DriveEntry>
                (page, unnamed) = try await session.entries(of: place.path, in: drive.id, after: cursor)
                entries += page.elements
                cursor = page.next
            } while cursor != nil
            if unnamed > 0 {
                Console.warn(
                    "\(unnamed) more \(unnamed == 1 ? "entry has a name" : "entries have names") that cannot be used.")
            }
            try entries.write(ifEmpty: "The folder is empty.", json: globals.json)
        }
    }
}

struct DriveFindCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Find files and folders of a drive by a part of their names.",
        discussion: """
            Example:
              fund drive find Cloud:Reports q3
            """)

    @Argument(help: "The folder below which is searched: DRIVE:PATH, or DRIVE: for all.")
    var place: String

    @Argument(help: "A part of the name.")
    var text: String

    @OptionGroup var globals: GlobalOptions

    func validate() throws { _ = try DrivePlace(place) }

    func run() async throws {
        let place = try DrivePlace(place)
        try await globals.withSession { session in
            let drive = try await session.existingDrive(place.drive)
            let found = try await session.search(text, below: place.path, in: drive.id)
            try found.write(ifEmpty: "Nothing of that name was found.", json: globals.json)
        }
    }
}

extension [DriveEntry] {
    fileprivate func write(ifEmpty sentence: String, json: Bool) throws {
        try Listing(
            items: self, ifEmpty: sentence, columns: [.shrinking("NAME"), .number("SIZE"), "CHANGED"]
        ) { entry in
            [
                (entry.path ?? entry.name) + (entry.isFolder ? "/" : ""),
                entry.size.map(Quantity.display(bytes:)) ?? "", WrittenTime.local(entry.modifiedAt),
            ]
        }.write(json: json)
    }
}

struct DriveFolderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mkdir", abstract: "Make a folder in a drive.",
        discussion: """
            Example:
              fund drive mkdir Cloud:Reports/2027
            """)

    @Argument(help: "The folder: DRIVE:PATH.")
    var place: String

    @OptionGroup var globals: GlobalOptions

    func validate() throws { _ = try DrivePlace.item(place) }

    func run() async throws {
        let place = try DrivePlace.item(place)
        try await globals.withSession { session in
            let drive = try await session.existingDrive(place.drive)
            try await session.makeFolder(place.path, in: drive.id)
            try globals.say("The folder \(place.path) is there.")
        }
    }
}

struct DriveMoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mv", abstract: "Move or rename a file or folder within a drive.",
        discussion: """
            Nothing is overwritten.

            Example:
              fund drive mv Cloud:Reports/q3.pdf Cloud:Archive/q3-2026.pdf
            """)

    @Argument(help: "The file or folder: DRIVE:PATH.")
    var source: String

    @Argument(help: "Its new place with its name, in the same drive: DRIVE:PATH.")
    var target: String

    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        let (source, target) = (try DrivePlace.item(source), try DrivePlace.item(target))
        guard source.drive == target.drive else {
            throw ValidationError("Both places must be in one drive. `fund drive pull` and `push` go by a fund.")
        }
    }

    func run() async throws {
        let (source, target) = (try DrivePlace.item(source), try DrivePlace.item(target))
        try await globals.withSession { session in
            let drive = try await session.existingDrive(source.drive)
            try await session.move(source.path, to: target.path, in: drive.id)
        }
    }
}

struct DriveRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Delete files and folders in the store of a drive.",
        discussion: """
            They go from the store itself, folders with all that is in them: nothing of this program brings them back. \
            A folder is deleted only with -r.

            Examples:
              fund drive rm Cloud:Reports/q3.pdf
              fund drive rm -r Cloud:Old
            """)

    @Argument(help: "Files and folders: DRIVE:PATH.")
    var places: [String]

    @Flag(name: [.customShort("r"), .long], help: "Delete folders with all that is in them.")
    var recursive = false

    @OptionGroup var globals: GlobalOptions

    func validate() throws { for place in places { _ = try DrivePlace.item(place) } }

    func run() async throws {
        let places = try places.map(DrivePlace.item)
        try await globals.withSession { session in
            for place in places {
                let drive = try await session.existingDrive(place.drive)
                let entry = try await session.driveEntry(place.path, in: drive.id)
                guard recursive || !entry.isFolder else {
                    throw CommandError(.usage, "\(place.path) is a folder: add -r to delete it with all in it.")
                }
                try await session.delete(place.path, in: drive.id)
                try globals.say("\(place.path) is deleted.")
            }
        }
    }
}
