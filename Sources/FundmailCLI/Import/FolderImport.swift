import FundCore
import FundStore

/// The import of a folder with all that is below it. The names of one folder at each depth are in memory at a time.
struct FolderImport {
    let shelf: ImportShelf
    let output: ImportOutput
    let window: ImportWindow
    /// Whether a file that is older gives way to a newer one.
    let replacesOlder: Bool
    /// The store's own folder, which is not imported.
    let store: SourceFolder.Identity?
    let shouldStop: @Sendable () -> Bool

    /// The items of a folder go to the top of a fund.
    func run(_ folder: SourceFolder, into fund: Fund) async throws {
        try await window.run { try await enter(folder, at: "", into: ImportShelf.top(of: fund)) }
    }

    /// Each folder of a folder goes into the fund of its name.
    func run(_ folder: SourceFolder) async throws { try await window.run { try await takeFunds(folder) } }

    private func takeFunds(_ folder: SourceFolder) async throws {
        for name in try await names(in: folder, at: "") {
            if shouldStop() { return }
            try await take(name, fund: nil) {
                guard case .folder(let folder) = try open(name, in: folder) else {
                    throw ImportRefusal("it lies in no folder that could be its fund; name a fund with --fund")
                }
                let (place, isNew) = try await shelf.fund(named: name)
                if isNew { output.noteNewFund() }
                try await enter(folder, at: name, into: place)
            }
        }
    }

    private func enter(_ folder: SourceFolder, at path: String, into place: ImportShelf.Place) async throws {
        for name in try await names(in: folder, at: path, fund: place.fund) {
            if shouldStop() { return }
            let path = path.isEmpty ? name : "\(path)/\(name)"
            try await take(path, fund: place.fund) {
                switch try open(name, in: folder) {
                case .folder(let folder):
                    let (below, isNew) = try await shelf.folder(named: name, in: place)
                    if isNew { output.noteNewFolder() }
                    try await enter(folder, at: path, into: below)
                case .file(let file):
                    try await window.add(ImportShelf.key(of: name, in: place)) { [shelf, replacesOlder] in
                        do {
                            let outcome = try await shelf.add(
                                file, named: name, in: place, replacingOlder: replacesOlder)
                            return .init(path: path, fund: place.fund, outcome: outcome, bytes: file.size)
                        } catch let refusal as ImportRefusal {
                            return .init(path: path, fund: place.fund, outcome: .refused, reason: refusal.reason)
                        }
                    }
                }
            }
        }
    }

    /// Reports a refusal; other errors go on.
    private func take(_ path: String, fund: String?, _ body: () async throws -> Void) async throws {
        do { try await body() } catch let refusal as ImportRefusal {
            try await window.add(.init(path: path, fund: fund, outcome: .refused, reason: refusal.reason))
        }
    }

    private func open(_ name: String, in folder: SourceFolder) throws -> SourceFolder.Item {
        let item = try folder.item(named: name)
        if case .folder(let below) = item, let store, below.identity == store {
            throw ImportRefusal("it is the store")
        }
        return item
    }

    /// The names that count; the others are reported.
    private func names(
        in folder: SourceFolder, at path: String, fund: String? = nil
    ) async throws -> [String] {
        let prefix = path.isEmpty ? "" : path + "/"
        let found = try folder.names()
        for name in found.illegible {
            try await window.add(
                .init(path: prefix + name, fund: fund, outcome: .refused, reason: "its name is not UTF-8; rename it"))
        }
        for name in found.names where NotesOfSystems.include(name) {
            try await window.add(.init(path: prefix + name, fund: fund, outcome: .passedOver))
        }
        return found.names.filter { !NotesOfSystems.include($0) }
    }
}

/// Files by which operating systems and editors keep notes for themselves.
private enum NotesOfSystems {
    private static let names: Set<String> = [".ds_store", "thumbs.db", "desktop.ini"]
    /// AppleDouble files, and locks of Microsoft Office and LibreOffice.
    private static let prefixes = ["._", "~$", ".~lock."]

    static func include(_ name: String) -> Bool {
        names.contains(name.lowercased()) || prefixes.contains(where: name.hasPrefix)
    }
}
