import Dispatch
import FundCore
import FundHTTP
import FundStore

/// A person's library, as the goal of an import. A rehearsal changes nothing and tells the same, as far as it can be
/// known.
struct ImportShelf: Sendable {
    /// The top of a fund, or a folder in it.
    struct Place: Sendable {
        /// The name of the fund.
        let fund: String
        /// Nil where a rehearsal would have made it.
        fileprivate let library: LibraryPlace?
        fileprivate let reach: FolderReach
    }

    /// A place, and whether it is made for the import.
    typealias Found = (place: Place, isNew: Bool)

    /// How often a name is looked at again that others change at the same time.
    private static let maxAttempts = 3

    private let store: FundStore
    private let owner: User
    private let isRehearsal: Bool
    private let shouldStop: @Sendable () -> Bool
    /// Reads and writes bytes, which block.
    private let queue = DispatchQueue(label: "fundmail.import", attributes: .concurrent)

    /// - Parameter shouldStop: says that the file under way is given up.
    init(_ store: FundStore, of owner: User, isRehearsal: Bool, shouldStop: @escaping @Sendable () -> Bool) {
        (self.store, self.owner, self.isRehearsal, self.shouldStop) = (store, owner, isRehearsal, shouldStop)
    }

    // MARK: Places

    /// The owner's fund of a name or alias, made where there is none. Throws `ImportRefusal` for a name that no fund
    /// can have.
    func fund(named name: String) async throws -> Found {
        try await ImportRefusal.telling {
            if let record = try await store.administration.funds(named: name, owner: owner.id).first {
                return (Self.top(of: record.fund), false)
            }
            guard !isRehearsal else {
                if let problem = FundName.problem(with: name) { throw ImportRefusal(problem.text) }
                return (Place(fund: name, library: nil, reach: FolderReach()), true)
            }
            let fund = try await store.administration.addFund(
                name: name, owner: owner.id, aliases: [], actor: Workspace.actor)
            return (Self.top(of: fund), true)
        }
    }

    /// The top of a fund that is there.
    static func top(of fund: Fund) -> Place {
        Place(fund: fund.name, library: LibraryPlace(fund: fund.id), reach: FolderReach())
    }

    /// A folder of a place, made where it is missing. Throws `ImportRefusal` for a name that no folder can have, one
    /// that a file has, and for a folder that would lie too deep.
    func folder(named name: String, in place: Place) async throws -> Found {
        let reach = place.reach + .of(name)
        func found(_ id: FolderEntry.ID, in parent: LibraryPlace) -> Place {
            Place(fund: place.fund, library: LibraryPlace(fund: parent.fund, folder: id), reach: reach)
        }
        return try await ImportRefusal.telling {
            let name = try LibraryName.checked(name, "add a folder")
            if let library = place.library {
                switch try await store.library.item(named: name, in: library, of: owner.id) {
                case .folder(let folder)?: return (found(folder.id, in: library), false)
                case .file?: throw ImportRefusal("a file of that name is there")
                case .fund?, nil: break
                }
                if !isRehearsal {
                    let folder = try await store.library.addFolder(name, in: library, of: owner.id)
                    return (found(folder.id, in: library), true)
                }
            }
            if let problem = reach.problem { throw ImportRefusal(problem.text) }
            return (Place(fund: place.fund, library: nil, reach: reach), true)
        }
    }

    /// The name of a file in a place, as the store compares names.
    static func key(of name: String, in place: Place) -> ImportWindow.Key {
        ImportWindow.Key(place: place.library, name: FileName.key(name))
    }

    /// A key that names share of which one may be the other with a number.
    static func numberedKey(of name: String, in place: Place) -> ImportWindow.Key {
        ImportWindow.Key(place: place.library, name: LibraryName.numberedKey(of: LibraryName.cleaned(name)))
    }

    // MARK: Files

