internal import FundCore

/// The text of a letter about mail: the outcome first, then short paragraphs, since phones show the beginning alone.
struct ReceiptText {
    let say: LetterLanguage
    let places: LetterPlaces

    // MARK: Letters

    func filed(_ facts: FiledMailFacts) -> String {
        let (mail, fund) = (quoted(facts.mail), Self.tag(facts.fund))
        return filed(facts, say("Your mail\(mail) is filed in \(fund).", "您的邮件\(mail)已存入 \(fund)。"))
    }

    func filedLater(_ facts: FiledMailFacts) -> String {
        let (mail, fund) = (quoted(facts.mail), Self.tag(facts.fund))
        return filed(
            facts, say("Your mail\(mail) waited, and is filed in \(fund) now.", "您的邮件\(mail)此前未能存入，现已存入 \(fund)。"))
    }

    func kept(_ facts: KeptMailFacts) -> String {
        let (mail, reason) = (quoted(facts.mail), say.reason(facts.reason))
        let waits = facts.reason.outcome == .misrouted
        var parts = [
            waits
                ? say("Your mail\(mail) is not filed yet: \(reason).", "您的邮件\(mail)尚未存入：\(reason)。")
                : say("Your mail\(mail) is not filed: \(reason).", "您的邮件\(mail)未存入：\(reason)。")
        ]
        parts += advice(facts)
        if waits {
            parts.append(say("It is kept, and an administrator sees it, too.", "邮件已妥善保存，管理员也能看到。"))
        }
        return finished(parts)
    }

    // MARK: Filed mail

    private func filed(_ facts: FiledMailFacts, _ outcome: String) -> String {
        var parts = [outcome, files(facts)]
        if let link = places.link("/library/emails/\(facts.email)") {
            parts.append("\(say("The mail:", "邮件："))\n\(link)")
        }
        let key = FundName.key(facts.fund)
        if !SubjectTags.read(facts.mail.subject ?? "").contains(where: { FundName.key($0) == key }) {
            let fund = Self.tag(facts.fund)
            parts.append(
                say("Next time, begin the subject with \(fund).", "下次请在主题开头写 \(fund)。"))
        }
        return finished(parts)
    }

    private func files(_ facts: FiledMailFacts) -> String {
        guard facts.fileCount > 0 else { return say("It has no files.", "邮件没有附件。") }
        var lines = [
            say(facts.fileCount == 1 ? "Its file:" : "Its \(facts.fileCount) files:", "共 \(facts.fileCount) 个文件：")
        ]
        for file in facts.files {
            lines.append("- \(LetterLine.isolated(file.name)) (\(ByteSize.text(file.size)))")
            if let link = places.link("/library/files/\(file.id)") { lines.append("  \(link)") }
        }
        let others = facts.fileCount - facts.files.count
        if others > 0 { lines.append(say("- and \(others) more", "- 另有 \(others) 个文件")) }
        return lines.joined(separator: "\n")
    }

    // MARK: Mail that waits

    /// The paragraphs about what the sender can do.
    private func advice(_ facts: KeptMailFacts) -> [String] {
        switch facts.reason {
        case .noTag, .unknownFund, .ambiguousFund: fundAdvice(facts)
        case .ambiguousSubject: [say("Send it again with one subject.", "请只用一个主题重新发送。")]
        case .tooLarge: [sizeAdvice]
        case .overQuota: roomAdvice(facts)
        default: []
        }
    }

