import ArgumentParser
import FundCore
import FundStore
import Terminal

/// `bucket`: the segments of the log as objects.
struct BucketCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bucket", abstract: "The object store that has what is sealed of the log.",
        discussion: """
            Mail and files are first durable in the store's folder. Segments of the log that are full are put into \
            a bucket of an S3-compatible store, by serve and watch or by `bucket put`, and may leave the folder then. \
            The key stands in the environment or in a file, as for AWS's tools: AWS_ACCESS_KEY_ID and \
            AWS_SECRET_ACCESS_KEY, or AWS_SHARED_CREDENTIALS_FILE.

            Examples:
              fundmail bucket add "s3://company-mail?endpoint=https://s3.example.com"
              fundmail bucket put
              fundmail bucket show
            """,
        subcommands: [Add.self, Show.self, Put.self, Fetch.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Have a store keep sealed segments in a bucket.",
            discussion: """
                Tries what the store of objects can do, with a few small objects that are gone afterwards, and notes \
                the bucket in the store's folder. The bucket has to be there, and nothing else may use the store \
                meanwhile: end `serve` and `watch` before. `bucket put` then puts what the store has.

                --keep limits the segments in the folder: the earliest leave it once they are in the bucket and were \
                compared with it byte by byte. They are read from the bucket then. Without it all stay in both. The \
                same command with another --keep changes it for programs that start later.

                A bucket that another state of the store uses, as after a restored backup, is refused: --take-over \
                says that the other one is gone.

                Examples:
                  fundmail bucket add "s3://company-mail?region=eu-central-1"
                  fundmail bucket add "s3://mail/fundmail?endpoint=https://s3.example.com" --keep 50GB
                """)

        @Argument(help: ArgumentHelp("s3://BUCKET[/PREFIX]?endpoint=URL&region=NAME", valueName: "address"))
        var address: String
        @Option(
            help: ArgumentHelp("Limit of the segments that stay in the folder (default: all).", valueName: "size"),
            transform: BucketCommand.size)
        var keep: Int64?
        @Flag(help: "Use the bucket also where another state of this store did.") var takeOver = false
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore()
            try BucketCommand.add(address, keeping: keep, takesOver: takeOver, to: store)
            try store.close()
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Say what is in the bucket, and what is not yet.")

        @Flag(help: "Print one JSON object.") var json = false
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore(.readOnly)
            let bucket = try BucketCommand.bucket(of: store)
            let status = try await bucket.status()
            if json { return try Console.write(BucketCommand.line(bucket.place, status)) }
            for line in BucketWords.lines(bucket.place, status) { try Console.line(line) }
        }
    }

    struct Put: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "put", abstract: "Put what is not in the bucket yet.",
            discussion: """
                Seals the segments that no process appends to, whatever their size, puts what is missing, and gives \
                files back to the disk as --keep of `bucket add` says. `serve` does the same every few minutes with \
                segments of at least 8 MiB. Broken off, it goes on the next time.

                Nothing is deleted in the bucket without --delete, which deletes objects that this store does not need \
                since a day. A copy of the store's folder, as of a machine that was cloned or set back, needs them \
                perhaps: give --delete only where there is none.

                Exit status: 0 when all is done, 65 when a segment is damaged, 69 when the bucket cannot be used, 75 \
                when another process is at it.
                """)

        @Flag(name: .customLong("delete"), help: "Delete objects that nothing needs since a day.")
        var isDeleting = false
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore()
            let (bucket, line, signals) = (try BucketCommand.bucket(of: store), ProgressLine(), StopSignal())
            let report = try await bucket.keep(
                isWhole: true, isDeleting: isDeleting, shouldStop: { signals.isReceived }
            ) { report in
                line.show("put \(report.put) segments, \(Quantity.display(bytes: report.putBytes))")
            }
            line.clear()
            guard let report else {
                throw CommandError(.temporary, "Another process puts segments just now; try again later.")
            }
            try Console.line(BucketWords.outcome(report))
            try BucketCommand.finish(report, store, signals)
        }
    }

    struct Fetch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "fetch", abstract: "Fetch the segments that are not in the folder.",
            discussion: """
                Each is compared with its checksums before it counts. Afterwards the folder has all of the log: before \
                a move to another bucket, or for rebuild and salvage, which read the folder alone. A store whose \
                segments leave the folder (--keep of `bucket add`) lets them go again.

                With --from and --to it needs no store: all segments of all stores that the bucket has come into a \
                folder, one folder each, where `fundmail salvage` and `rebuild --from` read them.

                Examples:
                  fundmail bucket fetch
                  fundmail bucket fetch --from "s3://company-mail?region=eu-central-1" --to rescued
                """)

        @Option(help: ArgumentHelp("A bucket, instead of that of the store.", valueName: "address"))
        var from: String?
        @Option(
            help: ArgumentHelp("The folder for segments of --from; it is made if it is not there.", valueName: "dir"))
        var to: String?
        @OptionGroup var globals: GlobalOptions

        func validate() throws {
            guard (from == nil) == (to == nil) else { throw ValidationError("--from and --to go together") }
        }

        func run() async throws {
            let (line, signals) = (ProgressLine(), StopSignal())
            if let from, let to {
                let found = try BucketRescue.run(
                    from, environment: BucketEnvironment.current, to: to, shouldStop: { signals.isReceived }
                ) { done, all in line.show("\(done) of \(all) segments") }
                line.clear()
                for folder in found { try Console.line("\(folder.segments) segments in \(folder.path)") }
                guard !found.isEmpty else { throw CommandError(.input, "The bucket has no segments of a store.") }
                guard signals.number <= 0 else { throw ExitCode(128 + signals.number) }
                return
            }
            let store = try Workspace(globals).openStore(.fetching)
            let report = try await BucketCommand.bucket(of: store).fetchAll(shouldStop: { signals.isReceived }) {
                line.show("fetched \($0.fetched) segments")
            }
            line.clear()
            try Console.line("Fetched \(report.fetched) segments.")
            try BucketCommand.finish(report, store, signals)
        }
    }

    // MARK: Common parts

    static func size(_ text: String) throws -> Int64 {
        guard let bytes = Quantity.bytes(text) else { throw ValidationError("\(text) is no size, as 50GB is") }
        return bytes
    }

    static func bucket(of store: FundStore) throws -> StoreBucket {
        if let bucket = store.bucket { return bucket }
        throw CommandError(
            .configuration, "This store has no bucket: all of its log is in its folder; `fundmail bucket add` adds one."
        )
    }

    /// Adds a bucket, and says what it can do.
    static func add(_ address: String, keeping bytes: Int64?, takesOver: Bool, to store: FundStore) throws {
        let joining = try BucketJoining(address, environment: BucketEnvironment.current, localBytes: bytes)
        for finding in joining.findings {
            if finding.isGood {
                try Console.line("The store of objects: \(finding.text).")
            } else {
                Console.warn("The store of objects: \(finding.text).")
            }
        }
        try store.add(joining, takesOver: takesOver)
        try Console.line(
            "The store keeps sealed segments in \(joining.place.address). `fundmail serve`, `watch` and "
                + "all other commands need the key in their environment.")
    }

    fileprivate static func finish(_ report: BucketReport, _ store: FundStore, _ signals: StopSignal) throws {
        try store.close()
        for problem in report.problems { Console.warn("\(problem).") }
        guard signals.number <= 0 else { throw ExitCode(128 + signals.number) }
        guard report.problems.isEmpty else { throw ExitCode(ExitStatus.input.rawValue) }
    }

    private static func line(_ place: BytesPlace, _ status: BucketStatus) -> [UInt8] {
        JSONWriter.line { line in
            line.field("address", place.address)
            line.field("kept_bytes", place.localBytes)
            line.field("segments", status.segments)
            line.field("bytes", status.bytes)
            line.field("segments_without_file", status.alone)
            line.field("waiting_segments", status.waiting)
            line.field("waiting_bytes", status.waitingBytes)
            line.field("objects_to_delete", status.going)
        }
    }
}
