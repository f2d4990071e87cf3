import ArgumentParser
import FundCore
import Terminal

struct ImportPaperlessCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "paperless", abstract: "Take in the documents of an export of Paperless-ngx.",
        discussion: """
            EXPORT is the folder that its `document_exporter` wrote; a zip file of it is unpacked first. Each document \
            comes as its original file, called by its title, with its date as modification time. --by says which \
            label names its fund, which is made where it is missing; a document without one goes to --fund, or is \
            reported. With several tags the first counts, inbox tags never. A table of --map has the columns name and \
            fund, for labels whose fund has another name; the tag that stands first in it counts then.

            Names that are taken get a number. Checksums in the export are compared. A document that is there already \
            stays, so running the same command twice is harmless, and the second time goes on where the first was \
            interrupted. Notes, custom fields, \
            further labels and the text that Paperless read are not kept; the report counts them.

            Exit status: 0 all was imported, or was there; 65 something was not, and is named; 130 and 143 it was \
            interrupted: run it again for the rest.

            Examples:
              fundmail import paperless /srv/export --owner ann@example.com --by correspondent --dry-run
              fundmail import paperless /srv/export --owner ann@example.com --map funds.csv --fund Papers
            """)

    /// The label that names funds.
    enum Label: String, ExpressibleByArgument, CaseIterable {
        case tag, correspondent, type, path, none
    }

    @Argument(help: ArgumentHelp("The folder of the export.", valueName: "export")) var path: String
    @Option(help: "The label that names the fund of a document.") var by: Label = .tag
    @Option(help: ArgumentHelp("The fund for documents that have none by --by; it is there.", valueName: "name"))
    var fund: String?
    @Option(help: ArgumentHelp("A table of labels and the funds for them.", valueName: "file.csv")) var map: String?
    @Flag(help: "Take the archived PDF in place of the original, where there is one.") var archived = false
    @OptionGroup var options: ImportOptions

    func validate() throws {
        if by == .none, fund == nil { throw ValidationError("--by none needs --fund.") }
        if by == .none, map != nil { throw ValidationError("--map is of no use with --by none.") }
    }

    func run() async throws {
        if path.lowercased().hasSuffix(".zip"), FileState(path)?.isRegular == true {
            throw CommandError(.input, "\(path) is packed; unpack it, and name the folder with its manifest.json.")
        }
        let folder = try ImportSession.folder(path)
        var funds = PaperlessFunds(label: by.label)
        if let map { funds.table = try .init(file: map) }
        let session = try await ImportSession(options)
        if let fund { funds.fallback = try await session.fund(named: fund).name }
        var run = PaperlessImport(
            PaperlessExport(folder: folder), session.shelf, session.output, funds: funds, isArchived: archived,
            shouldStop: session.shouldStop)
        try await session.run("paperless \(path)", notes: { run.notes }) {
            do { try await run.run() } catch let error as PaperlessExport.Malformed {
                throw CommandError(.input, "\(error.manifest) in \(path) cannot be read: \(error.problem).")
            } catch let refusal as ImportRefusal {
                throw CommandError(.input, "\(path) cannot be read as an export: \(refusal.reason).")
            }
        }
    }
}

extension ImportPaperlessCommand.Label {
    fileprivate var label: PaperlessDocument.Label? {
        switch self {
        case .tag: .tag
        case .correspondent: .correspondent
        case .type: .type
        case .path: .path
        case .none: nil
        }
    }
}