    /// Files a file under its name. What stands there with the same content stays, and so does what has another one,
    /// unless it is older and may be replaced. Throws `ImportRefusal`, `CancellationError`, and the errors of the store
    /// that end an import.
    func add(
        _ file: SourceFile, named name: String, in place: Place, replacingOlder: Bool
    ) async throws -> ImportOutcome {
        try await ImportRefusal.telling {
            let name = try LibraryName.checked(name, "add a file")
            guard let library = place.library else {
                try await rehearse(file)
                return .imported
            }
            var target = FileTarget(name, in: library, ifTaken: .refuse)
            target.modifiedAt = file.modifiedAt
            for _ in 0..<Self.maxAttempts {
                let isReplacing: Bool
                switch try await store.library.item(named: name, in: library, of: owner.id) {
                case nil:
                    (target.expected, isReplacing) = (.nothing, false)
                case .file(let other)?:
                    if try await has(file, other.digest, size: other.size) { return .there }
                    guard replacingOlder else { throw ImportRefusal("another file of that name is there") }
                    guard file.modifiedAt > other.modifiedAt else {
                        throw ImportRefusal("another file of that name is there, which is not older")
                    }
                    (target.expected, target.ifTaken) = (.file(other.id, other.digest), .replace)
                    isReplacing = true
                case .folder?, .fund?: throw ImportRefusal("a folder of that name is there")
                }
                do {
                    try await put(file, at: target)
                    return isReplacing ? .replaced : .imported
                } catch let error as StoreError where error.isOne(of: .conflict, .alreadyExists) {
                    // Another program put something there meanwhile: it is looked at, and nothing of it replaced.
                    target.ifTaken = .refuse
                }
            }
            throw ImportRefusal("others change the same place at this time")
        }
    }

    /// Files a file of another program under a name that is made fit for a file, and gets a number where it is taken.
    /// One with the same content that is called so already stays. Throws as `add(_:named:in:replacingOlder:)`.
    ///
    /// - Parameters:
    ///   - time: its modification time; nil for that of the file.
    ///   - checksum: the bytes must have it.
    func add(
        _ file: SourceFile, called title: String, in place: Place, at time: Timestamp?, proved checksum: FileChecksum?
    ) async throws -> ImportOutcome {
        try await ImportRefusal.telling {
            let name = LibraryName.cleaned(title)
            let (digest, isProved) = try await queue.run { [shouldStop] in
                try file.digest(proving: checksum, shouldStop: shouldStop)
            }
            guard isProved else { throw ImportRefusal("its bytes do not have the checksum of the manifest") }
            guard let library = place.library else { return .imported }
            let same = try await store.library.files(with: [digest], of: owner.id)
            let isThere = same.contains { other in
                other.fund == library.fund && other.folder == library.folder
                    && LibraryName.isNumbered(other.name, of: name)
            }
            guard !isThere else { return .there }
            var target = FileTarget(name, in: library, ifTaken: .number)
            target.modifiedAt = time ?? file.modifiedAt
            try await put(file, at: target)
            return .imported
        }
    }

    private func put(_ file: SourceFile, at target: FileTarget) async throws {
        guard !isRehearsal else { return try await rehearse(file) }
        let library = store.library
        let upload = try await queue.run { [shouldStop] in
            let writer = try library.makeUpload(named: target.name, announcing: file.size)
            try file.read(shouldStop: shouldStop) { try writer.append($0) }
            return try writer.finish(contentType: MediaTypes.type(named: target.name))
        }
        _ = try await library.addFile(upload, at: target, of: owner.id)
    }

    /// Whether a file has these very bytes.
    private func has(_ file: SourceFile, _ digest: ContentDigest, size: Int64) async throws -> Bool {
        guard file.size == size else { return false }
        return try await queue.run { [shouldStop] in try file.digest(shouldStop: shouldStop) } == digest
    }

    /// Finds the files that cannot be read.
    private func rehearse(_ file: SourceFile) async throws {
        try await queue.run { [shouldStop] in try file.read(shouldStop: shouldStop) { _ in } }
    }
}
