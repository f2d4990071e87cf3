import ArgumentParser
import FundClient
import Terminal

struct MakeFolderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mkdir", abstract: "Make funds and folders.",
        discussion: """
            Examples:
              fund mkdir Fund2
              fund mkdir -p Fund2/Reports/2026
            """)

    @Argument(help: "The fund or folder to make: FUND or FUND/FOLDER.", transform: RemotePath.init(_:))
    var paths: [RemotePath]

    @Flag(
        name: [.customShort("p"), .customLong("parents")],
        help: "Make the fund and folders above it, too; existing ones are no mistake.")
    var parents = false

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            for path in paths {
                if parents {
                    for count in 0...path.names.count {
                        let part = RemotePath(fund: path.fund, names: Array(path.names.prefix(count)))
                        if let item = try await session.item(at: part) {
                            guard item.place != nil else { throw CommandError(.refused, "\(part) is a file.") }
                        } else {
                            try await make(part, session)
                        }
                    }
                } else {
                    try await make(path, session)
                }
            }
        }
    }

    private func make(_ path: RemotePath, _ session: Session) async throws {
        do {
            if let parent = path.parent {
                let folder = try await session.makeFolder(
                    named: path.name, in: try await session.existingPlace(at: parent))
                if globals.json { try JSONLine.write(ItemLine(.folder(folder), path: "\(path)")) }
            } else {
                let fund = try await session.makeFund(named: path.fund)
                fund.remarkOnFormerHolder()
                if globals.json {
                    var line = ["type": "fund", "id": "\(fund.id)", "name": fund.name]
                    line["took_name_from"] = fund.tookNameFrom
                    try JSONLine.write(line)
                }
            }
        } catch let error as ClientError where error.code == .conflict {
            throw CommandError(.refused, "\(path) is there already.")
        }
        try globals.say("Made \(path).")
    }
}
