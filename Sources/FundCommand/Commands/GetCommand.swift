internal import ArgumentParser
internal import Foundation
internal import FundClient

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Load files, folders or whole funds.",
        discussion: """
            A folder comes with all that is in it. A file has its name only when all of it is there and its SHA-256 is \
            right; when the connection is cut the command goes on from there.

            Examples:
              fund get Fund1/q3.pdf
              fund get Fund1/Reports Fund2 --to ~/Documents
              fund get Fund1/list.csv --to - | head
            """)

    @Argument(help: "FUND or FUND/PATH.")
    var paths: [RemotePath]

    @Option(name: .customLong("to"), help: ArgumentHelp("The folder to put them in; - is standard output.", valueName: "dir"))
    var target = "."

    @OptionGroup var options: TransferOptions
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            if target == "-" { return try await print(session) }
            let progress = ProgressLine(isQuiet: globals.quiet)
            let plan = DownloadPlan(replaces: options.replace)
            for path in paths {
                try await plan.add(try await session.existingItem(at: path), path, to: target, session)
            }
            plan.downloads.forEach { progress.expect(bytes: $0.size) }
            let isJSON = globals.json
            let failure = await Parallel.forEach(plan.downloads, atMost: options.transfers) { download in
                let digest = try await download.run(session, progress)
                guard isJSON else { return }
                progress.clear()
                try JSONLine.write(
                    TransferLine(
                        from: download.name, to: download.path, size: LocalDigest.size(of: download.path) ?? 0,
                        sha256: "\(digest)"))
            } failed: { download, failure in
                progress.clear()
                Console.report(failure.message.contains(download.path) ? failure : failure.about(download.name))
            }
            progress.clear()
            plan.failures.forEach(Console.report)
            try globals.say(progress.summary("Loaded"))
            if let failure = failure ?? plan.failures.first { throw ExitCode(failure.status.rawValue) }
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

/// What is to be loaded, and where to. Makes the folders.
final class DownloadPlan {
    private let replaces: Bool
    private(set) var downloads: [FileDownload] = []
    /// What cannot be loaded.
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
            do {
                try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
            } catch {
                throw CommandError(.cannotCreate, "The folder \(target) cannot be made.")
            }
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
