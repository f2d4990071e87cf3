internal import Foundation

/// Accounts with their credentials in a file that only its owner can read (0600 in a folder of 0700).
///
/// It is written under another name, flushed and renamed, and locked against other processes meanwhile, so that neither
/// a crash nor two programs at once lose an account.
public final class CredentialFile: CredentialStore {
    /// An account as it is kept.
    public struct Entry: Sendable, Hashable, Codable {
        /// Whose they are.
        public var account: Account
        var credentials: Credentials
        /// A PEM file with the authorities that are trusted for this server; nil for those of the system.
        public var authorityFile: String?
        /// Whether the account is meant where none is named. At most one is.
        public var isDefault: Bool
    }

    private struct Contents: Codable {
        var version = 1
        var accounts: [Entry] = []
    }

    /// Path of `accounts.json`.
    public let path: String

    /// - Parameter folder: is made with the first account, with the rights 0700.
    public init(folder: String) { path = folder + "/accounts.json" }

    /// `$XDG_CONFIG_HOME/fund`, or `~/.config/fund`.
    public static var defaultFolder: String {
        let environment = ProcessInfo.processInfo.environment
        if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") { return base + "/fund" }
        return (environment["HOME"] ?? NSHomeDirectory()) + "/.config/fund"
    }

    /// All accounts, in the order in which they were added.
    public func entries() throws(ClientError) -> [Entry] { try read().accounts }

    /// Nil when there are none.
    public func credentials(of account: Account) async throws(ClientError) -> Credentials? {
        try read().accounts.first { $0.account == account }?.credentials
    }

    /// Saves credentials in place of those that were there.
    public func save(_ credentials: Credentials, of account: Account) async throws(ClientError) {
        try save(credentials, of: account, authorityFile: nil)
    }

    /// Keeps an account; the first one becomes the default.
    /// - Parameter authorityFile: nil leaves the one that is known.
    public func save(
        _ credentials: Credentials, of account: Account, authorityFile: String?
    ) throws(ClientError) {
        try change { contents in
            if let index = contents.accounts.firstIndex(where: { $0.account == account }) {
                contents.accounts[index].credentials = credentials
                if let authorityFile { contents.accounts[index].authorityFile = authorityFile }
            } else {
                contents.accounts.append(
                    Entry(
                        account: account, credentials: credentials, authorityFile: authorityFile,
                        isDefault: contents.accounts.isEmpty))
            }
        }
    }

    /// For `account` from now on; nil for the authorities of the system.
    public func setAuthorityFile(_ path: String?, of account: Account) throws(ClientError) {
        try change { contents in
            for index in contents.accounts.indices where contents.accounts[index].account == account {
                contents.accounts[index].authorityFile = path
            }
        }
    }

    /// Makes an account the one that is meant where none is named.
    public func makeDefault(_ account: Account) throws(ClientError) {
        try change { contents in
            for index in contents.accounts.indices {
                contents.accounts[index].isDefault = contents.accounts[index].account == account
            }
        }
    }

    /// Forgets what is kept of it.
    public func remove(_ account: Account) async throws(ClientError) {
        try change { contents in
            contents.accounts.removeAll { $0.account == account }
            if !contents.accounts.contains(where: \.isDefault), !contents.accounts.isEmpty {
                contents.accounts[0].isDefault = true
            }
        }
    }

    private func read() throws(ClientError) -> Contents {
        try keepToOwner()
        guard let bytes = FileManager.default.contents(atPath: path) else {
            guard try LocalFiles.existing(path) == nil else {
                throw ClientError(.local, "\(path) cannot be read")
            }
            return Contents()
        }
        do {
            return try JSONDecoder().decode(Contents.self, from: bytes)
        } catch {
            throw ClientError(.local, "\(path) is damaged: move it away and sign in again")
        }
    }

    /// A copy from elsewhere, or a careless hand, may have given others a right to it.
    private func keepToOwner() throws(ClientError) {
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        guard let status = try? LocalFiles.status(file), status.kind == .file, status.rights & 0o077 != 0 else {
            return
        }
        do { try LocalFiles.setRights(0o600, of: file) } catch {
            throw ClientError(.local, "others can read \(file), and that cannot be changed: \(error.systemDetail)")
        }
    }

    private func change(_ body: (inout Contents) -> Void) throws(ClientError) {
        let folder = LocalFiles.folder(of: path)
        try LocalFiles.makeFolders(folder)
        let lock = try OpenFile(path + ".lock", .write)
        try lock.waitForLock()
        var contents = try read()
        body(&contents)
        try write(contents)
        try LocalFiles.flush(folder)
        withExtendedLifetime(lock) {}
    }

    private func write(_ contents: Contents) throws(ClientError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let bytes: [UInt8]
        do { bytes = Array(try encoder.encode(contents)) } catch { throw ClientError(.local, "\(error)") }
        let unfinished = path + ".new"
        // A file of a process that died may have other rights.
        try LocalFiles.remove(unfinished)
        do {
            let file = try OpenFile(unfinished, .create)
            try file.write(bytes, at: 0)
            try file.flush()
            try LocalFiles.rename(unfinished, replacing: path)
        } catch {
            // Half of it holds secrets and is of no use.
            try? LocalFiles.remove(unfinished)
            throw error
        }
    }
}
