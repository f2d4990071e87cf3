import ArgumentParser
import FundCore
import FundStore
import Terminal

struct ContactImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take contacts of a file into a person's list.",
        discussion: """
            FILE is vCard 2.1 to 4.0, or a table of Outlook or Google (CSV). A person who is there, by id, address, \
            or name and number, gets what is new; nothing is taken away. Contacts that cannot be kept are named, and \
            the others taken; pictures and postal addresses are left out.

            Exit status: 0 all were taken; 1 some were not; 65 the file cannot be read.

            Example:
              fundmail contact import ann@example.com contacts.vcf --dry-run
            """)

    @OptionGroup var choice: UserChoice
    @Argument(help: ArgumentHelp("The file; - is standard input.", valueName: "file")) var file: String
    @Flag(help: "Show what would happen; change nothing.") var dryRun = false
    @Flag(help: "Print one JSON object a contact.") var json = false
    @OptionGroup var globals: GlobalOptions

    /// A contact of the file, and what became of it.
    private struct Line {
        var contact: ImportedContact
        var outcome: ContactMerger.Outcome

        /// Word for programs.
        var word: String {
            switch outcome {
            case .added: "added"
            case .merged: "merged"
            case .unchanged: "unchanged"
            case .refused: "refused"
            }
        }

        var text: String {
            let name = contact.card.name.isEmpty ? "a contact" : contact.card.name
            let words =
                switch outcome {
                case .added: "added"
                case .merged(let other): other == name ? "merged" : "merged with \(other)"
                case .unchanged: "unchanged"
                case .refused(let problem): "refused: \(problem.text)"
                }
            return TerminalText.clean("line \(contact.line): \(name): \(words)")
        }
    }

    func run() async throws {
        let bytes: [UInt8]
        do { bytes = try WholeFile.read(file, maxBytes: ContactLimits.maxFileBytes) } catch {
            throw CommandError(.input, "\(TerminalText.clean(file)) cannot be read: \(error.problem).")
        }
        let contents: ContactFile
        do { contents = try ContactFile(bytes) } catch {
            throw CommandError(.input, "\(TerminalText.clean(file)): \(error.words).")
        }
        for title in contents.ignoredColumns { Console.warn("the column \"\(title)\" is not used") }
        if contents.hasMore {
            Console.warn("the file has more than \(ContactLimits.maxImported) contacts; the others are not taken")
        }
        let store = try Workspace(globals).openStore(dryRun ? .readOnly : .existing)
        let user = try await choice.user(in: store)
        let outcomes = try await store.contacts.acting(as: Workspace.actor).importContacts(
            contents.contacts, isRehearsal: dryRun, of: user.id)
        let lines = zip(contents.contacts, outcomes).map { Line(contact: $0, outcome: $1) }
        try store.close()
        try write(lines)
        if lines.contains(where: { $0.word == "refused" }) || contents.hasMore { throw ExitCode(1) }
    }

    private func write(_ lines: [Line]) throws {
        guard !json else {
            for line in lines {
                try Console.write(
                    JSONWriter.line { json in
                        json.field("line", line.contact.line)
                        json.field("name", line.contact.card.name)
                        json.field("result", line.word)
                        if case .refused(let problem) = line.outcome { json.field("problem", problem.text) }
                        json.field("left_out", line.contact.leftOut.map(\.rawValue).sorted())
                    })
            }
            return
        }
        let counts = lines.reduce(into: [String: Int]()) { $0[$1.word, default: 0] += 1 }
        let summary = ["added", "merged", "unchanged", "refused"].map { "\(counts[$0] ?? 0) \($0)" }
            .joined(separator: ", ")
        try Console.write(
            lines.map { $0.text + "\n" }.joined()
                + (dryRun ? "Nothing was changed. It would be: \(summary).\n" : "\(summary).\n"))
    }
}
