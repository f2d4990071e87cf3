import ArgumentParser
import FundCore
import FundStore
import Terminal

/// `quarantine`: files in which malware was found.
struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine", abstract: "Files that are held back because malware was found in them.",
        discussion: """
            With `scan: {clamd: …}` in the configuration, `fundmail serve` has clamd look at every file. What it finds \
            is kept, and refused over every interface, until it is released here or newer signatures find nothing.

            Examples:
              fundmail quarantine list
              fundmail quarantine release 275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f
            """,
        subcommands: [List.self, Release.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List files in quarantine and released ones, newest first.")

        @Flag(help: "Print one JSON object a line.") var json = false
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore(.readOnly)
            let contents = try await ListPage.all { try await store.quarantine.quarantined($0) }
            if json { return try Console.write(QuarantineCommand.lines(contents)) }
            let failed = try await store.previews.failedScans(limit: FailedScan.maxShown)
            try Console.write(QuarantineCommand.table(contents) + QuarantineCommand.text(failed))
        }
    }

    struct Release: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "release", abstract: "Release a file: everybody who has it gets it again.",
            discussion: """
                A file that is held because it was not scanned can be released, too. The audit trail names who did it. \
                A released file stays free unless other malware is found in it.
                """)

        @Argument(help: ArgumentHelp("The SHA-256 of the file, as `list` shows it.", valueName: "sha256"))
        var digest: String
        @OptionGroup var globals: GlobalOptions

        func validate() throws {
            guard ContentDigest(hex: digest) == nil else { return }
            throw ValidationError(
                "\(digest) is no SHA-256: 64 hexadecimal digits, as `fundmail quarantine list` shows.")
        }

        func run() async throws {
            guard let content = ContentDigest(hex: digest) else { return }
            let store = try Workspace(globals).openStore()
            try await store.quarantine.release(content, actor: Workspace.actor)
            try store.close()
            try Console.line("Released \(content.hex).")
        }
    }

    /// Files at which the scanner failed each time: with `unscanned: hold` no user gets them.
    private static func text(_ failed: [FailedScan]) -> String {
        guard !failed.isEmpty else { return "" }
        let rows = failed.map { [Clock.local($0.at), TerminalText.clean($0.problem), $0.digest.hex] }
        return "\nThe scanner could not look at these; `fundmail preview retry` has them tried again now:\n"
            + Table(["TRIED", "PROBLEM", "SHA-256"], rows).rendered(width: nil) + "\n"
    }

    private static func table(_ contents: [QuarantinedContent]) -> String {
        guard !contents.isEmpty else { return "Nothing is in quarantine.\n" }
        let rows = contents.map { content in
            let place = content.places.first
            let more = content.places.count > 1 ? " and \(content.places.count - 1) more" : ""
            return [
                content.releasedAt == nil ? "kept" : "released by \(content.releasedBy ?? "")",
                Clock.local(content.foundAt), content.malware, TerminalText.clean(place?.sender ?? "uploaded"),
                TerminalText.clean(place.map { "\($0.owner) \($0.fund) \($0.name)\(more)" } ?? "no file any more"),
                content.digest.hex,
            ]
        }
        return Table(["STATE", "FOUND", "MALWARE", "FROM", "WHERE", "SHA-256"], rows).rendered(width: nil) + "\n"
    }

    private static func lines(_ contents: [QuarantinedContent]) -> [UInt8] {
        JSONWriter.lines(contents) { line, content in
            line.field("sha256", content.digest.hex)
            line.field("malware", content.malware)
            line.field("found_at", Clock.timestamp(content.foundAt))
            line.field("released_at", content.releasedAt.map(Clock.timestamp))
            line.field("released_by", content.releasedBy)
            line.field("places", content.places) { json, place in
                json.object {
                    $0.field("owner", place.owner)
                    $0.field("fund", place.fund)
                    $0.field("name", place.name)
                    $0.field("sender", place.sender)
                }
            }
        }
    }
}
