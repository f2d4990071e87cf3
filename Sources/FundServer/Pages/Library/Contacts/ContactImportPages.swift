internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// Files of contacts that come in and go out. A file waits in the store until its user has seen what becomes of it.
extension PageRoute {
    private static let importPath = "\(contactsPath)/import"
    /// Lines of a preview; the others are counted.
    private static let maxShown = 500

    static let contactImportRoutes: [PageRoute] = [
        .get(importPath) { call in try await importPage(call) },
        .upload(importPath) { call in try await receive(call) },
        .post("\(importPath)/take") { call, _ in
            let user = try call.userID
            guard let file = try await call.contacts.stagedImport(of: user) else {
                return call.redirect(to: "\(importPath)?done=nothing")
            }
            _ = try await call.contacts.importContacts(file.contacts, isRehearsal: false, of: user)
            try await call.contacts.stageImport(nil, of: user)
            return call.redirect(to: "\(contactsPath)?done=contacts-imported")
        },
        .post("\(importPath)/discard") { call, _ in
            try await call.contacts.stageImport(nil, of: try call.userID)
            return call.redirect(to: importPath)
        },
        .get("\(contactsPath)/export.vcf") { call in
            try await call.contactExport(version: .v3)
        },
    ]

    private static func receive(_ call: PageCall) async throws -> Response {
        try await call.withFormFile(upTo: ContactLimits.maxFileBytes) { name, bytes in
            try await call.requireSender(for: .user)
            do {
                let file = try await call.contactFile(bytes)
                try await call.contacts.stageImport(
                    StagedContacts(file, named: name ?? ""), of: try call.userID)
                return call.redirect(to: importPath)
            } catch let fault as ContactFile.Fault {
                return try await importPage(call, failure: call.words.sentence(fault.requestError))
            }
        }
    }

    private static func importPage(_ call: PageCall, failure: String? = nil) async throws -> Response {
        var model: PageModel = ["atContacts": true, "here": importPath]
        if let file = try await call.contacts.stagedImport(of: try call.userID), failure == nil {
            model["file"] = try await preview(of: file, call)
        }
        if let failure { model.fail(failure, at: "file") }
        return call.page(
            "contactimport", model, title: call.words("contact.import.title"),
            status: failure == nil ? .ok : .unprocessableContent)
    }

    /// The outcome that each contact would have.
    private static func preview(of file: StagedContacts, _ call: PageCall) async throws -> PageModel {
        let words = call.words
        let outcomes = try await call.contacts.importContacts(file.contacts, isRehearsal: true, of: try call.userID)
        var (added, merged, same, refused) = (0, 0, 0, 0)
        let lines = zip(file.contacts, outcomes).map { contact, outcome -> PageModel in
            var problem: String?
            let text: String
            switch outcome {
            case .added: (text, added) = (words("contact.import.new"), added + 1)
            case .merged(let name):
                (text, merged) = (words("contact.import.merge", words.isolated(name)), merged + 1)
            case .unchanged(let name): (text, same) = (words("contact.import.same", words.isolated(name)), same + 1)
            case .refused(let reason):
                (text, refused) = (words("problem.\(reason.kind.rawValue)"), refused + 1)
                problem = text
            }
            let lost = contact.leftOut.sorted { $0.rawValue < $1.rawValue }.map { words("contact.left.\($0.rawValue)") }
            let more =
                lost.isEmpty
                ? text : text + " " + words("contact.left", lost.joined(separator: words("contact.left.and")))
            return [
                "number": "\(contact.line)", "name": contact.card.name,
                "address": (contact.card.addresses.first?.value).orAbsent, "text": more,
                "isWrong": problem != nil,
            ]
        }
        return [
            "fileName": file.name,
            "summary": words(
                "contact.import.would", words.count("contacts", added), words.count("contacts", merged),
                words.count("contacts", same), words.count("contacts", refused)),
            "canTake": added + merged > 0, "button": words.count("contact.import.button", added + merged),
            "lines": Array(lines.prefix(maxShown)), "hasHidden": lines.count > maxShown,
            "hidden": words.count("contacts", max(lines.count - maxShown, 0)),
            "hasMore": file.hasMore, "ignored": file.ignoredColumns.prefix(20).map { $0 },
            "hasIgnored": !file.ignoredColumns.isEmpty,
        ]
    }
}

extension MultipartReader {
    /// The whole of a short part; nil when it is longer.
    mutating func rest(upTo count: Int) async throws -> [UInt8]? {
        var bytes: [UInt8] = []
        while let chunk = try await nextChunk() {
            guard bytes.count + chunk.readableBytes <= count else { return nil }
            bytes += chunk.readableBytesView
        }
        return bytes
    }
}
