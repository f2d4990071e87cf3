import FundCore
import TestSupport
import Testing

@testable import FundStore

/// How a process learns of commits. Two stores that are opened on one folder know as much of each other as two
/// processes do.
@Suite(.timeLimit(.minutes(10))) struct CommitWatchTests {
    @Test func hearsOfItsOwnCommits() async throws {
        let harness = try await LibraryHarness()
        let (library, ann) = (harness.store.library, harness.ann)
        let (commits, earlier) = (library.commits, try await library.latestChanges())
        let known = commits.count
        _ = try await library.addNote(NoteText(title: "t", content: "c"), in: harness.top.fund, of: ann)
        #expect(commits.count > known)
        let changed = try await library.latestChanges()
        #expect(changed.people(since: earlier) == [ann])
        #expect(try await library.latestChanges().people(since: changed).isEmpty)
    }

    @Test func hearsOfCommitsOfOthers() async throws {
        let harness = try await LibraryHarness()
        let library = harness.store.library
        let other = try FundStore.open(at: harness.store.path, mode: .existing)
        let commits = library.commits
        let earlier = try await library.latestChanges()
        let known = commits.count
        let changed = Task {
            var (people, known): (Set<User.ID>, Int) = ([], known)
            while people.isEmpty {
                known = try await commits.count(after: known)
                people = try await library.latestChanges().people(since: earlier)
            }
            return people
        }
        _ = try await other.library.addNote(
            NoteText(title: "t", content: "c"), in: harness.bobsFund.id, of: harness.bob.id)
        #expect(try await changed.value == [harness.bob.id])
        try other.close()
    }

    /// Without inotify the store is looked at every second.
    @Test func raisesWithoutEvents() async throws {
        let signal = Signal()
        let watch = CommitWatch(lockFile: "/nonexistent/write.lock", raising: signal)
        // A task that waits long for its turn finds that it was raised several times.
        let first = try await signal.count(after: 0)
        #expect(try await signal.count(after: first) > first)
        withExtendedLifetime(watch) {}
    }

    /// A user who is disabled by another process is refused at once, not when what is kept in memory is old.
    @Test func forgetsAccountsWithTheCommitsOfOthers() async throws {
        let harness = try await LibraryHarness()
        let other = try FundStore.open(at: harness.store.path, mode: .existing)
        let commits = harness.store.library.commits
        var known = commits.count
        let version = try await harness.store.accounts.accountVersion()
        try await other.administration.setDisabled(true, user: harness.bob.id, actor: "test")
        while try await harness.store.accounts.accountVersion() == version {
            known = try await commits.count(after: known)
        }
        try other.close()
    }
}
