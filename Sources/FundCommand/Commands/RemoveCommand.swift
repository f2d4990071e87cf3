import ArgumentParser
import FundClient
import Terminal

struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Put files, folders or funds into the trash of the server.",
        discussion: """
            Removed items can be restored there for some time.

            Examples:
              fund rm Fund1/draft.pdf
              fund rm -r Fund1/Old
            """)

    @Argument(help: "The items to remove: FUND or FUND/PATH.", transform: RemotePath.init(_:))
    var paths: [RemotePath]

    @Flag(name: [.customShort("r"), .long], help: "Remove folders and funds, too, with everything in them.")
    var recursive = false

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            for path in paths {
                let item = try await session.existingItem(at: path)
                switch item {
                case .fund where !recursive: throw Self.isFull(path, "fund")
                case .folder where !recursive: throw Self.isFull(path, "folder")
                case .fund(let fund):
                    guard fund.isCalled("\(path)") else {
                        throw CommandError(
                            .refused, "A fund is removed by its own name only: `fund rm -r \(fund.name)`.")
                    }
                    try await session.deleteFund(fund.id)
                case .folder(let folder): try await session.delete(folder.id)
                case .file(let file): try await session.delete(file.id)
                }
                try globals.say("\(path) is in the trash.")
            }
        }
    }

    private static func isFull(_ path: RemotePath, _ noun: String) -> CommandError {
        CommandError(.refused, "\(path) is a \(noun); -r removes it with all that is in it.")
    }
}
