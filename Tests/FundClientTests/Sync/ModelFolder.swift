import Foundation

@testable import FundClient

/// A folder of this machine that tests work in as a user would.
final class ModelFolder: Sendable {
    let root: String

    init(on base: String = "/dev/shm") throws {
        root = "\(base)/fund-sync-\(UUID())"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    /// The catalogue of an account, on another disk.
    func catalogue() throws -> Catalogue {
        try Catalogue(in: FileManager.default.temporaryDirectory.path + "/\(LocalFiles.name(of: root))")
    }

    func path(_ name: String) -> String { "\(root)/\(name)" }

    func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path(name))) }

    func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: false)
    }

    func move(_ old: String, to new: String) throws {
        // Foundation's own way ends the process when a link gets a name in other letter case.
        try LocalFiles.renameExclusively(path(old), to: path(new))
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

    /// One that leads nowhere, not even for who would write there.
    func link(_ name: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: "/nowhere/at/all")
    }

    func removeLinks() throws {
        for name in try FileManager.default.subpathsOfDirectory(atPath: root)
        where try LocalFiles.status(path(name)).kind == .link { try remove(name) }
    }

    /// All that a user sees but links, as paths: of files the digests, of folders nil.
    var paths: [String: Digest?] { paths(below: root, ownToo: false) }

    /// Every version that is found in it, in its trash, too.
    var versions: Set<Digest> { Set(paths(below: root, ownToo: true).values.compactMap(\.self)) }

    private func paths(below folder: String, ownToo: Bool) -> [String: Digest?] {
        var result: [String: Digest?] = [:]
        for name in (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? [] {
            if !ownToo, name == ".fund" || name.hasPrefix(".fund/") { continue }
            guard let status = try? LocalFiles.status("\(folder)/\(name)") else { continue }
            if status.kind == .file, let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)") {
                result[name] = ModelServer.digest(Array(bytes))
            } else if status.kind != .link {
                result[name] = .some(nil)
            }
        }
        return result
    }
}
