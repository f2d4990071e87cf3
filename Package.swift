// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "fundmail",
    products: [
        .executable(name: "fundmail", targets: ["FundmailCLI"]),
        .executable(name: "fund", targets: ["FundCommand"]),
        .library(name: "FundClient", targets: ["FundClient"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // GMime and iconv as Debian ships them: module map and shims, no logic.
        .systemLibrary(
            name: "CGMime", pkgConfig: "gmime-3.0", providers: [.apt(["libgmime-3.0-dev"])]),
        // Linux calls that Swift cannot see because they are variadic or hidden behind feature macros.
        .systemLibrary(name: "CLinux"),
        // libcurl as Debian ships it: module map and typed forms of its variadic functions, no logic.
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        // libsqlite3 as Debian ships it, for what GRDB leaves out: module map and a shim, no logic.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // libpq as Debian ships it: module map and functions that load it when it is first used, no logic.
        .systemLibrary(name: "CPostgreSQL", providers: [.apt(["libpq-dev"])]),
        // libxxhash as Debian ships it, for the checksums of the log: module map, no logic.
        .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
        // libzstd as Debian ships it, for text in the log: module map, no logic.
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        // zlib as Debian ships it, for the checksums of zip files: module map, no logic.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // libqrencode as Debian ships it, for QR codes on pages: module map, no logic.
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        // Values that all targets share, such as people, funds, mail and files, and the ports. No C, SQL or HTTP.
        .target(
            name: "FundCore", dependencies: [.product(name: "Crypto", package: "swift-crypto")], swiftSettings: settings
        ),
        // The way of a message: routing rules, pipeline, refiling, the desk. Pure rules and ports, no C, SQL or HTTP.
        .target(name: "Ingest", dependencies: ["FundCore"], swiftSettings: settings),
        // Child processes: starting, confining and watching them, and what travels between them and this process.
        .target(name: "ChildProcesses", dependencies: ["FundCore", "CLinux"], swiftSettings: settings),
        // Connections by libcurl, encrypted and logged in; the only target that touches it.
        .target(name: "MailConnection", dependencies: ["FundCore", "CCurl", "CLinux"], swiftSettings: settings),
        // Sources of raw messages: files, and mail servers by IMAP and POP3; and address books by CardDAV.
        .target(name: "MailFetch", dependencies: ["FundCore", "MailConnection"], swiftSettings: settings),
        // Letters: written, and handed to a server by SMTP. Values and bytes, no SQL or HTTP.
        .target(name: "MailSend", dependencies: ["FundCore", "MailConnection"], swiftSettings: settings),
        // Feeds of the public web: when they are fetched, and from which addresses never. No SQL, and no parser.
        .target(name: "NewsFetch", dependencies: ["FundCore", "MailConnection"], swiftSettings: settings),
        // Polling of mailboxes: one run, the watch loop, back-off, IDLE. Kept apart from how commands show it.
        .target(
            name: "MailWatch", dependencies: ["FundCore", "ChildProcesses", "Ingest", "MailConnection", "MailFetch"],
            swiftSettings: settings),
        // GMime behind a child process; the only target that touches it.
        .target(
            name: "MailParse",
            dependencies: [
                "FundCore", "ChildProcesses", "CGMime", "CLinux", .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: settings),
        // Previews of files: the queue of what is to be made, and converters in processes that reach nothing.
        .target(
            name: "FundPreview",
            dependencies: ["FundCore", "ChildProcesses", "CLinux", .product(name: "Logging", package: "swift-log")],
            swiftSettings: settings),
        // People's cloud stores, by rclone in processes that reach nothing but the hosts that they may. No SQL or HTTP.
        .target(
            name: "DriveBridge",
            dependencies: [
                "FundCore", "ChildProcesses", "MailConnection", "CLinux",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: settings),
        // SQLite's calls of the disk, for store and client alike: the only target that changes them.
        .target(name: "SQLiteRoom", dependencies: ["CLinux", "CSQLite"], swiftSettings: settings),
        // Connections to PostgreSQL, their statements, pools and failures: the only target that touches libpq.
        .target(
            name: "PostgreSQLRoom", dependencies: ["FundCore", "CLinux", "CPostgreSQL"], swiftSettings: settings),
        // Objects in S3-compatible stores, and a cache of them on this machine: the only target that knows S3.
        .target(
            name: "ObjectStorage",
            dependencies: [
                "FundCore", "MailConnection", "CLinux", "CXXHash", .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: settings),
        // SQLite rows, blobs and raw files; the only target with SQL of the store.
        .target(
            name: "FundStore",
            dependencies: [
                "FundCore", "ObjectStorage", "PostgreSQLRoom", "SQLiteRoom", "CLinux", "CSQLite", "CXXHash", "CZstd",
                .product(name: "Crypto", package: "swift-crypto"), .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
        // Connections, TLS, HTTP/1.1 and HTTP/2, limits, bodies and conditions, whatever is served: the only target of
        // the server that knows NIO. Of FundCore it uses the tools for bytes, text, times and concurrency.
        .target(
            name: "FundHTTP",
            dependencies: [
                "FundCore", "CLinux", "CZlib",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP2", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        // Everything that users reach over HTTP.
        .target(
            name: "FundServer",
            dependencies: [
                "FundCore", "Ingest", "FundHTTP", "CQREncode", "CServerFiles", "CZlib",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            exclude: ["Web/openapi.yaml", "Pages/Assets", "Pages/Templates", "Pages/words.tsv"],
            swiftSettings: settings),
        // The files that FundServer serves, embedded by the C compiler: no logic.
        .target(name: "CServerFiles"),
        // Tables, progress, secret input and quantities of both commands. Imports no other target of the project.
        .target(name: "Terminal", swiftSettings: settings),
        // Commands, configuration, and the only place that wires parts together.
        .executableTarget(
            name: "FundmailCLI",
            dependencies: [
                "FundCore", "ChildProcesses", "Ingest", "MailConnection", "MailFetch", "MailParse", "MailSend",
                "MailWatch", "NewsFetch", "DriveBridge", "FundPreview", "FundStore", "FundHTTP", "FundServer",
                "Terminal", "CLinux", "CZlib",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
            resources: [.embedInCode("Configuration/fundmail.yaml")],
            swiftSettings: settings),
        // The library for apps and the command `fund`: sessions, the catalogue of a server, transfers, folders in step.
        // Knows no target of the server, and needs nothing that exists on Linux alone.
        .target(
            name: "FundClient",
            dependencies: [
                .target(name: "SQLiteRoom", condition: .when(platforms: [.linux])),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: settings),
        // The client for people: commands, words, progress.
        .executableTarget(
            name: "FundCommand",
            dependencies: [
                "FundClient", "Terminal", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        // The example that makers of apps read first; a test runs it. No product.
        .executableTarget(
            name: "FundExample", dependencies: ["FundClient"], path: "Examples/FundExample", swiftSettings: settings),
        // Fixtures, temporary folders and the built binary, for every test target.
        .target(
            name: "TestSupport",
            dependencies: [
                "FundCore", "FundStore", "PostgreSQLRoom", "CLinux", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/TestSupport", exclude: ["FakeStores", "ObjectStores/openstack_swift.py"],
            swiftSettings: settings),
        .testTarget(name: "FundCoreTests", dependencies: ["FundCore", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "IngestTests", dependencies: ["FundCore", "FundStore", "Ingest", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "MailConnectionTests", dependencies: ["FundCore", "MailConnection", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "MailFetchTests", dependencies: ["MailFetch", "MailConnection", "TestSupport"],
            exclude: ["Transcripts"],
            swiftSettings: settings),
        .testTarget(
            name: "MailSendTests",
            dependencies: [
                "MailSend", "MailConnection", "MailParse", "FundStore", "FundmailCLI", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            exclude: ["read_message.py", "read_with_mail_parser.py"],
            swiftSettings: settings),
        .testTarget(
            name: "NewsFetchTests",
            dependencies: ["NewsFetch", "MailConnection", "FundStore", "FundmailCLI", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "DriveBridgeTests",
            dependencies: ["DriveBridge", "ChildProcesses", "FundStore", "FundmailCLI", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "MailWatchTests", dependencies: ["MailWatch", "MailConnection", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "MailParseTests", dependencies: ["MailParse", "ChildProcesses", "TestSupport", "FundmailCLI"],
            swiftSettings: settings),
        .testTarget(
            name: "FundPreviewTests",
            dependencies: ["FundPreview", "ChildProcesses", "FundStore", "FundmailCLI", "TestSupport", "CLinux"],
            swiftSettings: settings),
        .testTarget(
            name: "ObjectStorageTests", dependencies: ["FundCore", "MailConnection", "ObjectStorage", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "PostgreSQLRoomTests", dependencies: ["FundCore", "PostgreSQLRoom", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "FundStoreTests",
            dependencies: [
                "FundStore", "MailConnection", "ObjectStorage", "PostgreSQLRoom", "SQLiteRoom", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FundHTTPTests",
            dependencies: [
                "FundHTTP", "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FundServerTests",
            dependencies: [
                "FundHTTP", "FundServer", "FundStore", "FundmailCLI", "Ingest", "MailParse", "TestSupport",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
            exclude: ["Mobile/client.sh"],
            swiftSettings: settings),
        .testTarget(name: "TerminalTests", dependencies: ["Terminal"], swiftSettings: settings),
        .testTarget(
            name: "FundmailCLITests",
            dependencies: ["DriveBridge", "FundmailCLI", "ObjectStorage", "Terminal", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "FundClientTests",
            dependencies: ["FundClient", "FundStore", "TestSupport", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: settings),
        .testTarget(
            name: "FundCommandTests", dependencies: ["FundCommand", "FundClient", "Terminal", "TestSupport"],
            swiftSettings: settings),
    ]
)
