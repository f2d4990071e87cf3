import ArgumentParser
import FundCore
import FundStore
import Ingest
import Terminal

/// Messages whose cause an act puts right, and how it is told.
struct RemedyOptions: ParsableArguments {
    @OptionGroup var selection: MisrouteSelection
    @Flag(help: "With one number: all messages that wait for the same cause.") var alike = false
    @OptionGroup var format: ActFormat

    func validate() throws {
        try selection.validate(isOptional: false)
        guard !alike || selection.ids.count == 1 else { throw ValidationError("--alike takes one number.") }
    }

    /// Puts the cause of the messages right, and files by the rules what waited for it.
    func run(
        _ globals: GlobalOptions, _ remedy: (FundStore) async throws -> DeskService.Remedy
    ) async throws {
        try await DeskSession.run(globals) { session in
            let ids = try await messages(in: session.store)
            let output = ActOutput(json: format.json, count: ids.count)
            let report = try await session.desk.remedy(
                ids, by: try await remedy(session.store), actor: Workspace.deskActor, onDisposition: output.take)
            for (_, remembered) in report.rules { try output.say(remembered.sentence) }
            if ids.count != 1 { try output.sayCounts(of: ids.count) }
            try output.finish(report, session.workspace)
            return output
        }
    }

    private func messages(in store: FundStore) async throws -> [MisrouteRecord.ID] {
        guard alike else { return try await selection.records(in: store).map(\.id) }
        var filter = MisrouteFilter()
        filter.like = selection.ids.first
        return try await store.administration.misroutes(filter).map(\.id)
    }
}
