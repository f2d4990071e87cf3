import ArgumentParser
import Foundation
import FundClient
import Terminal

struct NoteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "note", abstract: "Read and write notes.",
        subcommands: [
            NoteListCommand.self, NoteShowCommand.self, NoteAddCommand.self, NoteEditCommand.self,
            NoteRemoveCommand.self,
        ])
}

struct NoteListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the notes of a fund, the latest first.",
        discussion: """
            Example:
              fund note list Fund1
            """)

    @Argument(help: "The fund of the notes.")
    var fund: String

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            let fund = try await session.existingFund(named: fund)
            let notes = try await session.notes(in: fund.id).reversed()
            try Listing(
                items: Array(notes), ifEmpty: "There are no notes in \(fund.name).",
                columns: [.number("ID"), "CHANGED", .shrinking("TITLE"), .shrinking("BEGINS WITH")]
            ) { note in
                let first = note.content.split(whereSeparator: \.isNewline).first ?? ""
                return ["\(note.id)", WrittenTime.local(note.modifiedAt), note.title, String(first.prefix(60))]
            }.write(json: globals.json)
        }
    }
}

struct NoteShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a note.",
        discussion: """
            Example:
              fund note show 12
            """)

    @Argument(help: "The number that `fund note list` shows.")
    var id: Int64

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            let note = try await session.note(NoteID(id))
            if globals.json { return try JSONLine.write(note) }
            if Console.outputWidth != nil {
                try Console.line("\(note.title)  (\(WrittenTime.local(note.modifiedAt)))\n")
            }
            // A program gets the words as they are; a terminal those that do it no harm.
            let text = Console.outputWidth == nil ? note.content : TerminalText.cleanLines(note.content)
            try Console.write(Array((text + (text.hasSuffix("\n") ? "" : "\n")).utf8))
        }
    }
}

struct NoteAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Write a new note.",
        discussion: """
            Examples:
              fund note add Fund1 "Call Bob" "About the figures"
              fund note add Fund1 "Minutes" < minutes.txt
            """)

    @Argument(help: "The fund of the notes.")
    var fund: String
    @Argument(help: "The title of the note.")
    var title: String
    @Argument(help: "The text; without it, standard input is read.")
    var words: String?

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let content = try words ?? NoteInput.standardInput()
        try await globals.withSession { session in
            let fund = try await session.existingFund(named: fund)
            let note = try await session.addNote(titled: title, content, in: fund.id)
            if globals.json { try JSONLine.write(NoteLine(note)) }
            try globals.say("Note \(note.id) is in \(fund.name).")
        }
    }
}

struct NoteEditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change a note.",
        discussion: """
            Without --content, and with a terminal, it opens $VISUAL or $EDITOR. When the note was changed elsewhere \
            in the meantime, nothing is changed and your text is kept in a file.

            Examples:
              fund note edit 12
              fund note edit 12 --title "Call Bob today"
              fund note edit 12 < minutes.txt
            """)

    @Argument(help: "The number that `fund note list` shows.")
    var id: Int64

    @Option(help: "The new title.")
    var title: String?
    @Option(help: ArgumentHelp("The new text, in place of all of it.", valueName: "text"))
    var content: String?

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            let note = try await session.note(NoteID(id))
            let words = try content ?? (title == nil ? NoteInput.edited(note.content) : note.content)
            guard words != note.content || title != nil else { return try globals.say("Nothing was changed.") }
            do {
                let changed = try await session.changeNote(
                    note.id, in: note.fund, title: title ?? note.title, content: words,
                    unlessChangedSince: note.modifiedAt)
                if globals.json { try JSONLine.write(NoteLine(changed)) }
                try globals.say("Note \(id) was changed.")
            } catch {
                // The edited text is in no other file any more.
                let kept = words == note.content ? nil : NoteInput.keep(words, of: note)
                let place = kept.map { "Your words are in \($0)." }
                if let error = error as? ClientError, error.code == .conflict {
                    let text = "The note was changed elsewhere in the meantime; nothing was changed."
                    throw CommandError(.refused, [text, place].compactMap(\.self).joined(separator: " "))
                }
                if let place { Console.error("\(place)\n") }
                throw error
            }
        }
    }
}

struct NoteRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Put notes into the trash of the server.",
        discussion: """
            Example:
              fund note rm 12
            """)

    @Argument(help: "The numbers that `fund note list` shows.")
    var ids: [Int64]

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withEach("Note", ids, outcome: "is in the trash.") { session, id in
            let note = try await session.note(NoteID(id))
            try await session.deleteNote(note.id, in: note.fund)
        }
    }
}

private struct NoteLine: Encodable {
    var id: NoteID
    var fund: FundID
    var title: String
    var content: String
    var modifiedAt: Date

    init(_ note: NoteRevision) {
        (id, fund, title, content, modifiedAt) = (note.id, note.fund, note.title, note.content, note.modifiedAt)
    }
}
