internal import Foundation
internal import Synchronization

/// The files of a kept folder. Nothing in it is ever overwritten: what is replaced or deleted goes to its trash,
/// `.fund/trash`.
final class LocalFolder: Sendable {
    /// Without a slash at its end.
    let root: String
    /// One process has the folder by the lock of this file.
    private let lock: Mutex<OpenFile?>
    /// Called between any two steps: tests end the run there, as a kill would.
    let reachStep: @Sendable () throws(SyncLocalError) -> Void

    /// Days for which the trash keeps things.
    private static let trashDays = 30.0

    /// Makes the folder `.fund` where there is none, takes the lock, and tidies up after a process that was killed.
    ///
    /// Throws `SyncLocalError`: `busy` when another process keeps the folder, `system` when it lies in another kept
    /// folder: what is done in the one would be done again in the other, without end.
    init(_ root: String, reachStep: @escaping @Sendable () throws(SyncLocalError) -> Void) throws(SyncLocalError) {
        self.root = root
        self.reachStep = reachStep
        let own = "\(root)/\(SyncName.ownFolder)"
        try Self.requireFolder(root)
        try Self.requireNoKeptFolder(above: root)
        for folder in [own, "\(own)/parts", "\(own)/swap", "\(own)/trash"] {
            try Self.make(folder)
            try Self.requireFolder(folder)
        }
        lock = Mutex(try Self.takeLock("\(own)/lock"))
    }

    private static func requireFolder(_ path: String) throws(SyncLocalError) {
        let kind: FileStatus.Kind
        do { kind = try LocalFiles.status(path).kind } catch {
            throw SyncLocalError(.system, error.detail)
        }
        guard kind == .folder else { throw SyncLocalError(.system, "\(path) is not a folder") }
    }

    private static func requireNoKeptFolder(above root: String) throws(SyncLocalError) {
        var path = URL(fileURLWithPath: root).resolvingSymlinksInPath().path
        while path != "/", !path.isEmpty {
            path = (path as NSString).deletingLastPathComponent
            guard (try? LocalFiles.status("\(path)/\(SyncName.ownFolder)/state.sqlite")) == nil else {
                throw SyncLocalError(.system, "\(root) lies in \(path), which is kept in step already")
            }
        }
    }

    private static func make(_ folder: String) throws(SyncLocalError) {
        do { try LocalFiles.makeFolder(folder, rights: 0o700) } catch {
            if !error.isNameTaken { throw SyncLocalError(.system, error.detail) }
        }
    }

    private static func takeLock(_ path: String) throws(SyncLocalError) -> OpenFile {
        do {
            let file = try OpenFile(path, .write)
            if try file.lock() { return file }
        } catch { throw SyncLocalError(.system, error.detail) }
        throw SyncLocalError(.busy, "another process keeps this folder in step")
    }

    /// Another process may keep the folder from now on. Harmless when repeated.
    func release() { lock.withLock { $0 = nil } }

    /// Path of one of the synchronization's own files.
    func ownPath(_ name: String) -> String { "\(root)/\(SyncName.ownFolder)/\(name)" }

    func path(_ names: [String]) -> String { names.reduce(root) { "\($0)/\($1)" } }

    // MARK: Tidying up

    /// Puts what a killed process was exchanging into the trash, and takes from there what is older than 30 days.
    /// - Parameter now: seconds since 1970.
    func tidyUp(day: String, now: Double) {
        // A placeholder goes to the trash, in case it is the user's after all; one among the own files is harmless. The
        // next look decides about the step, since the file that was to have the name may have changed.
        placeholders.eachLeft { names in
            guard names.first != SyncName.ownFolder else { return }
            _ = try moveToTrash(path(names), as: names, day: day)
        }
        for name in LocalFiles.names(in: ownPath("swap")) {
            _ = try? moveToTrash(ownPath("swap/\(name)"), as: [name], day: day)
        }
        for name in LocalFiles.names(in: ownPath("trash")) {
            guard let time = Self.time(ofDay: String(name.prefix(10))), now - time > (Self.trashDays + 1) * 86_400
            else {
                continue
            }
            try? FileManager.default.removeItem(atPath: ownPath("trash/\(name)"))
        }
        for name in LocalFiles.names(in: ownPath("parts")) {
            let path = ownPath("parts/\(name)")
            // A complete one has the time of its file there.
            guard let status = try? LocalFiles.status(path), now - Double(status.changed) / 1e9 > 7 * 86_400 else {
                continue
            }
            try? LocalFiles.remove(path)
        }
    }

