internal import FundCore

/// Entries about people, their access and their funds.
extension AuditStatement {
    /// The address of an offered feed as the subject; of forbidden sites all of them as the detail.
    mutating func tellOfNews(_ action: AuditAction, _ entry: AuditEntry) {
        if action == .newsForbid {
            say(action.rawValue, .person(entry.actor))
        } else {
            say(action.rawValue, .person(entry.actor), .text(entry.subject))
        }
        quote(entry.detail)
    }

    /// `contact 12`; of an import `contacts`, and `3 added, 2 changed`. Who it is stays out of the trail.
    mutating func tellOfContacts(_ action: AuditAction, _ entry: AuditEntry) {
        say(action.rawValue, .person(entry.actor))
        let words = entry.detail.split(separator: " ")
        if words.count == 4, words[1] == "added,", words[3] == "changed" {
            add("contact.counts", .text(String(words[0])), .text(String(words[2])))
        } else {
            quote(entry.detail)
        }
    }

    mutating func tellOfPerson(_ action: AuditAction, _ entry: AuditEntry) {
        let (actor, person) = (Value.person(entry.actor), Value.person(entry.subject))
        let detail = entry.detail
        switch (action, detail) {
        case (.userAdd, "administrator"): say("user.add.administrator", actor, person)
        case (.userRole, "administrator"): say("user.role.administrator", actor, person)
        case (.userRole, "user"): say("user.role.user", actor, person)
        case (.userRename, ""): say("user.rename.none", actor, person)
        case (.userPassword, "by a link"): say("user.password.link", person)
        case (.userPassword, "none"): say("user.password.none", actor, person)
        case (.userPassword, "") where entry.actor == entry.subject: say("user.password.own", actor)
        case (.userQuota, "none"): say("user.quota.none", actor, person)
        case (.userQuota, "that of all"): say("user.quota.standard", actor, person)
        case (.userQuota, _):
            let bytes = detail.split(separator: " ").first.flatMap { Int64($0) }
            say(action.rawValue, actor, person, .text(bytes.map { ByteSize.text($0) } ?? detail))
        case (.userAddress, _), (.userAddressRemove, _), (.userRename, _):
            say(action.rawValue, actor, person, .text(detail))
        case (.userReset, _):
            say(action.rawValue, actor, person)
            if let until = entry.until {
                add("until", .time(until))
            } else {
                quote(detail)
            }
        case (.userUpdate, _) where detail.hasPrefix(Self.receipts): tellOfReceipts(entry)
        case (.userUpdate, _) where detail.hasPrefix(Self.news): tellOfNews(entry)
        case (.userUpdate, "language en"): say("user.language.en", actor, person)
        case (.userUpdate, "language zh"): say("user.language.zh", actor, person)
        case (.userUpdate, "desk digest on"): say("user.desk.on", actor, person)
        case (.userUpdate, "desk digest off"): say("user.desk.off", actor, person)
        case (.userUpdate, _) where detail.hasPrefix(Self.answered):
            say("user.answered", actor, person, .text(String(detail.dropFirst(Self.answered.count))))
        case (.userUpdate, _) where detail.hasPrefix(Self.unanswered):
            say("user.unanswered", actor, person, .text(String(detail.dropFirst(Self.unanswered.count))))
        default:
            say(action.rawValue, actor, person)
            // The sentence of an import says what it changed.
            if action != .userUpdate { quote(detail) }
        }
    }

    private static let (receipts, news) = ("receipts ", "news ")
    private static let (answered, unanswered) = ("answered ", "unanswered ")

    /// `news daily`.
    private mutating func tellOfNews(_ entry: AuditEntry) {
        let pace = NewsPace(rawValue: String(entry.detail.dropFirst(Self.news.count))) ?? .off
        let (actor, choice) = (Value.person(entry.actor), Value.phrase("news.\(pace.rawValue)", ""))
        if entry.actor == entry.subject {
            say("user.news.own", actor, choice)
        } else {
            say("user.news", actor, .person(entry.subject), choice)
        }
    }

    /// `receipts filed`, `receipts as the mailbox`.
    private mutating func tellOfReceipts(_ entry: AuditEntry) {
        let word = String(entry.detail.dropFirst(Self.receipts.count))
        let setting = ReceiptChoice(rawValue: word).map { ReceiptSetting.own($0) } ?? .ofMailbox
        let (actor, choice) = (Value.person(entry.actor), Value.phrase("receipts.\(setting.word)", ""))
        if entry.actor == entry.subject {
            say("user.receipts.own", actor, choice)
        } else {
            say("user.receipts", actor, .person(entry.subject), choice)
        }
    }

