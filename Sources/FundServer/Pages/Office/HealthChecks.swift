internal import FundCore

/// The checks of the page of health, each with a state in a word: what cannot be told is not called well.
struct HealthChecks {
    let words: Words
    let formats: Formats
    let state: HealthOverview.State
    let mailboxes: [MailboxReport]
    /// Contents in quarantine.
    let heldBack: Int
    let letters: OutboxCounts
    /// Nil while letters are off.
    let letterServer: LetterServer?

    /// How a check ended; raw values are classes of dots, and stand in the table of words.
    enum Level: String, CaseIterable {
        case ok, warning, failure, unknown
    }

    /// A letter that waits for longer is a sign that the mail server takes none.
    private static let longWait = Duration.seconds(3600)
    /// The check of the programs that fetch mail.
    private static let watchers = "watchers"

    var rows: [PageModel] {
        state.findings.map { $0.name == Self.watchers ? mailboxRow($0) : row($0) } + figures
    }

    private func row(
        _ name: String, _ level: Level, _ text: String, said: String? = nil, path: String? = nil
    ) -> PageModel {
        var row: PageModel = [
            "name": name, "level": level.rawValue, "word": words("health.state.\(level.rawValue)"), "text": text,
        ]
        row["said"] = said
        row["at"] = path
        return row
    }

    private func row(_ finding: Readiness.Finding) -> PageModel {
        let name = words.name(finding.name, in: "health.check")
        func text(_ kind: String) -> String {
            let key = "health.\(kind).\(finding.name)"
            return Words.table[key] == nil ? words("health.\(kind)") : words(key)
        }
        guard let problem = finding.problem else { return row(name, .ok, text("sound")) }
        return row(name, .failure, text("fault"), said: problem)
    }

    /// The worst state of a mailbox: a program that runs does not mean that mail comes.
    private func mailboxRow(_ finding: Readiness.Finding) -> PageModel {
        let (name, path) = (words.name(finding.name, in: "health.check"), "/office/mailboxes")
        guard finding.problem == nil else {
            return row(name, .failure, words("health.fault.watchers"), said: finding.problem, path: path)
        }
        let watched = mailboxes.filter { $0.condition != .notConfigured }
        let states = watched.map { (report: $0, state: MailboxHealth($0, now: formats.now)) }
        func names(_ level: Level) -> [String] {
            states.filter { $0.state.level == level }.map { words.isolated($0.report.state.name) }
        }
        for level in [Level.failure, .unknown, .warning] {
            let named = names(level)
            guard !named.isEmpty else { continue }
            let list = named.joined(separator: words("list.comma"))
            return row(name, level, words("health.mailboxes.\(level.rawValue)", list), path: path)
        }
        guard !watched.isEmpty else { return row(name, .unknown, words("mailboxes.empty"), path: path) }
        return row(name, .ok, words("health.sound.watchers"), path: path)
    }

    /// Letters that go out; nil where they are off and none is left.
    private var letterRow: PageModel? {
        let (name, path) = (words("outbox.title"), "/office/outbox")
        let waitsLong = letters.oldestWaiting.map { formats.now - $0 > Self.longWait } ?? false
        if letterServer == nil {
            guard letters.waiting > 0 else { return nil }
            return row(name, .warning, words.count("health.letters.off", letters.waiting), path: path)
        }
        if let problem = state.figures.letters?.problem {
            return row(name, .failure, words("health.letters.paused"), said: problem, path: path)
        }
        if let failed = letters.letters[.failed], failed > 0 {
            return row(name, .failure, words.count("health.letters.failed", failed), path: path)
        }
        if waitsLong, let oldest = letters.oldestWaiting {
            let wait = formats.age(oldest, in: "span")
            return row(name, .warning, words("health.letters.late", wait), path: path)
        }
        if let uncertain = letters.letters[.uncertain], uncertain > 0 {
            return row(name, .warning, words.count("health.letters.uncertain", uncertain), path: path)
        }
        return row(name, .ok, words("health.letters.sound"), path: path)
    }

    /// The company's directory; nil where there is none.
    private var directoryRow: PageModel? {
        guard let directory = state.figures.directory else { return nil }
        let name = words("health.directory")
        guard let problem = directory.problem else {
            return row(name, .ok, words.count("health.directory.sound", directory.people))
        }
        guard directory.people > 0 else { return row(name, .failure, words("health.directory.none"), said: problem) }
        return row(name, .warning, words.count("health.directory.kept", directory.people), said: problem)
    }

    /// The bucket with the log; nil where there is none.
    private var bucketRow: PageModel? {
        guard let bucket = state.figures.bucket else { return nil }
        let (name, size) = (words("health.bucket"), formats.size(bucket.waitingBytes))
        guard let problem = bucket.problem else { return row(name, .ok, words("health.bucket.sound", size)) }
        return row(name, .warning, words("health.bucket.failing", size), said: problem)
    }

    private var figures: [PageModel] {
        var figures: [PageModel] = [letterRow, directoryRow, bucketRow].compactMap(\.self)
        if heldBack > 0 {
            figures.append(
                row(
                    words("health.quarantine"), .warning, words.count("health.quarantine", heldBack),
                    path: "/office/quarantine"))
        }
        if let failed = state.figures.failedScans, failed > 0 {
            figures.append(
                row(
                    words("health.scans"), .failure, words.count("health.scans", failed), path: "/office/quarantine"))
        }
        figures.append(
            state.figures.freeBytes.map {
                row(words("health.free"), .ok, words("health.free.text", formats.size($0)))
            } ?? row(words("health.free"), .unknown, words("health.untold")))
        figures.append(
            state.figures.searchBacklog.map {
                row(
                    words("health.search"), .ok,
                    $0 == 0 ? words("health.search.none") : words.count("health.search", $0))
            } ?? row(words("health.search"), .unknown, words("health.untold")))
        return figures
    }
}
