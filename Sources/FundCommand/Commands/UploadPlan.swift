import Foundation
import FundClient
import Terminal

/// The files to upload and their targets. Making the plan makes the folders on the server.
final class UploadPlan {
    private let session: Session
    private let replaces: Bool
    /// Funds of the folders that are known.
    private var funds: [FolderID: FundID] = [:]
    /// Files of the places that files go to, by name.
    private var files: [Place: [String: File]] = [:]
    private(set) var uploads: [FileUpload] = []
    /// Items that are left out.
    private(set) var remarks: [CommandError] = []
    /// Why items cannot be uploaded.
    private(set) var failures: [CommandError] = []

    init(_ session: Session, replaces: Bool) {
        self.session = session
        self.replaces = replaces
    }

    /// - Parameter target: an existing place, or for a single file the path that it gets.
    func add(_ sources: [String], to target: RemotePath) async throws {
        let item = try await session.item(at: target)
        if let place = item?.place {
            for source in sources {
                try await add(source, named: Self.name(of: source), to: place, target, among: sources.count)
            }
            return
        }
        guard let source = sources.first, sources.count == 1, Self.kind(of: source) == .typeRegular,
            let parent = target.parent, !target.isOfFolder
        else {
            throw CommandError(
                .refused, item == nil ? "There is no \(target); make it with `fund mkdir`." : "\(target) is a file.")
        }
        try await add(source, named: target.name, to: try await session.existingPlace(at: parent), parent, among: 1)
    }

    /// - Parameter count: things that go to the place together.
    private func add(
        _ source: String, named name: String, to place: Place, _ path: RemotePath, among count: Int
    ) async throws {
        let path = path.appending(name)
        switch Self.kind(of: source) {
        case .typeRegular:
            guard let size = LocalDigest.size(of: source) else { return fail(source, "It cannot be read.") }
            uploads.append(
                FileUpload(
                    path: source, size: size, name: name, place: place, fund: try await fund(of: place), target: path,
                    replaces: replaces, there: count < Self.manyFiles ? nil : try await file(named: name, in: place)))
        case .typeDirectory:
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: source) else {
                return fail(source, "The folder cannot be read.")
            }
            let folder: Folder
            do {
                folder = try await session.makeFolder(named: name, in: place, ifTaken: .replace)
            } catch {
                return failures.append(CommandError(error).about("\(path)"))
            }
            funds[folder.id] = folder.fund
            for name in names.sorted() {
                try await add(
                    (source as NSString).appendingPathComponent(name), named: name, to: .folder(folder.id), path,
                    among: names.count)
            }
        // So Foundation names what is no text.
        case nil where name.unicodeScalars.contains("\u{FFFD}"): fail(source, "Its name is not UTF-8; rename it.")
        case nil: fail(source, "There is no such file.")
        case .typeSymbolicLink: leaveOut(source, "It is a link, and was left out.")
        default: leaveOut(source, "It is a special file, and was left out.")
        }
    }

    /// For so many it is worth while to look what is there.
    private static let manyFiles = 8

    /// The file that is there already: one look at a place takes less time than a refusal for each file.
    private func file(named name: String, in place: Place) async throws -> File? {
        if let known = files[place] { return known[name] }
        var known: [String: File] = [:]
        for case .file(let file) in try await session.items(of: place) { known[file.name] = file }
        files[place] = known
        return known[name]
    }

    private func fund(of place: Place) async throws -> FundID {
        switch place {
        case .fund(let id): return id
        case .folder(let id):
            if let fund = funds[id] { return fund }
            let fund = try await session.folder(id).fund
            funds[id] = fund
            return fund
        }
    }

    private func fail(_ source: String, _ words: String) {
        failures.append(CommandError(.cannotCreate, words).about(source))
    }

    private func leaveOut(_ source: String, _ words: String) {
        remarks.append(CommandError(.cannotCreate, words).about(source))
    }

    private static func kind(of path: String) -> FileAttributeType? {
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        return (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    }

    /// Also of `.` and of a path with a slash at its end.
    private static func name(of path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.lastPathComponent
    }
}
