import FundCore
import FundStore

/// A folder that `document_exporter` of Paperless-ngx wrote: a manifest, perhaps one for each document beside it
/// (`--split-manifest`), and the files. Nothing outside of it is read.
struct PaperlessExport {
    /// A record of a manifest, or why it cannot be read.
    struct Entry {
        /// Path of the manifest, from the folder of the export.
        var manifest: String
        /// From 1.
        var number: Int
        var record: Result<PaperlessRecord, PaperlessRecord.Malformed>
    }

    /// A manifest that is no list of records.
    struct Malformed: Error {
        var manifest: String
        var problem: String
    }

    private static let mainManifest = "manifest.json"
    private static let splitSuffix = "-manifest.json"
    /// The text that Paperless read in a document stands in its record.
    private static let maxRecordBytes = 32 << 20
    /// Records of Paperless have brackets four deep.
    private static let maxRecordDepth = 64
    /// Folders within each other that are searched for manifests: a format of file names makes a few.
    private static let maxDepth = 64

    let folder: SourceFolder

    /// Gives all records, of the manifest of the export first. Throws `Malformed`, `ImportRefusal` when the manifest
    /// cannot be read, and the errors of `take`.
    func records(shouldStop: () -> Bool, _ take: (Entry) async throws -> Void) async throws {
        let main: SourceFile
        do { main = try file(at: Self.mainManifest) } catch {
            throw ImportRefusal("\(Self.mainManifest): \(error.reason)")
        }
        try await records(of: main, named: Self.mainManifest, shouldStop, take)
        try await split(in: folder, at: [], shouldStop, take)
    }

    /// A file of the export. Throws `ImportRefusal` for a path that leads out of it, or where no file is.
    func file(at path: String) throws(ImportRefusal) -> SourceFile {
        var names = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard !path.utf8.contains(.nul), names.allSatisfy({ !["", ".", ".."].contains($0) }), let last = names.popLast()
        else { throw ImportRefusal("the manifest names a path outside of the export: \(path)") }
        guard names.count <= Self.maxDepth else { throw ImportRefusal("its path is too deep") }
        var folder = folder
        for name in names {
            guard case .folder(let below) = try folder.item(named: name) else {
                throw ImportRefusal("\(name) is no folder")
            }
            folder = below
        }
        guard case .file(let file) = try folder.item(named: last) else { throw ImportRefusal("it is no file") }
        return file
    }

    private func records(
        of file: SourceFile, named name: String, _ shouldStop: () -> Bool, _ take: (Entry) async throws -> Void
    ) async throws {
        var (position, number): (Int64, Int) = (0, 0)
        var reader = JSONArrayReader(maxBytes: Self.maxRecordBytes, maxDepth: Self.maxRecordDepth) { buffer in
            let count = try file.read(into: buffer, at: position)
            position += Int64(count)
            return count
        }
        do {
            while let element = try reader.next() {
                if shouldStop() { throw CancellationError() }
                number += 1
                try await take(Entry(manifest: name, number: number, record: Self.record(element)))
            }
        } catch let error as JSONArrayReader.Malformed {
            throw Malformed(manifest: name, problem: "\(error.problem) (byte \(error.offset))")
        }
    }

    private static func record(
        _ element: JSONArrayReader.Element
    ) -> Result<PaperlessRecord, PaperlessRecord.Malformed> {
        guard case .bytes(let json) = element else { return .failure(.init(problem: "it is too large")) }
        do { return .success(try .read(json)) } catch { return .failure(error) }
    }

    /// The manifests of single documents, which stand beside their files.
    private func split(
        in folder: SourceFolder, at path: [String], _ shouldStop: () -> Bool, _ take: (Entry) async throws -> Void
    ) async throws {
        for name in try folder.names().names where path.count < Self.maxDepth {
            if shouldStop() { throw CancellationError() }
            let place = path + [name]
            // A document that cannot be read is reported where a record names it.
            guard let item = try? folder.item(named: name) else { continue }
            switch item {
            case .folder(let below): try await split(in: below, at: place, shouldStop, take)
            case .file(let file):
                guard name.hasSuffix(Self.splitSuffix) else { continue }
                try await records(of: file, named: place.joined(separator: "/"), shouldStop, take)
            }
        }
    }
}
