internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let quarantineRoutes: [PageRoute] = [
        .office("/office/quarantine") { call in
            let page = try await call.parts.store.quarantine.quarantined(try call.section(of: "quarantine"))
            let failed = await call.parts.failedScans(FailedScan.maxShown)
            var model: PageModel = [
                "isOffice": true, "atHealth": true, "rows": page.items.map { row($0, call) },
                "isEmpty": page.items.isEmpty && page.next == nil, "hasFailed": !failed.isEmpty,
            ]
            var rows: [PageModel] = []
            for scan in failed { rows.append(try await row(scan, call)) }
            model["failed"] = rows
            model["paging"] = try call.paging("/office/quarantine", next: page.next, of: "quarantine")
            return call.page("quarantine", model, title: call.words("quarantine.title"))
        },
        .officeAct("/office/quarantine/{sha256}/release") { call, _ in
            try await call.releaseContent()
            return call.redirect(to: "/office/quarantine?done=content-released")
        },
    ]

    private static func row(_ scan: FailedScan, _ call: PageCall) async throws -> PageModel {
        [
            // Where such files are given, there is nothing to release.
            "isKept": try await call.parts.store.quarantine.refusal(of: scan.digest) == .unscanned,
            "problem": scan.problem, "tried": call.formats.agingTime(scan.at), "digest": scan.digest.hex,
            "short": String(scan.digest.hex.prefix(shortDigits)),
        ]
    }

    /// Digits of a digest that are shown.
    private static let shortDigits = 12

    private static func row(_ content: QuarantinedContent, _ call: PageCall) -> PageModel {
        let words = call.words
        return [
            "malware": content.malware, "isKept": content.releasedAt == nil,
            "level": content.releasedAt == nil ? "failure" : "warning",
            "state": content.releasedAt == nil
                ? words("quarantine.kept") : words("quarantine.released", words.isolated(content.releasedBy ?? "")),
            "found": call.formats.agingTime(content.foundAt), "digest": content.digest.hex,
            "short": String(content.digest.hex.prefix(shortDigits)),
            "places": content.places.map { ["text": text($0, words)] as PageModel },
            "isPlaceless": content.places.isEmpty,
        ]
    }

    /// Where a content is, and from whom it came.
    private static func text(_ place: QuarantinedContent.Place, _ words: Words) -> String {
        let name = words.isolated(place.name.isEmpty ? words("mail.nosubject") : place.name)
        let sender = place.sender.map { words("quarantine.from", words.isolated($0)) }
        // Mail that waits for an administrator has no owner.
        guard !place.owner.isEmpty else {
            return [words("quarantine.waiting", name), sender].compactMap { $0 }.joined(separator: " · ")
        }
        return words("quarantine.place", name, words.isolated(place.fund), words.isolated(place.owner)) + " · "
            + (sender ?? words("quarantine.uploaded"))
    }
}
