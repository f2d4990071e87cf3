internal import Glibc
import Synchronization

/// The mail of one user on the server, read and written as its Maildir.
extension DovecotServer {
    /// A message as it lies on the server.
    package struct StoredMail: Sendable {
        package var path: String
        /// Maildir's letters: `S` seen, `T` deleted, `F` flagged.
        package var flags: Set<Character>

        /// A server that looks at its mail moves it from `new` to `cur` at any time.
        package var bytes: [UInt8] {
            if let bytes = try? TestFile.read(path) { return bytes }
            let current = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) + "/../cur"
            let name = TestFile.names(in: current).first { DovecotServer.uniquePart($0) == uniquePart }
            return name.flatMap { try? TestFile.read("\(current)/\($0)") } ?? []
        }

        private var uniquePart: Substring {
            DovecotServer.uniquePart(path.split(separator: "/").last.map(String.init) ?? "")
        }
    }

    private static let deliveries = Atomic(1)

    package func maildir(_ user: String, folder mailbox: String = "INBOX") throws -> String {
        let home = "\(folder)/home/\(user)"
        let top = "\(home)/Maildir"
        let path = mailbox == "INBOX" ? top : "\(top)/.\(mailbox)"
        for name in [home, top, path] + ["cur", "new", "tmp"].map({ "\(path)/\($0)" }) where access(name, F_OK) != 0 {
            try TestFile.makeDirectory(name)
            try Self.giveAway(name)
        }
        return path
    }

    /// Delivers a message as a mail system does; it gets the next UID. Give it CRLF line ends: Dovecot then serves
    /// these very bytes.
    @discardableResult
    package func deliver(_ message: [UInt8], to user: String, folder: String = "INBOX") throws -> String {
        let path = try maildir(user, folder: folder)
        let name = Self.uniqueName(size: message.count)
        try TestFile.write(message, to: "\(path)/tmp/\(name)")
        guard rename("\(path)/tmp/\(name)", "\(path)/new/\(name)") == 0 else {
            throw ServerFailure("deliver to \(path): \(errno)")
        }
        return name
    }

    /// Delivers the same bytes many times over, as links to one file: a huge mailbox in a moment.
    package func deliver(_ count: Int, copiesOf message: [UInt8], to user: String) throws {
        let path = try maildir(user)
        let linksPerFile = 10_000  // ext4 allows 65,000
        var original = ""
        for index in 0..<count {
            let name = "\(path)/new/\(Self.uniqueName(size: message.count))"
            if index % linksPerFile == 0 {
                try TestFile.write(message, to: name)
                original = name
            } else if link(original, name) != 0 {
                throw ServerFailure("link \(name): \(errno)")
            }
        }
    }

    /// Delivers one large message: a header and then a block many times over. Nothing of it is held in memory.
    package func deliver(header: [UInt8], block: [UInt8], times: Int, to user: String) throws {
        let path = try maildir(user)
        let name = Self.uniqueName(size: header.count + times * block.count)
        try TestFile.write(header, to: "\(path)/tmp/\(name)")
        for _ in 0..<times { try TestFile.write(block, to: "\(path)/tmp/\(name)", appending: true) }
        guard rename("\(path)/tmp/\(name)", "\(path)/new/\(name)") == 0 else {
            throw ServerFailure("deliver to \(path): \(errno)")
        }
    }

    /// The mail in a mailbox, in the order of delivery.
    package func mail(of user: String, folder: String = "INBOX") throws -> [StoredMail] {
        let path = try maildir(user, folder: folder)
        // New mail first: it may move on meanwhile, and is then seen twice rather than not at all.
        let paths = ["new", "cur"].flatMap { kind in TestFile.names(in: "\(path)/\(kind)").map { (kind, $0) } }
        let latest = Dictionary(paths.map { (Self.uniquePart($0.1), $0) }) { $1 }
        return latest.values.sorted { $0.1 < $1.1 }.map { kind, name in
            let flags = name.split(separator: ":2,", maxSplits: 1).dropFirst().first ?? ""
            return StoredMail(path: "\(path)/\(kind)/\(name)", flags: Set(flags))
        }
    }

    /// Maildir: the name of a message without its flags.
    private static func uniquePart(_ name: String) -> Substring { name.prefix { $0 != ":" } }

    /// Another UIDVALIDITY, as after a mailbox was restored or a server moved.
    package func changeUIDValidity(of user: String, to value: UInt32) throws {
        try doveadm("mailbox", "update", "-u", user, "--uid-validity", "\(value)", "INBOX")
    }

    /// Takes everything away, so that the same user can serve again.
    package func empty(_ user: String, folder: String = "INBOX") throws {
        for mail in try mail(of: user, folder: folder) { unlink(mail.path) }
    }

    /// Ordered as delivered, with the sizes that Dovecot would otherwise have to count.
    private static func uniqueName(size: Int) -> String {
        let number = deliveries.add(1, ordering: .relaxed).newValue
        let padded = String(repeating: "0", count: max(0, 9 - "\(number)".count)) + "\(number)"
        return "1700000000.M\(padded)P\(getpid()).test,S=\(size),W=\(size)"
    }

    private static func giveAway(_ path: String) throws {
        guard geteuid() == 0, let nobody = getpwnam("nobody") else { return }
        guard chown(path, nobody.pointee.pw_uid, nobody.pointee.pw_gid) == 0 else {
            throw ServerFailure("chown \(path): \(errno)")
        }
    }
}