    private func fundAdvice(_ facts: KeptMailFacts) -> [String] {
        guard facts.fundCount > 0 else {
            return [say("You have no fund yet: ask an administrator for one.", "您还没有基金，请联系管理员创建。")]
        }
        var parts: [String] = []
        if facts.reason != .noTag, let tag = facts.tag.map(Self.tag) {
            let near = say.list(facts.suggestions.map(Self.tag))
            if facts.reason == .ambiguousFund {
                parts.append(say("\(tag) fits several: \(near).", "\(tag) 同时符合：\(near)。"))
            } else if !facts.suggestions.isEmpty {
                parts.append(say("\(tag) is none of them. Did you mean \(near)?", "没有名为 \(tag) 的基金。您指的是 \(near) 吗？"))
            } else {
                parts.append(say("\(tag) is none of them.", "没有名为 \(tag) 的基金。"))
            }
        }
        let funds = say.list(facts.funds.map(Self.tag), more: facts.fundCount - facts.funds.count)
        parts.append(say("Your funds: \(funds)", "您的基金：\(funds)"))
        if facts.isForSender, let link = places.link("/library/sent/\(facts.received)") {
            parts.append("\(say("Say which fund you mean, and it is filed at once:", "请选择基金，邮件会立即存入："))\n\(link)")
            parts.append(say("Next time, begin the subject with that fund in brackets.", "下次请在主题开头用方括号写明基金。"))
        } else {
            parts.append(
                say(
                    "Send it again with one of them, in brackets, at the beginning of the subject.",
                    "请在主题开头用方括号写明其中一个基金，然后重新发送。"))
        }
        return parts
    }

    private func roomAdvice(_ facts: KeptMailFacts) -> [String] {
        let advice = say(
            "Delete files that you no longer need and empty the trash, or ask an administrator for more room.",
            "请删除不再需要的文件并清空回收站，或联系管理员增加空间。")
        guard facts.isForSender, let link = places.link("/library/sent/\(facts.received)") else { return [advice] }
        return [advice, "\(say("Then file it here:", "然后在此存入："))\n\(link)"]
    }

    private var sizeAdvice: String {
        let limit = ByteSize.text(places.maxMessageBytes)
        let split = say(
            "A mail may have \(limit), with all that is in it. Send its files in several mails",
            "一封邮件（含附件）最大 \(limit)。请分多封邮件发送")
        guard let link = places.link("/") else { return split + say(".", "。") }
        return "\(split)\(say(", or upload them here:", "，或在此上传："))\n\(link)"
    }

    // MARK: Pieces

    private func finished(_ parts: [String]) -> String {
        var end = say("Fundmail wrote this letter by itself.", "此信由 Fundmail 自动发送。")
        if let link = places.link("/account") {
            end += say(" You choose which letters you get:", "您可以选择接收哪些通知：") + "\n\(link)"
        }
        return (parts + [end]).joined(separator: "\n\n") + "\n"
    }

    /// The subject between quotes, behind `Your mail`; empty for mail without one.
    private func quoted(_ mail: AnsweredMail) -> String {
        let subject = LetterLine.isolated(mail.subject ?? "")
        return subject.isEmpty ? "" : say(" “\(subject)”", "“\(subject)”")
    }

    /// The name of a fund as a subject has it.
    private static func tag(_ name: String) -> String { "[\(LetterLine.isolated(name))]" }
}

extension LetterLanguage {
    /// The reason in the words of the page about what happened to one's mail.
    fileprivate func reason(_ reason: Reason) -> String {
        switch reason {
        case .ambiguousSubject: self("it has more than one subject", "主题不唯一")
        case .noTag: self("its subject names no fund in brackets", "主题中没有用方括号写明基金")
        case .unknownFund: self("its subject names none of your funds", "主题中的基金不是您的基金")
        case .ambiguousFund: self("its subject names more than one fund", "主题写明了多个基金")
        case .tooLarge: self("it is too large", "邮件过大")
        case .overQuota: self("there is no room left for your files", "您的文件空间已满")
        // Their senders get no letter, see `ReceiptPolicy`.
        case .ambiguousSender, .unknownSender, .disabledSender, .unverifiedSender, .tooComplex, .unparseable,
            .autoReply, .loop, .bounce:
            self("an administrator has to look at it", "需要管理员处理")
        }
    }
}
