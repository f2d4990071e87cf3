import ArgumentParser
import Foundation
import FundClient
import Terminal

struct QueueAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add downloads, or uploads.",
        discussion: """
            Paths are those of `fund get`. The server is asked for changes first; where it cannot be reached, the last \
            known state counts.

              fund queue add Fund1/2025/q3.pdf --to .
              fund queue add --upload *.pdf Fund1/2025
            """)
    @OptionGroup var globals: GlobalOptions

    @Argument(help: "FUND/PATH… to load; with --upload: FILE… FUND[/PATH].")
    var paths: [String]

    @Option(help: ArgumentHelp("The folder for downloads; without it, the cache.", valueName: "folder"))
    var to: String?

    @Flag(help: "Upload files of this machine.")
    var upload = false

    @Flag(help: "Replace a file of the same name. Without it the new one gets a number.")
    var replace = false

    @Option(help: "The priority; the higher comes first.")
    var priority = 0

    func run() async throws {
        let catalogue = try globals.catalogue()
        try await globals.withSession { session in
            guard let failure = await catchUp(catalogue, session) else { return }
            guard failure.isWorthRetrying else { throw failure }
            CommandError(failure).about("Going by what was there last").report()
        }
        let works = upload ? try await uploads(catalogue) : try await downloads(catalogue)
        let queue = TransferQueue(of: catalogue)
        let ids = try await queue.add(works, priority: priority)
        try globals.say("\(Quantity.count(ids.count, "transfer")) added; `fund queue run` does the work.")
        guard globals.json else { return }
        for id in ids { if let transfer = try await queue.transfer(id) { try JSONLine.write(QueueLine(transfer)) } }
    }

    private func catchUp(_ catalogue: Catalogue, _ session: Session) async -> ClientError? {
        do throws(ClientError) {
            try await CatalogueSync(of: catalogue, from: session).catchUp()
            return nil
        } catch {
            return error
        }
    }

    private var ifTaken: IfTaken { replace ? .replace : .number }

    /// A way to read a path, in the catalogue.
    private struct Reading {
        var fund: Fund
        /// The fund's name, as it was written.
        var written: String
        /// The names that lead there, with the fund's own.
        var names: [String]
    }

    private func readings(_ path: String, _ catalogue: Catalogue) async throws -> [Reading] {
        // One that is not in the archive comes first.
        let funds = try await catalogue.funds() + catalogue.funds(archived: true).filter(\.isArchived)
        return try RemotePath(path).readings.compactMap { path in
            funds.found(by: path.fund).map {
                Reading(fund: $0, written: path.fund, names: [$0.name] + path.names)
            }
        }
    }

    private func uploads(_ catalogue: Catalogue) async throws -> [Transfer.Work] {
        guard paths.count > 1, let target = paths.last else { throw ValidationError("FILE… FUND[/PATH]") }
        let (fund, folder) = try await place(target, catalogue)
        var works: [Transfer.Work] = []
        for path in paths.dropLast() {
            let url = URL(fileURLWithPath: path)
            guard (try? url.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true else {
                throw CommandError(.cannotCreate, "\(path) is not a file.")
            }
            let target = FundClient.Upload.Target.new(
                name: url.lastPathComponent, fund: fund, folder: folder, ifTaken: ifTaken)
            works.append(.upload(FundClient.Upload(url.path, to: target)))
        }
        return works
    }

    private func place(_ path: String, _ catalogue: Catalogue) async throws -> (FundID, FolderID?) {
        for reading in try await readings(path, catalogue) {
            guard let place = try await catalogue.place(at: reading.names) else { continue }
            reading.fund.remark(onName: reading.written)
            switch place {
            case .fund(let id): return (id, nil)
            case .folder(let id): return (reading.fund.id, id)
            }
        }
        throw CommandError(.refused, "\(path): there is no such fund or folder.")
    }

    private func downloads(_ catalogue: Catalogue) async throws -> [Transfer.Work] {
        let folder = to.map { URL(fileURLWithPath: $0).path }
        var works: [Transfer.Work] = []
        for path in paths {
            var found: [Transfer.Work]?
            for reading in try await readings(path, catalogue) where found == nil {
                found = try await downloads(at: reading.names, to: folder, catalogue)
                if found != nil { reading.fund.remark(onName: reading.written) }
            }
            guard let found else { throw CommandError(.refused, "\(path): there is no such file or folder.") }
            works += found
        }
        return works
    }

    /// Downloads of what is at a path; nil where nothing is.
    private func downloads(
        at names: [String], to folder: String?, _ catalogue: Catalogue
    ) async throws -> [Transfer.Work]? {
        if let file = try await catalogue.file(at: names) { return [try work(file, in: folder)] }
        guard let place = try await catalogue.place(at: names), let name = names.last else { return nil }
        return try await all(in: place, try Self.inside(folder, name), catalogue)
    }

    private func all(
        in place: Place, _ folder: String?, _ catalogue: Catalogue
    ) async throws -> [Transfer.Work] {
        var works: [Transfer.Work] = []
        for item in try await catalogue.items(of: place) {
            switch item {
            case .file(let file): works.append(try work(file, in: folder))
            case .folder(let child):
                let below = try Self.inside(folder, child.name)
                let found = try await all(in: .folder(child.id), below, catalogue)
                works.append(contentsOf: found)
            }
        }
        return works
    }

    private func work(_ file: File, in folder: String?) throws -> Transfer.Work {
        .download(FundClient.Download(file, to: try Self.inside(folder, file.name), ifTaken: ifTaken))
    }

    /// Names come from the server: one that would lead elsewhere is none. Nil for the cache.
    private static func inside(_ folder: String?, _ name: String) throws -> String? {
        guard let folder else { return nil }
        return "\(folder)/\(try LocalName.check(name))"
    }
}
