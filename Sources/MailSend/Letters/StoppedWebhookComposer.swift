internal import FundCore

/// Writes to the owner of a webhook that it was stopped.
struct StoppedWebhookComposer {
    let places: LetterPlaces

    func message(
        _ facts: StoppedWebhookFacts, _ letter: OutboxLetter, from sender: Correspondent
    ) throws(MessageError) -> OutgoingMessage {
        let say = LetterLanguage(facts.recipient.language, orOf: facts.name, nil)
        let name = LetterLine.of(facts.name)
        let person = Correspondent(
            name: facts.recipient.name.map(LetterLine.of), address: try OutgoingAddress(letter.recipient, field: "To"))
        var message = OutgoingMessage(
            from: sender, to: [person],
            subject: say("Webhook stopped: \(name)", "Webhook 已停止：\(name)"), text: text(facts, say))
        message.origin = .generated
        return message
    }

    private func text(_ facts: StoppedWebhookFacts, _ say: LetterLanguage) -> String {
        let (name, host) = (LetterLine.isolated(facts.name), LetterLine.isolated(facts.host))
        let detail = facts.detail.map { say(" (\(LetterLine.of($0)))", "（\(LetterLine.of($0))）") } ?? ""
        let problem = say.problem(facts.problem) + detail
        var advice = say(
            "What changes in your funds is kept for it, and it is told all of that once you turn it on again.",
            "期间的变化会保留，重新启用后会一并通知。")
        if facts.problem == .secret {
            advice = say(
                "What changes in your funds is kept for it, and it is told all of that once it has a new secret.",
                "期间的变化会保留，生成新密钥后会一并通知。")
        }
        if let link = places.link("/account/webhooks/\(facts.webhook)") { advice += "\n\(link)" }
        let parts = [
            say(
                "Your webhook “\(name)” (\(host)) was stopped: \(problem).",
                "您的 Webhook“\(name)”（\(host)）已停止：\(problem)。"),
            advice, say("Fundmail wrote this letter by itself.", "此信由 Fundmail 自动发送。"),
        ]
        return parts.joined(separator: "\n\n") + "\n"
    }
}

extension LetterLanguage {
    /// The problem of a webhook in the words of its page.
    fileprivate func problem(_ problem: WebhookProblem) -> String {
        switch problem {
        case .forbidden: self("the administrators do not allow its port", "管理员不允许使用其端口")
        case .privateAddress:
            self("its address leads to a private network, which the administrators do not allow", "其地址指向内部网络，管理员不允许访问")
        case .unreachable: self("its program could not be reached for two days", "两天内无法连接其程序")
        case .certificate: self("the certificate of its program is not valid", "其程序的证书无效")
        case .tooSlow: self("its program did not answer in time for two days", "其程序两天内均未及时响应")
        case .redirect: self("its program leads to another address, which is not followed", "其程序要求转到其他地址，系统不会跟随")
        case .gone: self("its program wants no messages any more", "其程序不再接收消息")
        case .status: self("its program did not take the messages for two days", "其程序两天内均未接受消息")
        case .secret: self("its secret cannot be read any more", "无法再读取其密钥")
        }
    }
}
