import FundStore
import Ingest

/// A store that does not remember mailboxes yet: what stays on a server is fetched again and recognised.
struct ForgetfulStore: MailStore {
    let store: FundStore

    static func over(_ store: FundStore) -> any MailStore { (store as Any) as? any MailStore ?? Self(store: store) }

    var spool: SpoolDirectory { store.spool }
    func directory() throws -> Directory { try store.directory() }
    func stage(
        _ message: RoutedMessage,
        readAttachment: (_ index: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> StagedMessage { try store.stage(message, readAttachment: readAttachment) }
    func commit(_ batch: [StagedMessage]) async throws -> [StoredMessage] { try await store.commit(batch) }
    func deliveredPlaces(in mailbox: String, beginningWith prefix: String) throws -> [DeliveredPlace] { [] }
    func noteDeparted(_ places: [String], in mailbox: String) throws {}
    func openMailbox(_ name: String, at address: String) async throws -> Bool { false }
    func note(_ run: MailboxRun, of mailbox: String) async throws {}
    func mailboxStates() async throws -> [MailboxState] { [] }
}
