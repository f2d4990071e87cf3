import Testing

@testable import MailFetch

@Suite struct MboxEnvelopeTests {
    @Test(arguments: [
        "From ann@example.com Mon Nov 10 09:12:33 2025", "From ann@example.com  Mon Nov  1 09:12:33 2025\r",
        "From - Mon Nov 10 09:12:33 2025", "From MAILER-DAEMON Mon Nov 10 09:12:33 2025",
        "From  Mon Nov 10 09:12:33 2025",
        "From 1467089876543210@xxx Mon Nov 10 09:12:33 +0000 2025", "From a@b Mon Nov 10 09:12 2025",
        "From a@b Mon Nov 10 09:12:33 CET 2025", "From a@b Mon, 10 Nov 2025 09:12:33 +0100 (CET)",
        "From a@b Mon Nov 10 09:12:33 2025 remote from host", "From \"a b\"@c Mon Nov 10 09:12:33 2025",
        "From a@b 2025-11-10 09:12:33", "From a@b 2025-11-10T09:12:33+01:00", "From a@b Mo Nov 10 09:12:33 2025",
        "From a@b lun. nov. 10 09:12:33 2025", "From ???@??? Mon Nov 10 09:12:33 2025",
    ])
    func anEnvelopeHasADate(_ line: String) { #expect(MboxEnvelope(Array(line.utf8)).hasDate, "\(line)") }

    @Test(arguments: [
        "From 09:30 to 12:00 I am in the office; the figures are: 1, 2, 3.", "From here on", "From a@b",
        "From 10:00 on Monday", "From ann@example.com we heard at 10:30 in 2025",
        "From Mon to Wed I am away, call at 10:30 from 2025 on", "From 2024 to 2025 at 10:30", "From ",
        "From Ann Mon Nov 10 2025", "From Ann Mon Nov 10 09:12:33",
        "From 9:30 on, Mon Nov 10 2025: the 10:30 train", "From Ann at 10 09:30 and 10:30 2025",
    ])
    func textIsNone(_ line: String) { #expect(!MboxEnvelope(Array(line.utf8)).hasDate, "\(line)") }

    @Test func otherFormsAreThoseOfTheFirstLine() {
        func isLike(_ line: String, _ other: String) -> Bool {
            MboxEnvelope(Array(line.utf8)).isLike(MboxEnvelope(Array(other.utf8)))
        }
        #expect(isLike("From b", "From a"))
        #expect(!isLike("From here on", "From a"))
        #expect(isLike("From b 10/11 10:00", "From a 10/12 11:00"))
        #expect(!isLike("From b to c", "From a 10/12 11:00"))
    }
}
