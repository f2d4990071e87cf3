internal import FundCore

/// Compares what a watched folder holds with what is remembered of it. Nothing is filed twice: a file is known by the
/// store's id, else by its name with its content; a file of another name with the content of one that is not there any
/// more is taken for that one.
struct WatchLook {
    /// The time for which a file has to look the same before it is pulled.
    static let stillTime = Duration.seconds(20)

    let watch: DriveWatch
    let now: Timestamp
    let maxFileBytes: Int64

    /// A file of the folder with what is remembered of it.
    private struct Match {
        let entry: DriveEntry
        var file: WatchedFile?
        /// Whether the content alone says that it is this file.
        var isByContent = false
    }

    /// Throws `DriveError` with `tooMany` for a folder of more than `DriveLimits.maxWatchedFiles`.
    func findings(_ entries: [DriveEntry], _ known: [WatchedFile]) throws -> WatchFindings {
        var findings = WatchFindings(folders: entries.count(where: \.isFolder))
        let remembered = Dictionary(known.map { (ExactName($0.name), $0) }) { first, _ in first }
        let marked = Set(known.compactMap(\.target).map(ExactName.init))
        let files = entries.filter { entry in
            let name = ExactName(entry.name)
            let isKnown = remembered[name] != nil || marked.contains(name)
            return !entry.isFolder && !isPassing(entry.name, isKnown: isKnown)
        }
        guard files.count <= DriveLimits.maxWatchedFiles else {
            throw DriveError(.tooMany, "a watched folder may hold \(DriveLimits.maxWatchedFiles) files")
        }
        let named = Dictionary(grouping: files) { ExactName($0.name) }
        let (matches, missing) = Self.match(named.values.filter { $0.count == 1 }.map { $0[0] }, remembered)
        var present: [WatchedFile] = matches.map(update)
        // A store may have several files of one name, of which a path reaches but one.
        present += named.filter { $0.value.count > 1 }.keys.map { name in
            // All that is remembered stays: one of them is known again when the other one is renamed.
            var file = remembered[name] ?? WatchedFile(name: name.text, seen: "", seenAt: now)
            (file.state, file.problem, file.attempts, file.goneAt) = (.refused, .ambiguous, 0, nil)
            return file
        }
        let names = Set(present.map { ExactName($0.name) })
        findings.written = present.filter { $0 != remembered[ExactName($0.name)] }
        for file in missing where !names.contains(ExactName(file.name)) {
            if let kept = gone(file) {
                if kept != file { findings.written.append(kept) }
            } else {
                findings.removed.append(file.name)
            }
        }
        // Former names of files that were renamed.
        let left = names.union(missing.map { ExactName($0.name) })
        findings.removed += remembered.keys.filter { !left.contains($0) }.map(\.text)
        let due = present.filter { $0.state == .due }.sorted { ($0.seenAt, $0.name) < ($1.seenAt, $1.name) }
        findings.pulled = due.prefix(NewDriveTransfer.maxItems).map(\.name)
        findings.putsAway = present.contains { $0.state == .filed }
        findings.isEarly =
            due.count > findings.pulled.count || present.contains { $0.state == .waiting }
            || findings.putsAway
        return findings
    }

    // MARK: Names

    private static let passingEnds = [".part", ".partial", ".crdownload", ".download", ".filepart", ".tmp", ".temp"]
    private static let passingNames = ["thumbs.db", "desktop.ini"]

    /// Whether a name says that the file is no document: one that is still written, or hidden. Where files are marked,
    /// one that has the mark was filed.
    private func isPassing(_ name: String, isKnown: Bool) -> Bool {
        let key = name.caseFolded
        return name.hasPrefix(".") || name.hasPrefix("~$") || Self.passingNames.contains(key)
            || Self.passingEnds.contains(where: key.hasSuffix)
            || watch.rules.disposition == .mark && !isKnown && WatchMark.isMarked(name)
    }

    // MARK: Matches

