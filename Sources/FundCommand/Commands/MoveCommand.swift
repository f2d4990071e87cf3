import ArgumentParser
import FundClient
import Terminal

struct MoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mv", abstract: "Move or rename files, folders and funds.",
        discussion: """
            Moves items into the last path if that is a fund or a folder, else gives an item that name. A fund can \
            only be renamed; its old name still finds it, until another fund is given that name.

            Examples:
              fund mv Fund1/draft.pdf Fund1/final.pdf
              fund mv Fund1/a.pdf Fund1/b.pdf Fund2/Archive
              fund mv Fund1 "Fund 2025"
            """)

    @Argument(help: "What is moved, and at the end where to.", transform: RemotePath.init(_:))
    var paths: [RemotePath]

    @Flag(help: "Overwrite a file of the same name; what it had goes to the trash.")
    var replace = false

    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        guard paths.count >= 2 else { throw ValidationError("Name what is moved, and where to.") }
    }

    func run() async throws {
        guard let target = paths.last else { return }
        try await globals.withSession { session in
            let found = try await session.item(at: target)
            for path in paths.dropLast() {
                let item = try await session.existingItem(at: path)
                if case .fund(let fund) = item {
                    try await rename(fund, to: target, found, session)
                } else if let place = found?.place {
                    try await move(item, path, to: place, named: nil, target.appending(path.name), session)
                } else {
                    guard paths.count == 2, let parent = target.parent, item.place != nil || !target.isOfFolder else {
                        throw CommandError(.refused, "There is no folder \(target).")
                    }
                    let place = try await session.existingPlace(at: parent)
                    try await move(item, path, to: place, named: target.name, target, session)
                }
            }
        }
    }

    /// - Parameter found: what is at the target. A fund that has it as another name may give it up: the server decides.
    private func rename(
        _ fund: Fund, to target: RemotePath, _ found: RemoteItem?, _ session: Session
    ) async throws {
        let isTaken =
            switch found {
            // Where the name finds the same fund, only its capitals change.
            case .fund(let other): other.id != fund.id && other.isCalled(target.fund)
            case .folder, .file: true
            case nil: false
            }
        guard target.names.isEmpty, paths.count == 2, !isTaken else {
            throw CommandError(.refused, "A fund can only be renamed: `fund mv \(fund.name) NEW-NAME`.")
        }
        let renamed = try await session.renameFund(fund.id, to: target.fund)
        renamed.remarkOnFormerHolder()
        try globals.say("Renamed \(fund.name) to \(target).")
    }

    private func move(
        _ item: RemoteItem, _ path: RemotePath, to place: Place, named name: String?, _ target: RemotePath,
        _ session: Session
    ) async throws {
        let ifTaken: IfTaken = replace ? .replace : .refuse
        do {
            switch item {
            case .file(let file): _ = try await session.move(file.id, to: place, named: name, ifTaken: ifTaken)
            case .folder(let folder): _ = try await session.move(folder.id, to: place, named: name, ifTaken: ifTaken)
            case .fund: return
            }
        } catch {
            throw CommandError(error).about("\(path)")
        }
        try globals.say("Moved \(path) to \(target).")
    }
}
