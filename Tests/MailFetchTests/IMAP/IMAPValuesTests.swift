import TestSupport
import FundCore
import Testing

@testable import MailConnection
@testable import MailFetch

@Suite struct IMAPValuesTests {
    /// RFC 3501 §5.1.3, with its examples.
    @Test(arguments: [
        ("inbox", "\"INBOX\""),
        ("Processed", "\"Processed\""),
        ("a \"b\" \\c", "\"a \\\"b\\\" \\\\c\""),
        ("Tom & Jerry", "\"Tom &- Jerry\""),
        ("~peter/mail/台北/日本語", "\"~peter/mail/&U,BTFw-/&ZeVnLIqe-\""),
        ("Entwürfe", "\"Entw&APw-rfe\""),
        ("\u{1F4C1}", "\"&2D3cwQ-\""),
        ("a\tb", "\"a&AAk-b\""),
    ])
    func folderNamesAreWrittenInModifiedUTF7(_ name: String, _ expected: String) {
        #expect(IMAPMailboxName.quoted(name) == expected)
    }

    @Test(
        arguments: [
            ([], []), ([7], ["7"]), ([1, 2, 3], ["1:3"]), ([1, 3, 4, 9], ["1,3:4,9"]),
            ([4_294_967_294, 4_294_967_295], ["4294967294:4294967295"]),
        ] as [([UID], [String])])
    func setsNameExactlyTheirMembers(_ uids: [UID], _ expected: [String]) {
        #expect(UIDSet.texts(uids).map(\.text) == expected)
        #expect(UIDSet.texts(uids).flatMap(\.uids) == uids)
    }

    @Test func setsStayShortEnoughForACommand() {
        let uids = (0..<5000).map { UID(integerLiteral: UInt32(4_000_000_000 + 2 * $0)) }
        let sets = UIDSet.texts(uids)
        #expect(sets.allSatisfy { $0.text.utf8.count <= UIDSet.maxTextBytes })
        #expect(sets.flatMap(\.uids) == uids)
    }

    @Test(
        arguments: [
            ("1/2", 1, 2), ("4294967295/4294967295", 4_294_967_295, 4_294_967_295),
        ] as [(String, UInt32, UID)])
    func placesAreReadAndWritten(_ text: String, _ epoch: UInt32, _ uid: UID) throws {
        let place = try #require(IMAPPlace(text))
        #expect(try place == IMAPPlace(epoch: #require(UIDValidity(epoch)), uid: uid))
        #expect(place.text == text)
    }

