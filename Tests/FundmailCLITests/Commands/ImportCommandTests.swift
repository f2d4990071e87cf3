import Foundation
import TestSupport
import Testing

/// `fundmail import` on a real store.
@Suite(.startsPrograms) struct ImportCommandTests {
    private static let user = ReplayStore.user

    private static func withStore(_ body: (ReplayStore) async throws -> Void) async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        try await body(store)
    }

    /// Writes files below a folder, with their folders; a name that ends with a slash is an empty folder.
    private static func write(_ files: [String: String], below folder: String) throws {
        for (name, text) in files {
            let path = "\(folder)/\(name)"
            let parent = name.hasSuffix("/") ? path : (path as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            if !name.hasSuffix("/") { try TestFile.write(text.utf8, to: path) }
        }
    }

    /// Runs an import, and gives the result of each path beside the summary.
    private static func run(
        _ store: ReplayStore, _ words: String..., status: Int32
    ) async throws -> (results: [String: String], summary: [String: any Sendable], problems: [String: String]) {
        let arguments = store.arguments(["import"] + words + ["--owner", user, "--json"])
        let done = try await store.program.run(arguments)
        #expect(done.status == status, "\(done)")
        let lines = try jsonLines(done.output)
        let summary = lines.last?["summary"] as? [String: any Sendable] ?? [:]
        func byPath(_ key: String) -> [String: String] {
            lines.dropLast().reduce(into: [:]) { $0["\($1["path"] ?? "")"] = $1[key] as? String }
        }
        return (byPath("result"), summary, byPath("problem"))
    }

    /// Path and content of the files of a fund, as `export` writes them.
    private static func files(_ fund: String, _ store: ReplayStore) async throws -> [String: String] {
        let folder = "\(store.folder)/out-\(UUID())"
        let done = try await store.run("export", fund, "--owner", user, "--to", folder)
        #expect(done.isSuccess, "\(done)")
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.reduce(into: [:]) {
            $0[$1] = (try? String(contentsOfFile: "\(folder)/\($1)", encoding: .utf8)) ?? "/"
        }
    }

    @Test func folders() async throws {
        try await Self.withStore { store in
            let source = "\(store.folder)/from"
            try Self.write(
                [
                    "Alpha/q3.txt": "q3", "Alpha/deep/er/a.txt": "a", "Alpha/empty/": "", "Alpha/.DS_Store": "x",
                    "Alpha/~$q3.docx": "x", "Beta/none.txt": "", "loose.txt": "x", "Bad [x]/y.txt": "y",
                ], below: source)
            try FileManager.default.createSymbolicLink(atPath: "\(source)/Alpha/link", withDestinationPath: "/etc")
            #expect(mkfifo("\(source)/Alpha/pipe", 0o600) == 0)
            try TestFile.write([UInt8](repeating: 7, count: 3 << 20), to: "\(source)/Alpha/large.bin")
            var times = [timeval(tv_sec: 1_000_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000_000, tv_usec: 0)]
            #expect(utimes("\(source)/Alpha/q3.txt", &times) == 0)

            let rehearsal = try await Self.run(store, "folder", source, "--dry-run", status: 65)
            #expect(rehearsal.summary["new_funds"] as? Int == 2 && rehearsal.summary["imported"] as? Int == 4)
            #expect(try await store.run("fund", "list", "--json").output.contains("Beta") == false)

            let first = try await Self.run(store, "folder", source, status: 65)
            #expect(first.results == rehearsal.results)
            #expect(
                first.results["Alpha/deep/er/a.txt"] == "imported" && first.results["Alpha/.DS_Store"] == "passed_over")
            #expect(first.results["Alpha/~$q3.docx"] == "passed_over" && first.results["loose.txt"] == "refused")
            #expect(first.problems["Alpha/link"]?.contains("link") == true)
            #expect(first.problems["Alpha/pipe"]?.contains("neither") == true)
            #expect(first.problems["Bad [x]"]?.contains("brackets") == true)
            let files = try await Self.files("Alpha", store)
            #expect(files["q3.txt"] == "q3" && files["deep/er/a.txt"] == "a", "\(files.keys)")
            // Empty ones too, which an export leaves out.
            #expect(first.summary["new_folders"] as? Int == 3, "\(first.summary)")
            #expect(try await Self.files("Beta", store)["none.txt"]?.isEmpty == true)

            let again = try await Self.run(store, "folder", source, status: 65)
            #expect(again.summary["imported"] as? Int == 0 && again.summary["there"] as? Int == 4)
            #expect(again.summary["new_folders"] as? Int == 0, "\(again.summary)")
            try TestFile.write("new".utf8, to: "\(source)/Alpha/q3.txt")
            let other = try await Self.run(store, "folder", "\(source)/Alpha", "--fund", "alpha", status: 65)
            #expect(other.problems["q3.txt"]?.contains("another file") == true)
            let newer = try await Self.run(
                store, "folder", "\(source)/Alpha", "--fund", "Alpha", "--replace-older", status: 65)
            #expect(newer.results["q3.txt"] == "replaced")
            #expect(try await Self.files("Alpha", store)["q3.txt"] == "new")
            let verified = try await store.run("verify")
            #expect(verified.isSuccess, "\(verified)")
        }
    }

    @Test func paperless() async throws {
        try await Self.withStore { store in
            let export = "\(store.folder)/export"
            try Self.write(
                [
                    "manifest.json": Self.manifest, "a.pdf": "a", "b.pdf": "b", "sub/c.txt": "c", "d.pdf": "d",
                    "v.pdf": "v", "split-manifest.json": Self.split, "s.pdf": "s", "../secret": "secret",
                    "map.csv": "name,fund\nAlpha,Fund1\n",
                ], below: export)
            try FileManager.default.createSymbolicLink(atPath: "\(export)/link.pdf", withDestinationPath: "../secret")
            let words = ["paperless", export, "--map", "\(export)/map.csv"]
            let first = try await Self.run(store, words[0], words[1], words[2], words[3], status: 65)
            #expect(first.summary["imported"] as? Int == 5 && first.summary["new_funds"] as? Int == 1, "\(first)")
            #expect(first.problems["../secret"]?.contains("outside") == true)
            #expect(first.problems["/etc/passwd"]?.contains("outside") == true)
            #expect(first.problems["link.pdf"]?.contains("link") == true)
            #expect(first.problems["gone.pdf"]?.contains("No such file") == true)
            #expect(first.problems["d.pdf"]?.contains("checksum") == true)
            #expect(first.problems["document 9"]?.contains("no file") == true)
            #expect(first.problems.filter { $0.key.hasPrefix("manifest.json, record") }.count == 2)
            let notes = (first.summary["notes"] as? [String] ?? []).joined()
            #expect(notes.contains("1 note was") && notes.contains("1 document lay in the trash"), "\(notes)")
            let alpha = try await Self.files("Fund1", store)
            #expect(alpha["Bill_ 1.pdf"] == "a" && alpha["bill_ 1(1).pdf"] == "b", "\(alpha)")
            #expect(alpha["Bill_ 1(2).pdf"] == "v" && alpha["split.pdf"] == "s")
            #expect(try await Self.files("Beta", store) == ["text.txt": "c"])
            let again = try await Self.run(store, words[0], words[1], words[2], words[3], status: 65)
            #expect(again.summary["imported"] as? Int == 0 && again.summary["there"] as? Int == 5, "\(again)")
        }
    }

    private static func document(_ id: Int, _ file: String?, _ fields: String) -> String {
        let name = file.map { #", "__exported_file_name__": "\#($0)""# } ?? ""
        return #"{"model": "documents.document", "pk": \#(id), "fields": {\#(fields)}\#(name)}"#
    }

    private static let manifest =
        "["
        + [
            #"{"model": "documents.tag", "pk": 1, "fields": {"name": "Alpha"}}"#,
            #"{"model": "documents.tag", "pk": 2, "fields": {"name": "Beta"}}"#,
            #"{"model": "documents.note", "pk": 1, "fields": {"note": "x", "document": 1}}"#,
            // MD5 and SHA-256 of "a" and "b".
            document(
                1, "a.pdf",
                #""title": "Bill/ 1", "tags": [1], "created": "2020-02-03", "#
                    + #""checksum": "0cc175b9c0f1b6a831c399e269772661""#
            ),
            document(
                2, "b.pdf",
                #""title": "bill\u0000 1", "tags": [1, 2], "created": "99999-01-01", "checksum": "# + "\""
                    + "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d\""),
            document(3, "sub/c.txt", #""title": "text", "tags": [2], "created": "2019-01-01T00:00:00+01:00""#),
            document(4, "d.pdf", #""title": "d", "tags": [1], "checksum": "0cc175b9c0f1b6a831c399e269772661""#),
            document(5, "../secret", #""title": "x", "tags": [1]"#),
            document(6, "/etc/passwd", #""title": "x", "tags": [1]"#),
            document(7, "link.pdf", #""title": "x", "tags": [1]"#),
            document(8, "gone.pdf", #""title": "x", "tags": [1]"#),
            document(9, nil, #""title": "x", "tags": [1]"#),
            document(10, "a.pdf", #""title": "x", "tags": [1], "deleted_at": "2024-01-01T00:00:00Z""#),
            document(11, "a.pdf", #""title": 5"#), "7",
            document(12, "v.pdf", #""title": "", "tags": [], "root_document": 1"#),
        ].joined(separator: ",\n") + "]"

    private static let split = "[" + document(20, "s.pdf", #""title": "split", "tags": [1]"#) + "]"

    @Test(
        arguments: [
            (["folder", "/nowhere"], 65, "cannot be read as a folder"),
            (["folder", "/dev/null"], 65, "cannot be read"),
            (["folder", ".", "--fund", "Fnd1"], 65, "did you mean Fund1"), (["folder"], 64, "path"),
            (["paperless", "."], 65, "manifest.json"), (["paperless", ".", "--by", "none"], 64, "--fund"),
            (["paperless", "list"], 65, "it is no list"), (["paperless", "cut"], 65, "ends in the middle"),
            (["paperless", "empty"], 65, "no document"), (["paperless", "x.zip"], 65, "unpack"),
        ] as [([String], Int32, String)])
    func saysWhatIsWrong(_ words: [String], _ status: Int32, _ said: String) async throws {
        try await Self.withStore { store in
            try Self.write(
                ["list/manifest.json": "{}", "cut/manifest.json": "[{", "empty/manifest.json": "[]", "x.zip": ""],
                below: store.folder)
            let done = try await store.program.run(store.arguments(["import"] + words + ["--owner", Self.user]))
            #expect(done.status == status && done.errors.contains(said), "\(done)")
        }
    }
}
