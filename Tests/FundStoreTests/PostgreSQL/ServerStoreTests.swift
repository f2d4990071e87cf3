import TestSupport
import Testing

@testable import FundStore

/// Tests of the store with its rows on PostgreSQL: some of each part. All that a store can be asked run there with
/// `FUNDMAIL_TEST_ENGINE=postgresql`.
@Suite(.startsPrograms, .enabled(if: PostgreSQLServer.isUsable), .rowsOnServer) struct ServerStoreTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable () async throws -> Void

        init(_ name: String, _ run: @escaping @Sendable () async throws -> Void) {
            (testDescription, self.run) = (name, run)
        }
    }

    static let cases = [
        Case("accounts") { try await AccountTests().accountsAreFoundByAnyAddress() },
        Case("passwords") { try await AccountTests().aNewPasswordRevokesTokens() },
        Case("tokens") { try await AccountTests().tokensAreListedUsedAndRevoked() },
        Case("nonces") { try await AccountTests().aNonceIsSpentOnce() },
        Case("users") { try await AdministrationTests().usersAndAddresses() },
        Case("names of funds") { try await AdministrationTests().fundNamesAreUniquePerOwner() },
        Case("kept mail") { try await AdministrationTests().keptMailIsFiledOnce() },
        Case("filing again") { try await DeskTests().undoesOnce() },
        Case("causes") { try await DeskTests().groupsByCause() },
        Case("library") { try await LibraryTests().mailIsSeenByItsOwner() },
        Case("folders") { try await MoveTests().aShallowCopyIsEmpty() },
        Case("marks") { try await MoveTests().propertiesAndFavourites() },
        Case("notes") { try await NoteTests().aChangeInBetweenIsNotOverwritten() },
        Case("names that are taken") { try await DeletionTests().whatIsTakenIsRestoredUnderANumber() },
        Case("mail that is deleted") { try await DeletionTests().mailIsDeletedWithoutItsFiles() },
        Case("feeds") { try await FeedTests().numbersHaveNoGaps() },
        Case("feeds of members") { try await FeedTests().allMembersAreTold() },
        Case("search") { try await SearchTests().everythingOfAMail() },
        Case("pages of a search") { try await SearchTests().pages() },
        Case("links") { try await ShareLinkTests().listsComeInPages() },
        Case("news") { try await NewsStoreTests().findsWords() },
    ]

    @Test(arguments: cases) func holds(test: Case) async throws { try await test.run() }
}
