import FundCore

extension SampleOffice {
    static let sideLetter = "Side letter.docx"

    /// The mail of a week: some is filed, some waits for an administrator.
    func mails() -> [SampleMail] { harbourMails + otherMails + keptMails }

    private var dates: SampleDates { SampleDates(now) }

    private func mail(
        _ subject: String, _ text: String, _ files: [SampleMail.File], hoursAgo: Int, by sender: Person = Self.ann
    ) -> SampleMail {
        SampleMail(
            sender: sender, subject: subject, text: text + "\n", files: files,
            sentAt: now - .seconds(hoursAgo * 3600 + hoursAgo % 7 * 412))
    }

    private var harbourMails: [SampleMail] {
        [
            mail(
                "[\(Self.harbour)] Capital call 7",
                "Dear Ann,\n\nplease find the notice attached; payment is due on \(dates.day(10)).\n\n"
                    + "Kind regards\nJörg Maier",
                [.pdf("Capital call 7.pdf", capitalCall)], hoursAgo: 146),
            mail(
                "[\(Self.harbour)] \(dates.lastQuarter) report and valuations", "Report and figures, as announced.",
                [
                    .pdf("\(dates.lastQuarter) report.pdf", quarterlyReport),
                    SampleSheet.workbook(
                        "Valuations \(dates.lastQuarter).xlsx",
                        [["Company", "Cost", "Value", "Multiple"]] + Self.values),
                ], hoursAgo: 122),
            mail(
                "[\(Self.harbour)] Side letter, signed", "Signed by both sides. The original is on its way.",
                [
                    SampleSheet.letter(
                        Self.sideLetter,
                        [
                            "Side letter", "Between Harbour Growth Fund II and Meridian Partners.",
                            "1. The investor may have an observer in the advisory board.",
                            "2. Reports come within thirty days after the end of a quarter.", dates.day(-4),
                        ])
                ], hoursAgo: 75),
            mail(
                "[\(Self.harbour)] Site visit Pier 9", "The roof, and what was agreed on it.",
                [
                    SampleMail.File(
                        name: "Pier 9 roof.png", contentType: "image/png", content: SamplePicture.bytes),
                    .text(
                        "Minutes.txt",
                        "Site visit Pier 9, \(dates.day(-2))\n\nAttended: Ann Archer, Jörg Maier, 王芳\n\n"
                            + "- The panels on the roof run since Monday: 210 kW at noon.\n"
                            + "- The lease of the east hall ends in spring; two bidders.\n"
                            + "- Next visit: \(dates.day(40)).\n"),
                ], hoursAgo: 29),
            mail(
                "[\(Self.harbour)] Distribution notice", "For your files.",
                [.pdf("Distribution notice.pdf", distribution)], hoursAgo: 2),
        ]
    }

    private var otherMails: [SampleMail] {
        [
            mail(
                "[\(Self.oasis)] Traffic of the toll road", "By week; the dip is the closed bridge.",
                [
                    .text(
                        "Traffic.csv",
                        "Week,Cars,Lorries,Revenue\n"
                            + (1...12).map { "\($0),\(41_200 + $0 * 310),\(8_900 + $0 * 45),\(212_400 + $0 * 1_860)\n" }
                            .joined())
                ], hoursAgo: 98),
            mail(
                "[\(Self.oasis)] Insurance certificate", "Renewed for a year.",
                [.pdf("Insurance certificate.pdf", insurance)], hoursAgo: 51),
            mail(
                "[\(Self.oasis)] Data room index", "As of this morning.", [.pdf("Data room index.pdf", dataRoom)],
                hoursAgo: 4),
            mail(
                "[\(Self.partners)] Minutes of the investment committee", "Approved as circulated.",
                [.pdf("Investment committee.pdf", committee)], hoursAgo: 119),
            mail(
                "[\(Self.greenland)] 季度估值", "您好，附件为上季度估值表，请查收。",
                [.text("估值表.csv", "公司,成本,估值\n华东物流,32.0,41.5\n海湾水务,18.4,19.2\n青山林业,11.0,10.6\n")],
                hoursAgo: 53),
            mail(
                "[\(Self.lumen)] Term sheet, fourth draft", "With the changes of Tuesday.",
                [.pdf("Term sheet v4.pdf", termSheet)], hoursAgo: 26, by: Self.ben),
        ]
    }

    /// Mail that no rule can file: a misspelt fund, no fund, and senders who are not known.
    private var keptMails: [SampleMail] {
        [
            mail(
                "[Harbor Growth II] Covenant certificate", "Certificate of \(dates.lastQuarter).",
                [.pdf("Covenant certificate.pdf", covenant)], hoursAgo: 3),
            mail(
                "Minutes of the advisory board", "Minutes attached.", [.pdf("Advisory board.pdf", board)], hoursAgo: 5),
            mail(
                "Model of the grid", "Base case and two others.",
                [SampleSheet.workbook("Model.xlsx", [["Year", "Base", "High", "Low"]] + Self.model)],
                hoursAgo: 7, by: Self.ben),
            mail(
                "[\(Self.harbour)] NAV statement",
                "The statement of \(dates.lastMonth).", [.pdf("NAV statement.pdf", statement)], hoursAgo: 1,
                by: ("Fund administration", "reports@administrator.example")),
            mail(
                "[\(Self.oasis)] Photos of the bridge",
                "From my phone; the camera's come later.", [], hoursAgo: 21, by: ("Ann Archer", "ann@archer.example")),
        ]
    }
}
