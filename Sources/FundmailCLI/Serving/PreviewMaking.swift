import FundCore
import FundPreview
import FundServer
import FundStore
import Glibc
import Logging
import ServiceLifecycle

/// Previews beside the web server: what makes them, and where the server asks for them.
struct PreviewMaking: Service {
    let source: PreviewService
    let workers: PreviewWorkers
    private let converter: ConverterProcess
    private let upkeep: PreviewUpkeep
    private let store: FundStore
    private let logger = Logger(label: "fundmail.previews")

    /// - Parameters:
    ///   - scan: nil where nothing is scanned.
    ///   - mails: what parses mails that are files.
    ///   - keptFiles: files of kept mail, which are not in the store.
    init(
        _ configuration: PreviewConfiguration, _ scan: ScanConfiguration?, _ store: FundStore,
        mails: (parser: any MessageParser, limits: ParseLimits), keptFiles: KeptFiles
    ) {
        let scanning = scan.map {
            ScanSettings(
                scanner: ClamScanner(socket: $0.socket, scanTimeout: .seconds($0.limitSeconds)),
                quarantine: store.quarantine)
        }
        let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        var settings = PreviewSettings(
            maxCacheBytes: configuration.diskBytes, maxJobs: max(1, processors - 1),
            minFreeBytes: 2 * ServerMonitor.minFreeBytes)
        settings.recognition = configuration.recognition
        if let percent = DebugSwitches.maxProcessorPressure { settings.maxProcessorPressure = percent }
        converter = PreviewConverter.make(configuration, maxJobs: settings.maxJobs + 1)
        workers = PreviewWorkers(
            register: store.previews, converter: converter, settings: settings, folder: store.mail.spool.path,
            scan: scanning, mails: mails,
            freeBytes: { try await store.maintenance.freeBytes() },
            contents: { digest, size in
                if let file = keptFiles.content(of: digest) { return file }
                return try store.holdsContent(digest) ? try store.unguardedContent(of: digest, size: size) : nil
            })
        upkeep = PreviewUpkeep(workers, settings: settings, commits: store.library.commits, scanner: scanning?.scanner)
        source = PreviewService(workers)
        self.store = store
    }

    /// Runs until graceful shutdown; what is under way then is begun again at the next start.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await workers.run() }
                group.addTask { await upkeep.run() }
                group.addTask { await index() }
            }
        }
        await converter.shutdown()
    }

    /// Has the search find what was read in files.
    private func index() async {
        while !Task.isCancelled {
            let known = workers.finished.count
            do {
                while try await store.maintenance.index.indexTexts() > 0, !Task.isCancelled {}
            } catch {
                logger.error("the text of files is not found yet: \(error)")
                try? await Task.sleep(for: .seconds(60))
            }
            // Texts of a second together.
            try? await Task.sleep(for: .seconds(1))
            await workers.finished.wait(after: known, atMost: .seconds(60))
        }
    }
}