    /// - Returns: all files of the folder, and what is remembered of others.
    private static func match(
        _ files: [DriveEntry], _ remembered: [ExactName: WatchedFile]
    ) -> (matches: [Match], missing: [WatchedFile]) {
        var (left, matches) = (remembered, [Match]())
        var rest = files
        func take(_ find: (DriveEntry) -> WatchedFile?, isByContent: Bool = false) {
            var others: [DriveEntry] = []
            for entry in rest {
                guard let file = find(entry), left.removeValue(forKey: ExactName(file.name)) != nil else {
                    others.append(entry)
                    continue
                }
                matches.append(Match(entry: entry, file: file, isByContent: isByContent))
            }
            rest = others
        }
        let byID = Dictionary(left.values.compactMap { file in file.storeID.map { ($0, file) } }) { first, _ in first }
        take { entry in entry.storeID.flatMap { byID[$0] } }
        take { entry in left[ExactName(entry.name)].flatMap { $0.seen == entry.contentMark ? $0 : nil } }
        let targets = left.values.compactMap { file in file.target.map { (ExactName($0), file) } }
        let byTarget = Dictionary(targets) { first, _ in first }
        take { byTarget[ExactName($0.name)] }
        // Renamed, where the store has no ids: two may have exchanged their names.
        let former = Dictionary(grouping: left.values.filter { $0.goneAt == nil }, by: \.seen)
        let present = Dictionary(grouping: rest, by: \.contentMark)
        take(
            { entry in
                let mark = entry.contentMark
                return former[mark]?.count == 1 && present[mark]?.count == 1 ? former[mark]?[0] : nil
            }, isByContent: true)
        take { left[ExactName($0.name)] }
        matches += rest.map { Match(entry: $0) }
        return (matches, Array(left.values))
    }

    // MARK: States

    private func update(_ match: Match) -> WatchedFile {
        let (entry, mark) = (match.entry, match.entry.contentMark)
        var file =
            match.file
            ?? WatchedFile(
                name: entry.name, seen: mark, seenAt: now, state: entry.hasChecksum ? .due : .waiting)
        if file.filed != nil, file.goneAt != nil || match.isByContent && !entry.hasChecksum {
            // One that came back may be put there to be filed again, and size and time say only that it may be the
            // same: its bytes tell, and are not filed again while the fund has them.
            (file.filed, file.state, file.attempts, file.problem) = (nil, .due, 0, nil)
        }
        if file.problem == .ambiguous && file.attempts == 0 || file.problem == .name && file.name != entry.name {
            // A person was told to rename it, and did.
            file.state = file.state == .unmoved ? .filed : entry.hasChecksum ? .due : .waiting
            (file.attempts, file.problem) = (0, nil)
        }
        (file.name, file.storeID, file.goneAt) = (entry.name, entry.storeID, nil)
        if file.filed == mark {
            file.seen = mark
            file.state = stateOfFiled(file)
        } else if file.seen != mark {
            (file.seen, file.seenAt, file.attempts, file.problem) = (mark, now, 0, nil)
            file.state = entry.hasChecksum ? .due : .waiting
        } else {
            switch file.state {
            case .due, .refused: break
            case .waiting where now < file.seenAt: file.seenAt = now
            case .waiting: if now - file.seenAt >= Self.stillTime { file.state = .due }
            case .filed, .done, .unmoved: file.state = .waiting
            }
        }
        if file.state == .due, let problem = problem(with: entry) { (file.state, file.problem) = (.refused, problem) }
        return file
    }

    private func stateOfFiled(_ file: WatchedFile) -> WatchedFile.State {
        let isPutAway =
            switch watch.rules.disposition {
            case .leave: true
            case .move: false
            case .mark: WatchMark.isMarked(file.name)
            }
        return isPutAway ? .done : file.state == .unmoved ? .unmoved : .filed
    }

    private func problem(with entry: DriveEntry) -> DriveProblem? {
        if entry.size ?? 0 > maxFileBytes { return .tooLarge }
        return watch.path.appending(entry.name) == nil ? .name : nil
    }

    /// A file that is not there any more; nil where nothing has to be remembered of it.
    private func gone(_ file: WatchedFile) -> WatchedFile? {
        guard file.digest != nil else { return nil }
        guard let time = file.goneAt else {
            var file = file
            (file.goneAt, file.state, file.problem) = (now, .done, nil)
            return file
        }
        return now - time > DriveLimits.retention ? nil : file
    }
}

/// Names of files that were filed and marked.
enum WatchMark {
    /// - Parameter number: 0 for the first one of the name.
    static func name(_ name: String, _ number: Int) -> String {
        let parts = FileNameParts(name)
        return "\(parts.stem)\(DriveWatch.markSuffix)\(number > 0 ? "(\(number))" : "")\(parts.suffix)"
    }

    static func isMarked(_ name: String) -> Bool {
        let stem = FileNameParts(name).stem
        guard !stem.hasSuffix(DriveWatch.markSuffix) else { return true }
        guard stem.last == ")", let open = stem.lastIndex(of: "(") else { return false }
        return stem[stem.index(after: open)...].dropLast().utf8.allSatisfy(ASCII.isDigit)
            && stem[..<open].hasSuffix(DriveWatch.markSuffix)
    }
}
