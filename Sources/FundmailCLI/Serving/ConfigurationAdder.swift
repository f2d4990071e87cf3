import FundCore
import FundServer
import Synchronization
import Terminal

/// A part of the configuration as an administrator describes it in a browser, checked as the configuration would be.
protocol ConfigurationDraft: Sendable {
    associatedtype Proposal: Sendable
    associatedtype Field: Sendable & Hashable

    /// The subject of findings about it.
    static var subject: Finding.Subject { get }

    /// Throws the field that cannot be used beside what the configuration has.
    init(_ proposal: Proposal, in configuration: Configuration) throws(FieldProblem<Field>)

    /// Its name for people.
    var shownName: String { get }
    /// The name of the mailbox that it is; nil for others.
    var mailbox: String? { get }
    /// The lines that add it to a configuration by hand, without a password.
    var lines: String { get }

    /// Connects to its server, with the password as it was typed: it is in no file yet.
    func findings(in workspace: Workspace, _ configuration: Configuration) async throws -> DoctorFindings
    /// Whether a configuration has it.
    func isIn(_ configuration: Configuration) -> Bool
    /// Writes it with its secrets. Throws `CommandError`, or `NotEditable`; then nothing of it is left.
    func write(_ change: ConfigurationChange) throws
}

/// A field that cannot be used.
struct FieldProblem<Field: Sendable & Hashable>: Error { var field: Field }

/// Tests what an administrator describes, and writes it into the configuration, with its secrets in files beside it.
/// One at a time: each test connects to the server that it is told.
final class ConfigurationAdder<Draft: ConfigurationDraft>: Sendable {
    private let workspace: Workspace
    private let live: LiveConfiguration
    private let isBusy = Atomic<Bool>(false)
    /// Reads the configuration again.
    private let reload: @Sendable () -> Void

    init(workspace: Workspace, live: LiveConfiguration, reload: @escaping @Sendable () -> Void) {
        (self.workspace, self.live, self.reload) = (workspace, live, reload)
    }

    /// - Parameters:
    ///   - isKeptAnyway: writes it although the test fails.
    ///   - isAllowed: asked before it is written: the test takes seconds.
    func add(
        _ proposal: Draft.Proposal, isKeptAnyway: Bool, isAllowed: @Sendable () async -> Bool
    ) async -> SetupAnswer<Draft.Field> {
        guard !isBusy.exchange(true, ordering: .acquiringAndReleasing) else { return .busy }
        defer { isBusy.store(false, ordering: .releasing) }
        let draft: Draft
        do throws(FieldProblem<Draft.Field>) { draft = try Draft(proposal, in: live.value) } catch {
            return .wrong(error.field)
        }
        let tested: DoctorFindings
        do { tested = try await draft.findings(in: workspace, live.value) } catch {
            return .failed([Finding(.failure, subject: Draft.subject, CommandError(error).message)])
        }
        var findings = tested.all
        guard tested.status == nil || isKeptAnyway else { return .failed(findings) }
        guard await isAllowed() else { return .forbidden }
        do {
            try await ConfigurationChange.queue.run { try draft.write(try ConfigurationChange(self.workspace)) }
        } catch {
            return .byHand(why: ConfigurationChange.reason(error), lines: draft.lines, findings)
        }
        reload()
        if await !isInUse(draft) {
            let text = "it is written, but the configuration as a whole is not used: the log says why"
            findings.append(Finding(.warning, subject: Draft.subject, mailbox: draft.mailbox, text))
        }
        return .added(draft.shownName, findings)
    }

    /// Whether the program has taken it over, after some seconds at most.
    private func isInUse(_ draft: Draft) async -> Bool {
        for _ in 0..<50 {
            if draft.isIn(live.value) { return true }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return false
    }
}
