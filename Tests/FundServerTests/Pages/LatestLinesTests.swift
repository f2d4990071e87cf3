import FundCore
import TestSupport
import Testing

@testable import FundServer

/// Headings of days, the line of the last visit, and files that are one row.
struct LatestLinesTests {
    /// 2026-11-27 12:00.
    private static let now = Timestamp(1_795_780_800)
    private static let day: Int64 = 86_400

    private static func email(_ id: Int64, _ at: Timestamp, isNew: Bool = false) -> Arrival {
        let email = EmailSummary(
            id: EmailSummary.ID(id), fund: 1, subject: "s", from: nil, sentAt: nil, receivedAt: at, attachmentCount: 0)
        let arrival = EmailArrival(email: email, excerpt: nil, files: [], hasMoreFiles: false)
        return Arrival(.email(arrival), fundName: "Fund1", isNew: isNew)
    }

    private static func upload(_ id: Int64, _ at: Timestamp, folder: FolderEntry.ID? = nil) -> Arrival {
        let file = FileEntry(
            id: FileEntry.ID(id), place: LibraryPlace(fund: 1, folder: folder), name: "\(id).txt",
            digest: .of([UInt8]()),
            size: 1, contentType: "text/plain", createdAt: at, modifiedAt: at)
        return Arrival(.upload(file), fundName: "Fund1", isNew: false)
    }

    /// Keys of rows, with what stands above each.
    private func lines(
        _ arrivals: [Arrival], seenAt: Timestamp? = nil, above: Timestamp? = nil, _ language: Language = .en
    ) -> [String] {
        let words = Words(language: language)
        var lines = LatestLines(
            seenAt: seenAt, above: above, in: .latest(fields: []), words, Formats(words: words, now: Self.now))
        return lines.rows(arrivals, FileBadges(previews: [:], words: words)).map { row in
            var text = row.text("key") ?? ""
            if case .model(let day)? = row.value("day") {
                var name = day.text("dayName") ?? ""
                if let date = day.text("dayDate") { name += " (\(date))" }
                text = "\(name): \(text)"
            }
            if case .model? = row.value("since") { text = "| \(text)" }
            return text
        }
    }

    @Test
    func namesDays() {
        let arrivals = [
            Self.email(4, Self.now), Self.email(3, Self.now - .seconds(12 * 3600)),
            Self.email(2, Self.now - .seconds(12 * 3600 + 1)), Self.email(1, Self.now - .seconds(2 * Self.day)),
        ]
        #expect(
            lines(arrivals) == [
                "Today (Friday 27 Nov): email-4", "email-3", "Yesterday (Thursday 26 Nov): email-2",
                "Wednesday 25 Nov: email-1",
            ])
        #expect(lines(Array(arrivals.suffix(1)), .zh) == ["11月25日 星期三: email-1"])
        // A further section goes on within a day.
        #expect(lines(Array(arrivals[1...1]), above: Self.now) == ["email-3"])
    }

    @Test
    func aLineStandsAtTheLastVisit() {
        let seen = Self.now - .seconds(100)
        let arrivals = [Self.email(3, Self.now), Self.email(2, seen + .seconds(1)), Self.email(1, seen)]
        let heading = "Today (Friday 27 Nov): "
        #expect(lines(arrivals, seenAt: seen) == [heading + "email-3", "email-2", "| email-1"])
        // Not above the first row, not below the last, and not twice where a section begins.
        #expect(lines(Array(arrivals.suffix(1)), seenAt: seen) == [heading + "email-1"])
        #expect(lines(Array(arrivals.prefix(2)), seenAt: seen) == [heading + "email-3", "email-2"])
        #expect(lines(Array(arrivals.suffix(1)), seenAt: seen, above: seen + .seconds(1)) == ["| email-1"])
        #expect(lines(Array(arrivals.suffix(1)), seenAt: seen, above: seen) == ["email-1"])
        #expect(!lines(arrivals).contains { $0.hasPrefix("|") })
    }

    @Test
    func filesOfOnePlaceAreOneRow() {
        let words = Words(language: .en)
        func rows(_ arrivals: [Arrival]) -> [PageModel] {
            var lines = LatestLines(
                seenAt: nil, above: nil, in: .latest(fields: []), words, Formats(words: words, now: Self.now))
            return lines.rows(arrivals, FileBadges(previews: [:], words: words))
        }
        let together = rows((0..<20).map { Self.upload(20 - $0, Self.now - .seconds($0)) })
        #expect(
            together.count == 1 && together[0].text("name") == "20 files" && together[0].text("more") == "8 more files")
        #expect(together[0].text("address") == "/library/funds/1")
        let one = rows([Self.upload(1, Self.now)])
        #expect(one[0].text("name") == "1.txt" && one[0].text("address") == "/library/latest?open=f1")
        // Neither another folder, nor hours later, nor around a mail.
        #expect(rows([Self.upload(2, Self.now), Self.upload(1, Self.now, folder: 7)]).count == 2)
        #expect(rows([Self.upload(2, Self.now), Self.upload(1, Self.now - .seconds(3601))]).count == 2)
        #expect(rows([Self.upload(2, Self.now), Self.email(1, Self.now), Self.upload(1, Self.now)]).count == 3)
    }
}