    /// Seconds since 1970 at which a day as `2026-11-21` begins (UTC).
    private static func time(ofDay day: String) -> Double? {
        let parts = day.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3 else { return nil }
        var components = DateComponents(year: parts[0], month: parts[1], day: parts[2])
        components.timeZone = TimeZone(secondsFromGMT: 0)
        return Calendar(identifier: .gregorian).date(from: components)?.timeIntervalSince1970
    }

    // MARK: Names

    private var placeholders: Placeholders { Placeholders(root: root, folder: ownPath("placing")) }

    /// Gives a file or a folder another name. Fails with `isNameTaken` when something has that name.
    private func rename(_ old: String, to new: String) throws(ClientError) {
        try LocalFiles.renameExclusively(old, to: new) { (take) throws(ClientError) in
            try placeholders.noting(old, to: new, take)
        }
    }

    func makeFolder(at names: [String]) throws(SyncLocalError) -> Fingerprint {
        do {
            try LocalFiles.makeFolder(path(names))
            return Fingerprint(try LocalFiles.status(path(names)))
        } catch { throw SyncLocalError(error) }
    }

    /// Whether nothing has the name.
    func isMissing(_ names: [String]) -> Bool {
        do {
            _ = try LocalFiles.status(path(names))
            return false
        } catch { return error.isMissing }
    }

    /// Throws `changed` unless what has the name still is what the plan saw.
    private func check(_ names: [String], is expected: Fingerprint, _ kind: SyncKind) throws(SyncLocalError) {
        let status = try status(path(names))
        let isKind = kind.isFile ? status.kind == .file : status.kind == .folder
        guard isKind, Fingerprint(status) == expected else { throw SyncLocalError(.changed, "it changed meanwhile") }
    }

    /// Fingerprint of a file whose bytes are known. Throws `changed` when another program has written to it
    /// since: a row must not tell its bytes for those.
    private func fingerprint(of path: String, holding known: Fingerprint) throws(SyncLocalError) -> Fingerprint {
        let found = Fingerprint(try status(path))
        guard found.isSameContent(as: known) else { throw SyncLocalError(.changed, "it changed meanwhile") }
        return found
    }

    private func status(_ path: String) throws(SyncLocalError) -> FileStatus {
        do { return try LocalFiles.status(path) } catch { throw SyncLocalError(error) }
    }

    private func attempt(_ body: () throws(ClientError) -> Void) throws(SyncLocalError) {
        do { try body() } catch { throw SyncLocalError(error) }
    }

    /// Gives it another name, if it is still what the plan saw and the name is free.
    func move(_ names: [String], _ expected: Fingerprint, _ kind: SyncKind, to new: [String]) throws(SyncLocalError)
        -> Fingerprint
    {
        try check(names, is: expected, kind)
        do {
            try rename(path(names), to: path(new))
        } catch { throw SyncLocalError(error) }
        return try fingerprint(of: path(new), holding: expected)
    }

    // MARK: The trash

    /// Takes a file away, if it is still what the plan saw.
    func trash(_ names: [String], _ expected: Fingerprint, day: String) throws(SyncLocalError) {
        try check(names, is: expected, .file)
        let place = try moveToTrash(path(names), as: names, day: day)
        // A file to which another program wrote at the last moment is put back.
        guard Fingerprint(try status(place)).isSameContent(as: expected) else {
            try attempt { () throws(ClientError) in try rename(place, to: path(names)) }
            throw SyncLocalError(.changed, "it changed meanwhile")
        }
    }

    /// Removes an empty folder.
    func removeFolder(_ names: [String], _ expected: Fingerprint) throws(SyncLocalError) {
        try check(names, is: expected, .folder)
        do { try LocalFiles.removeFolder(path(names)) } catch { throw SyncLocalError(error) }
    }

    /// Where it lies in the trash then: under its own path in the folder of the day, or of another one when that is
    /// taken.
    private func moveToTrash(_ path: String, as names: [String], day: String) throws(SyncLocalError) -> String {
        for number in 1...Self.maxTrashes {
            let trash = number == 1 ? day : "\(day)-\(number)"
            var failure = moveOnce(path, as: names, into: trash)
            // A longer path than the system takes.
            if failure?.isBadName ?? false { failure = moveOnce(path, as: Array(names.suffix(1)), into: trash) }
            guard let failure else { return trashPath(names, trash) }
            let isOther = failure.isMissing && (try? LocalFiles.status(path)) != nil
            // A file where a folder is needed, or the other way round.
            guard failure.isNameTaken || isOther else { throw SyncLocalError(failure) }
        }
        throw SyncLocalError(.taken, "the trash has that name already")
    }