    mutating func tellOfAccess(_ action: AuditAction, _ entry: AuditEntry) {
        let (actor, person) = (Value.person(entry.actor), Value.person(entry.subject))
        guard let access = Self.access(action, entry.detail) else {
            say(action.rawValue, actor, person, .phrase("access.some", ""))
            return quote(entry.detail)
        }
        if entry.actor == entry.subject {
            say("\(action.rawValue).own", actor, access)
        } else {
            say(action.rawValue, actor, person, access)
        }
    }

    /// The access of `app: Finder`, `app read: Assistant`, `web 12: Safari`, `web: all` or `web: all but the current
    /// session`; nil for another text.
    private static func access(_ action: AuditAction, _ detail: String) -> Value? {
        guard let colon = detail.firstRange(of: ": ") else { return nil }
        let head = detail[..<colon.lowerBound].split(separator: " ")
        let label = String(detail[colon.upperBound...])
        guard let kind = head.first.flatMap({ TokenKind(rawValue: String($0)) }) else { return nil }
        let isOfMany = action == .tokenRevoke && head.count == 1
        switch label {
        case "all" where isOfMany: return .phrase("access.\(kind.rawValue).all", "")
        case "all but the current session" where isOfMany: return .phrase("access.\(kind.rawValue).others", "")
        case "": return .phrase("access.\(kind.rawValue).nameless", "")
        case _ where kind == .app && head.last.map(String.init) == TokenReach.read.rawValue:
            return .phrase("access.app.read", label)
        default: return .phrase("access.\(kind.rawValue)", label)
        }
    }

    /// `passkey: Phone`, `Old name: New name`, `passkey: Phone: counter 3 after 5`, `app`, `code`, `9 left`.
    mutating func tellOfFactor(_ action: AuditAction, _ entry: AuditEntry) {
        let (actor, person, detail) = (Value.person(entry.actor), Value.person(entry.subject), entry.detail)
        let passkey = "passkey: "
        switch action {
        case .factorAdd where detail.hasPrefix(passkey), .factorRemove where detail.hasPrefix(passkey):
            say("\(action.rawValue).passkey", actor, .text(String(detail.dropFirst(passkey.count))))
        case .factorAdd where detail == "app", .factorRemove where detail == "app":
            say("\(action.rawValue).app", actor)
        case .factorCodes: say(action.rawValue, actor)
        case .factorRecovery:
            say(action.rawValue, actor)
            quote(detail)
        case .factorRefuse where detail == "code": say("factor.refuse.code", person)
        case .factorRefuse:
            say("factor.refuse.passkey", person)
            quote(detail)
        case .factorReset: say(action.rawValue, actor, person)
        default:
            say(action.rawValue, actor, person)
            quote(detail)
        }
    }

    mutating func tellOfFund(_ action: AuditAction, _ entry: AuditEntry) {
        let (actor, fund, detail) = (Value.person(entry.actor), Value.fund(entry.subject), entry.detail)
        switch action {
        case .fundAdd:
            guard let (owner, name) = entry.ownedFund else { return say("fund.add.own", actor, fund) }
            if owner == entry.actor {
                say("fund.add.own", actor, .fund(name))
            } else {
                say(action.rawValue, actor, .fund(name), .person(owner))
            }
            if !detail.isEmpty { add("aliases", .text(detail)) }
        case .fundGive:
            guard let (owner, name) = entry.ownedFund, detail.hasPrefix("to ") else {
                say("fund.give.plain", actor, fund)
                return quote(detail)
            }
            say(action.rawValue, actor, .fund(name), .person(owner), .person(String(detail.dropFirst("to ".count))))
        case .fundAlias where !detail.isEmpty: say(action.rawValue, actor, fund, .text(detail))
        case .fundAlias: say("fund.alias.none", actor, fund)
        case .fundAliasRemove:
            let taken = ": another fund has this name now"
            if detail.hasSuffix(taken) {
                say("fund.alias.taken", actor, fund, .fund(String(detail.dropLast(taken.count))))
            } else {
                say(action.rawValue, actor, fund, .fund(detail))
            }
        case .fundRename: say(action.rawValue, actor, fund, .fund(detail))
        default:
            say(action.rawValue, actor, fund)
            quote(detail)
        }
    }
}
