internal import FundCore

/// The text of a digest of what is new in a person's funds.
struct NewsText {
    let say: LetterLanguage
    let frame: DigestFrame

    func subject(_ facts: NewsFacts) -> String {
        say("New in your funds: ", "您的基金有新内容：") + counts(facts.mailCount, facts.fileCount)
    }

    func text(_ facts: NewsFacts) -> String {
        let counts = counts(facts.mailCount, facts.fileCount)
        let funds =
            facts.fundCount == 1
            ? say("into one of your funds", "1 个基金")
            : say("into \(facts.fundCount) of your funds", "\(facts.fundCount) 个基金")
        var parts = [say("\(counts) came \(funds).", "\(funds)有新内容：\(counts)。")]
        parts += facts.funds.map(paragraph)
        let others = facts.fundCount - facts.funds.count
        if others > 0 {
            var line = say("And \(others) more of your funds.", "另有 \(others) 个基金。")
            if let link = frame.places.link("/library") { line += "\n\(link)" }
            parts.append(line)
        }
        return frame.finished(parts)
    }

    private func paragraph(_ fund: NewsFacts.Fund) -> String {
        var lines = ["[\(LetterLine.isolated(fund.name))]: \(counts(fund.mailCount, fund.fileCount))"]
        if let link = frame.places.link("/library/funds/\(fund.id)") { lines.append(link) }
        for mail in fund.mails {
            let subject = LetterLine.unlinked(mail.subject ?? "")
            let shown = subject.isEmpty ? say("Mail without a subject", "无主题邮件") : subject
            lines.append("- \(shown)\(mail.fileCount > 0 ? bracketed(files(mail.fileCount)) : "")")
            lines += frame.lines(below: "/library/emails/\(mail.id)")
        }
        lines += more(fund.mailCount - fund.mails.count, mails)
        for file in fund.files {
            lines.append("- \(LetterLine.unlinked(file.name))\(bracketed(ByteSize.text(file.size)))")
            lines += frame.lines(below: "/library/files/\(file.id)")
        }
        lines += more(fund.fileCount - fund.files.count, files)
        return lines.joined(separator: "\n")
    }

    private func more(_ count: Int, _ words: (Int) -> String) -> [String] {
        count > 0 ? [say("- and \(words(count)) more", "- 另有 \(words(count))")] : []
    }

    private func bracketed(_ text: String) -> String { say(" (\(text))", "（\(text)）") }

    private func counts(_ mailCount: Int, _ fileCount: Int) -> String {
        let parts = (mailCount > 0 ? [mails(mailCount)] : []) + (fileCount > 0 ? [files(fileCount)] : [])
        return parts.joined(separator: say(", ", "、"))
    }

    private func mails(_ count: Int) -> String { say(count == 1 ? "1 mail" : "\(count) mails", "\(count) 封邮件") }

    private func files(_ count: Int) -> String { say(count == 1 ? "1 file" : "\(count) files", "\(count) 个文件") }
}
