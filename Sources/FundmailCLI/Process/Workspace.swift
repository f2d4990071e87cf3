import Dispatch
import FundStore
import Glibc
import FundCore
import Ingest
import Logging
import MailParse
import MailWatch
import Terminal

/// The configuration and the store of a command, and the parts that are made from them.
struct Workspace: Sendable {
    static let defaultConfigurationFile = "fundmail.yaml"

    let configuration: Configuration
    /// The options as given, for suggested commands.
    let words: [String]
    private let configurationOption: String?
    private let storeOption: String?

    init(_ options: GlobalOptions) throws {
        LogOutput.start(options)
        words = options.words
        (configurationOption, storeOption) = (options.config, options.store)
        configuration = try Self.load(options.config, options.store)
        let logger = Logger(label: "fundmail")
        for warning in configuration.warnings { logger.info("\(warning)") }
    }

    /// A command line of this program for the same store, to be suggested.
    func command(_ arguments: [String]) -> String { ShellWord.command(["fundmail"] + words + arguments) }

    /// Reads the configuration as it is now on disk; `configuration` stays as it was read first.
    func rereadConfiguration() throws -> Configuration { try Self.load(configurationOption, storeOption) }

    /// Reads the configuration. With `--store` alone there need not be one.
    private static func load(_ option: String?, _ storeOption: String?) throws -> Configuration {
        let file = option ?? defaultConfigurationFile
        guard let bytes = try readConfiguration(file, isRequired: option != nil) else {
            guard let store = storeOption else {
                throw CommandError(
                    .configuration,
                    "There is no \(file) in this folder; run `fundmail init`, or name it with --config, or a store "
                        + "with --store.")
            }
            return Configuration(store: store)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError(.configuration, "\(file) is not text in UTF-8; save it as UTF-8.")
        }
        var configuration = try ConfigurationDecoder.decode(
            text, file: file, credentialsFolder: getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) })
        if let store = storeOption { configuration.store = store }
        return configuration
    }

    private static func readConfiguration(_ file: String, isRequired: Bool) throws -> [UInt8]? {
        do {
            return try WholeFile.read(file, maxBytes: ConfigurationNode.maxFileBytes)
        } catch {
            if error.code == ENOENT, !isRequired { return nil }
            throw CommandError(.configuration, "The configuration \(file) cannot be read: \(error.problem).")
        }
    }

    /// - Parameter copiesRows: whether the rows of a store of an earlier version are copied before it is updated.
    func openStore(_ mode: OpenMode = .existing, copiesRows: Bool = true) throws -> FundStore {
        let update = UpdateOptions(copiesRows: copiesRows) { plan in
            for line in plan.words(isCopied: copiesRows) { Console.warn(line) }
            ServiceNotice().startsSlowly()
        }
        let store = try FundStore.open(
            at: configuration.store, mode: mode, faults: try DebugSwitches.faults(),
            letterLimits: configuration.smtp?.limits ?? .usual, storageLimits: configuration.quota, update: update,
            environment: BucketEnvironment.current)
        if configuration.scan?.holdsUnscanned == true { store.holdUnscanned() }
        if let notice = store.notice { Console.warn("\(notice).") }
        return store
    }

    /// The store, for what takes in mail.
    func openStoreForRun() throws -> FundStore {
        let store = try openStore()
        try store.sweepTemporary()
        store.watchServer()
        return store
    }

    /// Children that run this program. `stagingDirectory` is on the store's file system if they work for the store.
    func parser(
        stagingDirectory: String, concurrency: Int = ParserPool.defaultConcurrency, maxFeedSeconds: Double? = nil
    ) -> ParserPool {
        ParserPool(
            executable: "/proc/self/exe", stagingDirectory: stagingDirectory, concurrency: concurrency,
            maxFeedSeconds: maxFeedSeconds, honoursPoison: DebugSwitches.honoursPoison)
    }

    /// The rules of a configured mailbox, or those of mail that an administrator vouches for.
    func policy(asMailbox name: String?) throws -> RoutingPolicy {
        guard let name else { return configuration.routing }
        return try mailbox(named: name, in: configuration, else: .usage).policy(configuration.routing)
    }

    /// The mailboxes with these names, each once; all when none is named. Throws `CommandError` when there is none.
    ///
    /// - Parameter configuration: nil for the one of this workspace.
    func mailboxes(named names: [String], in configuration: Configuration? = nil) throws -> [MailboxConfiguration] {
        let configuration = configuration ?? self.configuration
        guard !configuration.mailboxes.isEmpty else {
            let file = configuration.file ?? Self.defaultConfigurationFile
            throw CommandError(
                .configuration,
                "No mailbox is configured; add one under mailboxes: in \(file), as the comments there show.")
        }
        let wanted = Set(try names.map { try mailbox(named: $0, in: configuration, else: .configuration).name })
        return configuration.mailboxes.filter { names.isEmpty || wanted.contains($0.name) }
    }

    private func mailbox(
        named name: String, in configuration: Configuration, else status: ExitStatus
    ) throws -> MailboxConfiguration {
        if let mailbox = configuration.mailbox(named: name) { return mailbox }
        let names = configuration.mailboxes.map(\.name)
        let near = NearestName.of(name, among: names).map { " Did you mean \($0)?" } ?? ""
        let known = names.isEmpty ? "none is configured" : "there are: \(names.joined(separator: ", "))"
        throw CommandError(status, "There is no mailbox \(name) in the configuration; \(known).\(near)")
    }

    /// The user who runs this process, for the audit trail.
    static var actor: String { UserName.of(getuid()) }

    /// That user at the desk: a user who may run the program may act.
    static var deskActor: DeskActor { DeskActor(actor) { true } }
}
