import MailConnection
import Testing

@testable import MailFetch

/// Commands to a server about filed messages, and their order.
@Suite struct AcknowledgingTests {
    private let channel = ReplayChannel([])
    private let session: IMAPSession

    init() { session = IMAPSession(channel: channel, deadlines: FetchDeadlines(), transcript: nil) }

    /// The commands that were sent so far.
    private var sent: [String] {
        _ = try? session.next()  // sends; there is no answer
        return String(decoding: channel.sent, as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    private static func mark(_ tag: Int, _ uids: String) -> String {
        "F\(tag) UID STORE \(uids) +FLAGS.SILENT (\\Deleted)"
    }

    private static func uids(_ numbers: ClosedRange<UInt32>) -> [UID] { numbers.compactMap { UID($0) } }

    private func answer(_ tag: Int, _ acknowledging: inout IMAPAcknowledging, _ kind: IMAPStatus.Kind = .ok) {
        let isKnown = acknowledging.complete(IMAPTag(text: "F\(tag)"), IMAPStatus(kind: kind), on: session)
        #expect(isKnown)
    }

    /// The answer to the first comes behind all messages that were asked for by then.
    @Test func severalBatchesAreSaidBeforeTheFirstAnswer() {
        var acknowledging = IMAPAcknowledging()
        for uid in Self.uids(1...6) {
            acknowledging.add([uid], .delete)
            acknowledging.submit(to: session)
        }
        #expect(sent == (1...4).map { Self.mark($0, "\($0)") })
        answer(1, &acknowledging)
        acknowledging.submit(to: session)
        #expect(sent.dropFirst(4) == [Self.mark(5, "5:6")])
        #expect(!acknowledging.isDone)
        for tag in 2...5 { answer(tag, &acknowledging) }
        #expect(acknowledging.isDone && acknowledging.marked == [1, 2, 3, 4, 5, 6])
    }

    /// Its folder may be missing: then one is made first, and the move said once more.
    @Test func aMoveIsSaidAfterAllAnswers() {
        var acknowledging = IMAPAcknowledging()
        acknowledging.add([1], .delete)
        acknowledging.submit(to: session)
        acknowledging.add([2], .move(folder: "Done"))
        acknowledging.submit(to: session)
        #expect(sent == [Self.mark(1, "1")])
        answer(1, &acknowledging)
        acknowledging.submit(to: session)
        #expect(sent.dropFirst() == ["F2 UID COPY 2 \"Done\""])
        acknowledging.add([3], .delete)
        acknowledging.submit(to: session)
        #expect(sent.count == 2)
        answer(2, &acknowledging)
        #expect(sent.dropFirst(2) == [Self.mark(3, "2")])
        acknowledging.submit(to: session)
        #expect(sent.dropFirst(3) == [Self.mark(4, "3")])
    }

    @Test func whatHasNoAnswerWhenTheLineIsLostIsSaidAgainInOne() {
        var acknowledging = IMAPAcknowledging()
        for uid in Self.uids(1...4) {
            acknowledging.add([uid], .delete)
            acknowledging.submit(to: session)
        }
        answer(1, &acknowledging)
        acknowledging.connectionLost()
        acknowledging.submit(to: session)
        #expect(sent.dropFirst(4) == [Self.mark(5, "2:4")])
    }

    @Test func aRefusalOfOneIsToldAndTheOthersGoOn() {
        var acknowledging = IMAPAcknowledging()
        for uid in Self.uids(1...3) {
            acknowledging.add([uid], .delete)
            acknowledging.submit(to: session)
        }
        answer(1, &acknowledging)
        answer(2, &acknowledging, .no)
        answer(3, &acknowledging)
        #expect(acknowledging.isDone && acknowledging.marked == [1, 3])
        #expect(acknowledging.takeRefusal()?.isRefusal == true)
    }
}
