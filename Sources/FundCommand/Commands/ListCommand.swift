import ArgumentParser
import Foundation
import FundClient
import Terminal

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List your funds, or the content of a fund or folder.",
        discussion: """
            Examples:
              fund ls
              fund ls Fund1/Reports
              fund ls -R Fund1 --json
            """)

    @Argument(help: "FUND or FUND/FOLDER; without it, or with /, your funds.")
    var path: String?

    @Flag(name: [.customShort("R"), .long], help: "List the content of folders, too.")
    var recursive = false

    @OptionGroup var globals: GlobalOptions

    func validate() throws { _ = try target() }

    /// The place to list; nil for all funds.
    private func target() throws -> RemotePath? { try path.flatMap(RemotePath.orTop) }

    func run() async throws {
        let target = try target()
        try await globals.withSession { session in
            guard let path = target else { return try await listFunds(session) }
            let item = try await session.existingItem(at: path)
            var lines: [ItemLine] = []
            if case .file(let file) = item { lines = [ItemLine(.file(file), path: path.description)] }
            if let place = item.place { lines = try await list(place, path, session) }
            let isRecursive = recursive
            try Listing(
                items: lines, ifEmpty: "\(path) is empty.",
                columns: [.shrinking("NAME"), .number("SIZE"), "CHANGED", .number("ID")]
            ) { line in
                [
                    (isRecursive ? line.path : line.name) + (line.type == "folder" ? "/" : ""),
                    line.size.map(Quantity.display(bytes:)) ?? "", WrittenTime.local(line.modifiedAt), "\(line.id)",
                ]
            }.write(json: globals.json)
        }
    }

    private func list(_ place: Place, _ path: RemotePath, _ session: Session) async throws -> [ItemLine] {
        var lines: [ItemLine] = []
        for item in try await session.items(of: place) {
            let itemPath = path.appending(item.name)
            lines.append(ItemLine(item, path: itemPath.description))
            if recursive, case .folder(let folder) = item {
                lines += try await list(.folder(folder.id), itemPath, session)
            }
        }
        return lines
    }

    private func listFunds(_ session: Session) async throws {
        let lines = try await session.fundSummaries().map(FundLine.init)
        try Listing(
            items: lines, ifEmpty: "There are no funds yet. Make one with `fund mkdir FUND`.",
            columns: [
                .shrinking("FUND"), .number("FILES"), .number("MAIL"), .number("NOTES"), .number("NEW"), "LATEST MAIL",
            ]
        ) { line in
            [
                line.name, "\(line.fileCount)", "\(line.emailCount)", "\(line.noteCount)",
                line.newCount > 0 ? "\(line.newCount)" : "", WrittenTime.local(line.latestEmailAt),
            ]
        }.write(json: globals.json)
    }
}

/// A folder or a file in a list.
struct ItemLine: Encodable {
    /// `folder` or `file`.
    var type: String
    var id: Int64
    var name: String
    var path: String
    var size: Int64?
    var contentType: String?
    var sha256: Digest?
    var modifiedAt: Date

    init(_ item: Item, path: String) {
        self.path = path
        name = item.name
        switch item {
        case .folder(let folder): (type, id, modifiedAt) = ("folder", folder.id.value, folder.modifiedAt)
        case .file(let file):
            (type, id, modifiedAt) = ("file", file.id.value, file.modifiedAt)
            (size, contentType, sha256) = (file.size, file.contentType, file.digest)
        }
    }
}