    @Test(arguments: ["", "/", "1", "1/", "/1", "1/0", "0/1", "1/4294967296", "x/1", "1/2/3", "1/-2", "+1/2", "1/+2"])
    func whatIsNoPlaceIsNone(_ text: String) { #expect(IMAPPlace(text) == nil) }

    @Test func windowsNameNeighboursAsRangesAndNobodyElse() throws {
        var queue = IMAPQueue()
        let uids: [UID] = [2, 4, 5, 9, 10, 20]
        // Position 4, which had UID 7, is known and not asked for.
        let positions = [0, 1, 2, 5, 6, 7]
        queue.fill(zip(uids, positions).map { IMAPQueue.Entry(uid: $0, size: 100, position: $1) })
        let next = queue.nextWindow(bytes: 10_000)
        let window = try #require(next)
        #expect(window.set == "2:5,9:20")
        #expect(window.entries.map(\.uid) == uids)
        #expect(window.bytes == 600)
        #expect(queue.isEmpty)
    }

    private func set(_ queue: inout IMAPQueue, _ bytes: UInt64) -> String? { queue.nextWindow(bytes: bytes)?.set }

    @Test func windowsAreBoundedByBytesAndDoubtfulMessagesComeAlone() throws {
        var queue = IMAPQueue()
        queue.fill((1...5).map { IMAPQueue.Entry(uid: UID(integerLiteral: $0), size: 100, position: Int($0)) })
        #expect(set(&queue, 150) == "1:2")
        queue.putBack([
            IMAPQueue.Entry(uid: 1, size: 100, position: 1, attempts: 1),
            IMAPQueue.Entry(uid: 2, size: 100, position: 2),
        ])
        #expect(set(&queue, 1000) == "1")
        #expect(set(&queue, 1000) == "2:5")
    }

    @Test(
        arguments: [
            ("* NO [THROTTLED] slow down", ConnectionError.Code.throttled, nil),
            ("F3 NO [UNAVAILABLE] User's backend", .throttled, nil),
            ("F3 NO [INUSE] Mailbox in use", .inUse, nil),
            ("-ERR [IN-USE] Do you have another POP session running?", .inUse, nil),
            ("-ERR [LOGIN-DELAY] wait", .throttled, nil),
            ("-ERR [SYS/TEMP] later", .throttled, nil), ("F3 NO [OVERQUOTA] full", .overQuota, nil),
            ("F3 NO [ALERT] You exceeded your mail quota.", .overQuota, nil),
            ("F3 NO [LIMIT] too many folders", .limitReached, nil),
            ("A3 NO [LIMIT] LOGIN Rate limit hit.", .throttled, nil),
            ("A3 NO [ALERT] Too many simultaneous connections. (Failure)", .throttled, nil),
            ("* BYE Maximum number of connections from user+IP exceeded", .throttled, nil),
            ("F3 NO Server Busy", .throttled, nil), ("-ERR system is busy", .throttled, nil),
            ("-ERR Temporary authentication failure", .throttled, nil),
            ("-ERR maildrop already locked", .inUse, nil),
            ("F3 NO SELECT Unsafe Login. Please contact us", .clientRefused, nil),
            ("F1 BAD User is authenticated but not connected.", .accountUnavailable, nil),
            (
                "BAD Request is throttled. Suggested Backoff Time: 299499 milliseconds", .throttled,
                .milliseconds(299_499)
            ),
        ] as [(String, ConnectionError.Code, Duration?)])
    func hintsToComeBackLaterAreHeard(_ line: String, _ code: ConnectionError.Code, _ retryAfter: Duration?) throws {
        let hint = try #require(ServerHint(line: line))
        #expect(hint.code == code)
        #expect(hint.retryAfter == retryAfter)
    }

    /// A server that names both causes in one sentence does not say which it is; advice beside a wrong password is
    /// none.
    @Test(
        arguments: [
            (
                "A3 NO Login fail. Account is abnormal, service is not open, password is incorrect, login frequency "
                    + "limited, or system is busy. More information at https://help.example.com", true
            ),
            ("A3 NO Login fail. Password error, system is busy", true),
            ("-ERR login fail, password wrong or login too frequently", true),
            ("A3 NO Login fail. The system is busy. See https://help.example.com", false),
            ("* BYE Server Busy. Too many connections, please try again later.", false),
            ("A3 NO [UNAVAILABLE] The password cannot be checked now", false),
        ])
    func whatMayBeThePasswordIsTold(_ line: String, _ mayBePassword: Bool) throws {
        let hint = try #require(ServerHint(line: line))
        #expect(hint.code == .throttled && hint.mayBePassword == mayBePassword)
    }

    @Test(arguments: [
        "NO [AUTHENTICATIONFAILED] bad password", "NO [AUTHENTICATIONFAILED] wrong, try again later",
        "-ERR [AUTH] no, try again later", "-ERR [AUTH] no", "OK", "",
        "NO Invalid login or password. Please try again later.", "NO Wrong password, try again later",
        "NO Login failed: wrong password. After too many login failures your account is locked",
        "-ERR Logon failure: unknown user name or bad password.",
    ])
    func aPlainRefusalIsNoHint(_ line: String) { #expect(ServerHint(line: line) == nil) }

    /// RFC 3501 §6.3.11 and the calendar.
    @Test(
        arguments: [
            ("17-Jul-1996 02:44:25 -0700", 837_596_665), (" 1-Jan-1970 00:00:00 +0000", 0),
            ("29-Feb-2000 23:59:59 +0000", 951_868_799), ("01-MAR-2100 00:00:00 +0545", 4_107_521_700),
            ("31-Dec-1969 23:59:59 +0000", -1), ("", nil), ("1-Foo-2000 00:00:00 +0000", nil),
            ("1-Jan-2000 25:00:00 +0000", nil), ("1-Jan-2000 00:00 +0000", nil),
        ] as [(String, Timestamp?)])
    func datesAreRead(_ text: String, _ time: Timestamp?) { #expect(IMAPDate.time(text) == time) }

    @Test func messagesComeInTheirOrderAlthoughTheirAnswersDoNot() throws {
        var arrivals = IMAPArrivals()
        func message(_ uid: UID) -> PendingMessage {
            PendingMessage(reference: SourceReference(place: "\(uid)")) { _ in throw CancellationError() }
        }
        func come(_ uid: UID) -> [String] {
            _ = arrivals.settle(uid)
            arrivals.add(message(uid), uid: uid)
            return given()
        }
        func given() -> [String] {
            var places: [String] = []
            while let next = arrivals.next() { places.append(next.reference.place) }
            return places
        }
        arrivals.expect([2, 4, 6, 8].map { IMAPQueue.Entry(uid: $0, size: 1, position: Int($0.value)) })
        #expect(come(2) == ["2"])
        #expect(come(6) == [])
        #expect(come(8) == [])
        #expect(come(4) == ["4", "6", "8"])
        // 10 never comes: the end of its command ends the wait for it.
        arrivals.expect([10, 12, 14].map { IMAPQueue.Entry(uid: $0, size: 1, position: Int($0.value)) })
        #expect(come(12) == [])
        #expect(arrivals.settle(10) != nil && given() == ["12"])
        // A dropped line: what is here goes on, the rest is asked for again.
        arrivals.expect([IMAPQueue.Entry(uid: 16, size: 1, position: 16)])
        #expect(arrivals.abandon().map(\.uid) == [14, 16])
        #expect(arrivals.settle(16) == nil && !arrivals.hasReady)
    }
}
