import ArgumentParser
import Foundation
import FundClient
import Terminal

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Load files, folders or whole funds.",
        discussion: """
            Downloads files, and folders with everything in them. A file gets its name only when it is complete and \
            its SHA-256 is right. A cut connection is taken up again; after a crash, the same command or `fund queue \
            run` goes on.

            Examples:
              fund get Fund1/q3.pdf
              fund get Fund1/Reports Fund2 --to ~/Documents
              fund get Fund1/list.csv --to - | head
            """)

    @Argument(help: "FUND or FUND/PATH.", transform: RemotePath.init(_:))
    var paths: [RemotePath]

    @Option(
        name: .customLong("to"),
        help: ArgumentHelp("The folder to put them in; - is standard output.", valueName: "dir"))
    var target = "."

    @OptionGroup var options: TransferOptions
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            if target == "-" { return try await print(session) }
            let plan = DownloadPlan(replaces: options.replace)
            try TargetFolder.make(target)
            for path in paths {
                try await plan.add(try await session.existingItem(at: path), path, to: target, session)
            }
            plan.failures.forEach { $0.report() }
            let transfers = CommandTransfers(session: session, globals: globals, options: options)
            let failure = try await transfers.run(plan.downloads, "Loaded")
            if let failure = plan.failures.first ?? failure { throw ExitCode(failure.status.rawValue) }
        }
    }

    private func print(_ session: Session) async throws {
        for path in paths {
            guard case .file(let file) = try await session.existingItem(at: path) else {
                throw CommandError(.refused, "\(path) is no file; only files go to standard output.")
            }
            for try await piece in try await session.content(of: file.id).body { try Console.write(piece) }
        }
    }
}

/// The files to download and their targets. Making the plan makes the folders.
final class DownloadPlan {
    private let replaces: Bool
    private(set) var downloads: [FileDownload] = []
    /// Why items cannot be downloaded.
    private(set) var failures: [CommandError] = []

    init(replaces: Bool) { self.replaces = replaces }

    /// - Parameter folder: in which the item is to lie.
    func add(_ item: RemoteItem, _ path: RemotePath, to folder: String, _ session: Session) async throws {
        do {
            let name = try LocalName.check(item.name)
            let target = (folder as NSString).appendingPathComponent(name)
            guard let place = item.place else {
                if case .file(let file) = item { add(file, path, to: target) }
                return
            }
            try TargetFolder.make(target)
            for item in try await session.items(of: place) {
                try await add(RemoteItem(item), path.appending(item.name), to: target, session)
            }
        } catch let error as CommandError {
            failures.append(error.about("\(path)"))
        }
    }

    private func add(_ file: File, _ path: RemotePath, to target: String) {
        downloads.append(
            FileDownload(
                source: .file(file.id), name: "\(path)", size: file.size, digest: file.digest, date: file.modifiedAt,
                path: target, replaces: replaces))
    }
}

extension RemoteItem {
    fileprivate var name: String {
        switch self {
        case .fund(let fund): fund.name
        case .folder(let folder): folder.name
        case .file(let file): file.name
        }
    }
}
