import FundClient
import Terminal

/// The thing that a path leads to.
enum RemoteItem: Sendable {
    case fund(Fund)
    case folder(Folder)
    case file(File)

    init(_ item: Item) {
        switch item {
        case .folder(let folder): self = .folder(folder)
        case .file(let file): self = .file(file)
        }
    }

    /// Nil for a file.
    var place: Place? {
        switch self {
        case .fund(let fund): .fund(fund.id)
        case .folder(let folder): .folder(folder.id)
        case .file: nil
        }
    }
}

extension Session {
    /// The item at a path; nil when there is nothing. A fund may have slashes in its name: the shortest name that leads
    /// to something counts.
    func item(at path: RemotePath) async throws -> RemoteItem? {
        let funds = try await funds()
        for reading in path.readings {
            guard let fund = funds.found(by: reading.fund) else { continue }
            if let found = try await item(reading.names, in: fund) {
                fund.remark(onName: reading.fund)
                return found
            }
        }
        return nil
    }

    private func item(_ names: [String], in fund: Fund) async throws -> RemoteItem? {
        var found = RemoteItem.fund(fund)
        for name in names {
            guard let place = found.place, let item = try await item(named: name, in: place) else { return nil }
            found = RemoteItem(item)
        }
        return found
    }

    /// The item at a path. Throws `CommandError` when there is none.
    func existingItem(at path: RemotePath) async throws -> RemoteItem {
        guard let item = try await item(at: path) else { throw CommandError(.refused, "There is no \(path).") }
        return item
    }

    /// The fund or folder at a path. Throws `CommandError` when there is none.
    func existingPlace(at path: RemotePath) async throws -> Place {
        guard let place = try await existingItem(at: path).place else {
            throw CommandError(.refused, "\(path) is a file.")
        }
        return place
    }

    /// The id of the fund of a name, where one is given. Throws as `existingFund(named:)`.
    func existingFund(ifNamed name: String?) async throws -> FundID? {
        guard let name else { return nil }
        return try await existingFund(named: name).id
    }

    /// The fund of a name, which is compared as in a path. Throws `CommandError` when there is none.
    func existingFund(named name: String) async throws -> Fund {
        let plain = RemotePath.plain(name)
        guard let fund = try await funds().found(by: plain) else {
            throw CommandError(.refused, "There is no fund \(name).")
        }
        fund.remark(onName: plain)
        return fund
    }

    /// The item of a name in a place, in whichever Unicode form the name was typed; nil when there is none.
    func item(named name: String, in place: Place) async throws -> Item? {
        var cursor: PageCursor?
        repeat {
            let page = try await items(of: place, after: cursor)
            if let item = page.elements.first(where: { $0.name == name }) { return item }
            cursor = page.next
        } while cursor != nil
        return nil
    }
}