    private static let maxTrashes = 100_000

    private func trashPath(_ names: [String], _ trash: String) -> String {
        let long = names.reduce(ownPath("trash/\(trash)")) { "\($0)/\($1)" }
        if (try? LocalFiles.status(long)) != nil { return long }
        return ownPath("trash/\(trash)/\(names.last ?? "")")
    }

    /// Nil when it is done.
    private func moveOnce(_ path: String, as names: [String], into trash: String) -> ClientError? {
        do {
            try makeIfMissing(ownPath("trash/\(trash)"))
            for count in 1..<max(names.count, 1) {
                try makeIfMissing(names.prefix(count).reduce(ownPath("trash/\(trash)")) { "\($0)/\($1)" })
            }
            try rename(path, to: names.reduce(ownPath("trash/\(trash)")) { "\($0)/\($1)" })
            return nil
        } catch { return error }
    }

    private func makeIfMissing(_ folder: String) throws(ClientError) {
        do { try LocalFiles.makeFolder(folder, rights: 0o700) } catch { if !error.isNameTaken { throw error } }
    }

    // MARK: Bytes

    /// Puts a complete part where nothing is yet. The name is not flushed to the disk yet.
    func place(_ part: String, at names: [String]) throws(SyncLocalError) -> Fingerprint {
        let loaded = Fingerprint(try status(part))
        do {
            try rename(part, to: path(names))
        } catch { throw SyncLocalError(error) }
        return try fingerprint(of: path(names), holding: loaded)
    }

    /// Puts a complete part in the place of a file, if that is still what the plan saw; the old one goes to the trash.
    /// At every moment the name leads to a complete file, except on file systems that can neither exchange two names
    /// nor make links: there it leads nowhere for a moment.
    func place(_ part: String, insteadOf names: [String], _ expected: Fingerprint, day: String)
        throws(SyncLocalError) -> Fingerprint
    {
        try check(names, is: expected, .file)
        // A name by which tidying up after a kill knows what it was.
        let swap = ownPath("swap/\(expected.inode)-\(names.last.map { String($0.prefix(60)) } ?? "")")
        let target = path(names)
        let rights = try status(target).rights
        let loaded = Fingerprint(try status(part))
        try attempt { () throws(ClientError) in try LocalFiles.setRightsIfPossible(rights, of: part) }
        try attempt { () throws(ClientError) in try rename(part, to: swap) }
        try reachStep()
        var isExchanged = false
        try attempt { () throws(ClientError) in isExchanged = try LocalFiles.exchange(swap, target) }
        guard isExchanged else {
            // Under this name a killed run finds what it has loaded.
            try attempt { () throws(ClientError) in try rename(swap, to: part) }
            try placeInSteps(part, instead: target, by: swap, expected)
            _ = try moveToTrash(swap, as: names, day: day)
            return try fingerprint(of: target, holding: loaded)
        }
        try reachStep()
        guard Fingerprint(try status(swap)).isSameContent(as: expected) else {
            // Written at the last moment: that stays, and another look finds two new versions.
            try attempt { () throws(ClientError) in _ = try LocalFiles.exchange(swap, target) }
            _ = try moveToTrash(swap, as: names, day: day)
            throw SyncLocalError(.changed, "it changed meanwhile")
        }
        _ = try moveToTrash(swap, as: names, day: day)
        try reachStep()
        return try fingerprint(of: target, holding: loaded)
    }

    /// The old file goes out of the way first, to `temporary`, and comes back when it is not what the plan saw, or when
    /// something else has its name by then.
    private func placeInSteps(
        _ part: String, instead target: String, by temporary: String, _ expected: Fingerprint
    ) throws(SyncLocalError) {
        try attempt { () throws(ClientError) in try rename(target, to: temporary) }
        try reachStep()
        do throws(SyncLocalError) {
            guard Fingerprint(try status(temporary)).isSameContent(as: expected) else {
                throw SyncLocalError(.changed, "it changed meanwhile")
            }
            try attempt { () throws(ClientError) in try rename(part, to: target) }
        } catch {
            if error.code != .stopped { try? rename(temporary, to: target) }
            throw error
        }
        try reachStep()
    }

    /// Bytes of the disk that downloads may take.
    var room: Int64 { (try? LocalFiles.room(at: root)) ?? .max }
}
