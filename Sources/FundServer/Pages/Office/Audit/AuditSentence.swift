internal import FundCore

/// Writes entries of the audit trail as sentences in the reader's language, with names where there are some.
struct AuditSentence {
    let words: Words
    let formats: Formats
    let names: AuditNames

    /// For the template `audit`.
    func row(_ entry: AuditEntry, _ statement: AuditStatement) -> PageModel {
        let (actor, isProgram) = (entry.actor, Words.table["actor.\(entry.actor)"] != nil)
        let name = names.people[actor] ?? actor
        var row: PageModel = [
            "time": formats.clock(entry.at), "action": entry.action, "parts": parts(statement.sentence),
            "face": isProgram ? "⚙" : Initials.text(of: name),
            "faceHue": isProgram ? Self.programHue : Initials.hue(of: name),
        ]
        if !statement.asides.isEmpty { row["asides"] = statement.asides.map { ["parts": parts($0)] as PageModel } }
        return row
    }

    private func parts(_ sentence: AuditStatement.Sentence) -> [PageModel] {
        words.parts("statement.\(sentence.key)", sentence.values.enumerated().map { part($1, isFirst: $0 == 0) })
    }

    private func part(_ value: AuditStatement.Value, isFirst: Bool) -> PageModel {
        switch value {
        case .person(let address): person(address, isActor: isFirst)
        case .user(let id):
            names.users[id].map { person($0, isActor: false) } ?? ["plain": words("statement.gone.person")]
        case .fund(let name): ["tagged": Self.link(name, to: Self.filter("subject", name))]
        case .message(let id): message(names.misroutes[id], path: "/desk/messages/\(id)")
        case .email(let id): message(names.emails[id], path: nil)
        case .content(let digest): content(digest)
        case .mailbox(let name): ["quoted": name]
        case .letter(let id, let address):
            ["thing": Self.link(names.people[address] ?? address, to: "/office/outbox/letters/\(id)", title: address)]
        case .text(let text): ["quoted": text]
        case .english(let text): ["english": text]
        case .time(let time): formats.moment(time)
        case .items(let count): ["plain": words.count("items", count)]
        case .bytes(let count): ["plain": formats.size(count)]
        case .phrase(let key, let text): ["quoted": words("statement.\(key)", words.isolated(text))]
        }
    }

    /// A person leads to what they did, or to what was done to them; a program is called by its words.
    private func person(_ address: String, isActor: Bool) -> PageModel {
        let name = names.people[address] ?? words.name(address, in: "actor")
        let link = Self.link(name, to: Self.filter(isActor ? "actor" : "subject", address), title: address)
        return isActor ? ["who": link] : ["thing": link]
    }

    private func message(_ message: AuditNames.Message?, path: String?) -> PageModel {
        guard let message else { return ["plain": words("statement.gone.message")] }
        let subject = words.subject(message.subject)
        guard let path else { return ["quoted": subject] }
        return ["thing": Self.link(subject, to: path, title: message.sender ?? "")]
    }

    /// A file whose name is gone is called by the beginning of its digest, which other lists show, too.
    private func content(_ digest: ContentDigest) -> PageModel {
        let digits = String(digest.hex.prefix(Self.shownDigits))
        guard let name = names.contents[digest] else { return ["quoted": words("statement.gone.content", digits)] }
        return ["thing": Self.link(name, to: Self.filter("subject", digest.hex), title: digest.hex)]
    }

    private static let shownDigits = 12
    private static let programHue = "hue8"

    private static func link(_ name: String, to path: String, title: String = "") -> PageModel {
        ["name": name, "path": path, "tip": title]
    }

    private static func filter(_ field: String, _ value: String) -> String {
        "/office/audit" + PageQueryText.text([(field, value)])
    }
}
