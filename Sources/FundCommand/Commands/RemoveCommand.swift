internal import ArgumentParser
internal import FundClient

struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Put files, folders or funds into the trash of the server.",
        discussion: """
            They can be restored there for some time.

            Examples:
              fund rm Fund1/draft.pdf
              fund rm -r Fund1/Old
            """)

    @Argument(help: "FUND or FUND/PATH.")
    var paths: [RemotePath]

    @Flag(name: [.customShort("r"), .long], help: "Folders and funds, too, with all that is in them.")
    var recursive = false

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            for path in paths {
                let item = try await session.existingItem(at: path)
                guard recursive || item.place == nil else {
                    let noun = path.names.isEmpty ? "fund" : "folder"
                    throw CommandError(.refused, "\(path) is a \(noun); -r removes it with all that is in it.")
                }
                switch item {
                case .fund(let fund): try await session.deleteFund(fund.id)
                case .folder(let folder): try await session.delete(folder.id)
                case .file(let file): try await session.delete(file.id)
                }
                try globals.say("\(path) is in the trash.")
            }
        }
    }
}
