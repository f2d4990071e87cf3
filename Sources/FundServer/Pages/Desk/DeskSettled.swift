internal import FundCore
internal import Ingest

/// The end of a message that waits no more: who settled it, when, and its undo.
struct DeskSettled {
    let record: MisrouteRecord
    let call: PageCall

    /// Nil while the message waits.
    func model() async throws -> PageModel? {
        guard let resolution = record.resolution else { return nil }
        let words = call.words
        let (who, age) = (words.isolated(record.resolvedBy ?? ""), record.resolvedAt.map { call.formats.age($0) } ?? "")
        var model: PageModel = ["text": words("desk.settled.filed", who, age)]
        if case .rejected(let note) = resolution {
            model["text"] = words("desk.settled.aside", who, age)
            model["note"] = note.isEmpty ? nil : words.isolated(note)
        }
        if let id = try await call.administration.lastAct(about: record.id) {
            let act = try await call.administration.act(id)
            model["act"] = "\(id)"
            model["label"] = act.standing > 1 ? words("undo.many", "\(act.standing)") : words("undo")
        }
        return model
    }
}
