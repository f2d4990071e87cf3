internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let doctorRoutes: [PageRoute] = [
        .office("/office/doctor") { call in
            let findings = try await call.parts.doctor.findings(for: try call.user.email)
            let here = findings.local.findings.filter { $0.mailbox == nil }
            let round = findings.servers ?? findings.local
            let ofMailboxes = round.findings.filter { $0.mailbox != nil }
            var model: PageModel = [
                "isOffice": true, "atHealth": true, "isChecking": findings.isChecking,
                "summary": summary(here + ofMailboxes, call.words), "level": worst(here + ofMailboxes).rawValue,
                "here": here.map { row($0, call.words) }, "hereTime": call.formats.agingTime(findings.local.checkedAt),
                "mailboxes": ofMailboxes.map { row($0, call.words) }, "hasMailboxes": !ofMailboxes.isEmpty,
                "asked": findings.servers.map { round in
                    ["time": call.formats.agingTime(round.checkedAt), "actor": round.actor] as PageModel
                },
            ]
            if findings.isChecking { model["refresh"] = PageCall.refreshSeconds }
            return call.page("doctor", model, title: call.words("doctor.title"))
        },
        .officeAct("/office/doctor") { call, _ in
            try await call.parts.doctor.checkServers(actor: try call.user.email)
            return call.redirect(to: "/office/doctor")
        },
    ]

    static func row(_ finding: Finding, _ words: Words) -> PageModel {
        let (subject, level) = (finding.subject.rawValue, finding.level.rawValue)
        return [
            "level": level, "mark": words("doctor.\(level)"),
            "subject": finding.mailbox ?? words("doctor.of.\(subject)"),
            "meaning": words("doctor.say.\(subject).\(level)"), "text": finding.text,
        ]
    }

    private static func worst(_ findings: [Finding]) -> Finding.Level {
        findings.contains { $0.level == .failure }
            ? .failure : findings.contains { $0.level == .warning } ? .warning : .ok
    }

    private static func summary(_ findings: [Finding], _ words: Words) -> String {
        let counts = [Finding.Level.failure, .warning].compactMap { level -> String? in
            let count = findings.count { $0.level == level }
            return count == 0 ? nil : words.count("doctor.count.\(level.rawValue)", count)
        }
        return counts.isEmpty ? words("doctor.well") : counts.joined(separator: words("list.comma"))
    }
}
