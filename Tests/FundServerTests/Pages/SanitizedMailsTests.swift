import FundCore
internal import Synchronization
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

/// Counts its runs; breaks at the mails that say so.
final class CountingSanitizer: MailSanitizer {
    struct Busy: Error {}
    private let counter = Mutex(0)
    var runs: Int { counter.withLock { $0 } }

    func sanitize(_ mail: HTMLMail) async throws -> SanitizedMail? {
        counter.withLock { $0 += 1 }
        await Task.yield()
        if mail.html == "busy" { throw Busy() }
        if mail.html == "broken" { return nil }
        let text = mail.html + (mail.showsRemotePictures ? "shown" : "")
        return SanitizedMail(pieces: [.markup(text)], blockedPictures: mail.showsRemotePictures ? 0 : 1)
    }
}

/// Results that are kept of sanitized mails, and whose mails are sanitized at the same time.
struct SanitizedMailsTests {
    @Test
    func keepsResultsForMinutes() async throws {
        let (sanitizer, now) = (CountingSanitizer(), ContinuousClock.now)
        let mails = SanitizedMails(sanitizer: sanitizer)
        let (one, broken, busy) = (HTMLMail(html: "one"), HTMLMail(html: "broken"), HTMLMail(html: "busy"))
        // Several at once are one run, and nothing of it depends on another mail, on other HTML or on other pictures.
        try await withThrowingTaskGroup { group in
            for _ in 0..<10 { group.addTask { try await mails.sanitized(one, of: .email(1), for: 1, at: now)?.pieces } }
            for try await pieces in group { #expect(pieces == [.markup("one")]) }
        }
        #expect(sanitizer.runs == 1)
        _ = try await mails.sanitized(one, of: .email(2), for: 1, at: now)
        let two = try await mails.sanitized(HTMLMail(html: "two"), of: .email(1), for: 1, at: now)
        #expect(two?.pieces == [.markup("two")])
        let named = HTMLMail.Picture(contentID: nil, name: "a", bytes: 1)
        _ = try await mails.sanitized(HTMLMail(html: "one", pictures: [named]), of: .email(1), for: 1, at: now)
        let shown = try await mails.sanitized(
            HTMLMail(html: "one", showsRemotePictures: true), of: .email(1), for: 1, at: now)
        #expect(shown?.pieces == [.markup("oneshown")])
        #expect(sanitizer.runs == 5)
        // A mail that broke it is known, too, but not for good; a failure of another kind is none of the mail's.
        for _ in 0..<3 { #expect(try await mails.sanitized(broken, of: .email(3), for: 1, at: now) == nil) }
        #expect(sanitizer.runs == 6)
        for _ in 0..<2 {
            await #expect(throws: CountingSanitizer.Busy.self) {
                try await mails.sanitized(busy, of: .email(4), for: 1, at: now)
            }
        }
        #expect(sanitizer.runs == 8)
        _ = try await mails.sanitized(broken, of: .email(3), for: 1, at: now + SanitizedMails.lifetime - .seconds(1))
        #expect(sanitizer.runs == 8)
        _ = try await mails.sanitized(broken, of: .email(3), for: 1, at: now + SanitizedMails.lifetime)
        #expect(sanitizer.runs == 9)
    }

    /// Works until it is told to end, and says what it works at.
    private final class SlowSanitizer: MailSanitizer {
        private let working = Mutex<[String: CheckedContinuation<Void, Never>]>([:])
        var mails: Set<String> { working.withLock { Set($0.keys) } }

        func sanitize(_ mail: HTMLMail) async throws -> SanitizedMail? {
            await withCheckedContinuation { continuation in working.withLock { $0[mail.html] = continuation } }
            return nil
        }

        func end(_ html: String) { working.withLock { $0.removeValue(forKey: html) }?.resume() }
    }

    /// The sanitizer has few places: the mails of one user never take more than one of them.
    @Test(.timeLimit(.minutes(1)))
    func sanitizesOneMailOfAUserAtATime() async throws {
        let sanitizer = SlowSanitizer()
        let mails = SanitizedMails(sanitizer: sanitizer)
        func ask(_ html: String, for user: User.ID) -> Task<SanitizedMail?, any Error> {
            Task { try await mails.sanitized(HTMLMail(html: html), of: .email(1), for: user) }
        }
        let first = ask("ann 0", for: 1)
        while !sanitizer.mails.contains("ann 0") { await Task.yield() }
        let waiting = (1...SanitizedMails.maxWaiting).map { ask("ann \($0)", for: 1) }
        while await mails.waitingCount(of: 1) < waiting.count { await Task.yield() }
        // One too many is refused, unless it asks for what is under way; another user does not wait.
        let refusal = await #expect(throws: RequestError.self) { try await ask("ann", for: 1).value }
        #expect(refusal?.code == "busy")
        let same = ask("ann 0", for: 1)
        let other = ask("bea", for: 2)
        while !sanitizer.mails.contains("bea") { await Task.yield() }
        #expect(sanitizer.mails == ["ann 0", "bea"])
        sanitizer.end("bea")
        sanitizer.end("ann 0")
        _ = try await (first.value, same.value, other.value)
        for _ in waiting {
            while sanitizer.mails.isEmpty { await Task.yield() }
            #expect(sanitizer.mails.count == 1)
            for html in sanitizer.mails { sanitizer.end(html) }
        }
        for task in waiting { _ = try await task.value }
        #expect(await mails.waitingCount(of: 1) == 0)
    }

    /// Few megabytes in all: the oldest goes first.
    @Test
    func keepsFewResults() async throws {
        let (sanitizer, now) = (CountingSanitizer(), ContinuousClock.now)
        let mails = SanitizedMails(sanitizer: sanitizer)
        let large = HTMLMail(html: String(repeating: "x", count: 6 << 20))
        for email in Int64(1)...3 {
            _ = try await mails.sanitized(large, of: .email(EmailSummary.ID(email)), for: 1, at: now)
        }
        #expect(sanitizer.runs == 3)
        _ = try await mails.sanitized(large, of: .email(2), for: 1, at: now)
        _ = try await mails.sanitized(large, of: .email(3), for: 1, at: now)
        #expect(sanitizer.runs == 3)
        _ = try await mails.sanitized(large, of: .email(1), for: 1, at: now)
        #expect(sanitizer.runs == 4)
        let small = HTMLMail(html: "broken")
        for email in Int64(10)..<300 {
            _ = try await mails.sanitized(small, of: .email(EmailSummary.ID(email)), for: 1, at: now)
        }
        _ = try await mails.sanitized(large, of: .email(1), for: 1, at: now)
        #expect(sanitizer.runs == 4 + 290 + 1)
    }
}
