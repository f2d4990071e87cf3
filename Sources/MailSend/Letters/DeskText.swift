internal import FundCore

/// The text of a digest of the desk. What strangers write stands in none: an address in a subject would look like the
/// program's own.
struct DeskText {
    let say: LetterLanguage
    let frame: DigestFrame

    func subject(_ facts: DeskFacts) -> String {
        say("At the desk: ", "待处理邮件：") + waiting(facts) + new(facts)
    }

    func text(_ facts: DeskFacts) -> String {
        var first = say("\(waiting(facts)) at the desk\(new(facts)).", "\(waiting(facts))\(new(facts))。")
        if let link = frame.places.link("/desk") { first += "\n\(link)" }
        let causes = facts.causes.map { "- \($0.count) × \(say.cause($0.reason))" }
        var parts = [first, causes.joined(separator: "\n")]
        if !facts.messages.isEmpty {
            let lines = [say("New from people who are registered:", "来自已注册用户的新邮件：")] + facts.messages.flatMap(lines)
            parts.append(lines.joined(separator: "\n"))
        }
        return frame.finished(parts)
    }

    private func lines(_ message: DeskFacts.Message) -> [String] {
        let subject = LetterLine.unlinked(message.subject ?? "")
        let shown = subject.isEmpty ? say("Mail without a subject", "无主题邮件") : subject
        return ["- \(LetterLine.isolated(message.sender)): \(shown)"]
            + frame.lines(below: "/desk/messages/\(message.id)")
    }

    private func waiting(_ facts: DeskFacts) -> String {
        say(facts.count == 1 ? "1 mail waits" : "\(facts.count) mails wait", "\(facts.count) 封邮件待处理")
    }

    private func new(_ facts: DeskFacts) -> String {
        facts.newCount > 0 ? say(", \(facts.newCount) new", "，\(facts.newCount) 封为新邮件") : ""
    }
}

extension LetterLanguage {
    /// The reason for which mail waits, as administrators see it.
    fileprivate func cause(_ reason: Reason) -> String {
        switch reason {
        case .ambiguousSender: self("more than one sender", "发件人不唯一")
        case .unknownSender: self("the sender is not registered", "发件人未注册")
        case .disabledSender: self("the sender is disabled", "发件人已停用")
        case .unverifiedSender: self("the mail server did not confirm the sender", "邮件服务器未确认发件人")
        case .ambiguousSubject: self("more than one subject", "主题不唯一")
        case .noTag: self("no fund in the subject", "主题中没有用方括号写明基金")
        case .unknownFund: self("the sender has no fund of that name", "发件人没有该名称的基金")
        case .ambiguousFund: self("the subject names more than one fund", "主题写明了多个基金")
        case .overQuota: self("no room left for the files of the sender", "发件人的文件空间已满")
        case .tooLarge: self("too large", "邮件过大")
        case .tooComplex: self("too complex", "邮件结构过于复杂")
        case .unparseable: self("cannot be read", "邮件无法解析")
        case .autoReply: self("an automatic reply", "自动回复邮件")
        case .loop: self("came back to this mailbox", "邮件循环")
        case .bounce: self("a letter that came back", "退回的信件")
        }
    }
}
