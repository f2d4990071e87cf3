internal import ChildProcesses
internal import FundCore

/// One run of rclone in its sandbox.
struct RcloneCommand: Sendable {
    /// Its command and arguments. Never a secret: other users of the machine can read them.
    var words: [String]
    /// The configuration file.
    var file: [UInt8] = []
    /// Names and hashes of passwords of those who may ask it by HTTP (htpasswd); nil where it is not asked.
    var accounts: [UInt8]?
    /// Sockets in its network by which it is asked.
    var clients = 0
    /// PEM of authorities beside those of the system.
    var authorities: [UInt8]?
    /// Seconds after which it is ended whatever it does; nil for as long as bytes flow.
    var maxSeconds: Double?
    /// Bytes from and to the store after which it is ended; nil where they are those of files.
    var maxBytes: Int?
    /// The least pace at which bytes come and go.
    var pace = DrivePace()
    /// Bytes that the file may have to which it writes its output (RLIMIT_FSIZE); nil for an output that is a pipe.
    var maxFileBytes: Int64?
    /// Bytes of memory that it may write to. A listing of `RunLimits.maxAnswerBytes` takes some 900 MB, and an upload
    /// to Backblaze four pieces of 96 MB.
    var dataBytes = 1536 << 20

    static let program = "/usr/bin/rclone"

    /// Address space: Go reserves more than it uses.
    private static let memoryBytes: UInt64 = 3 << 30
    /// Bytes that Go uses before it gives some back.
    private static let heapBytes = 256 << 20
    /// Processes and threads.
    private static let maxProcesses = 64
    private static let maxDescriptors = 256
    private static let scratchBytes = 16 << 20

    /// Descriptors behind the channel of the launcher.
    enum Descriptor {
        static let deniedCalls = 4
        static let file = 5
        static let authorities = 6
        static let accounts = 7
    }

    private static let filePath = "/run/rclone.conf"
    static let accountsPath = "/run/accounts"
    private static let authoritiesPath = "/run/authorities.pem"

    /// Authorities that the system trusts, and the list of libraries.
    private static let lookups = [
        "/etc/ssl/certs", "/etc/pki/tls", "/etc/pki/ca-trust", "/etc/ca-certificates", "/etc/ld.so.cache",
        "/etc/alternatives",
    ]

    /// No second attempts of whole commands: who asked for it tries again. No password is asked for. Nothing is packed
    /// on its way: the bytes that come are those that a child has to hold. HTTP/2 takes Go half as much work again for
    /// each byte as HTTP/1.1 does, and has files that are read at the same time share one connection.
    private static let options = [
        "--config", filePath, "--ask-password=false", "--retries", "1", "--low-level-retries", "3", "--contimeout",
        "20s", "--timeout", "60s", "--log-level", "ERROR", "--stats", "0", "--use-mmap=false", "--cache-dir", "/tmp",
        "--user-agent", "fundmail", "--no-gzip-encoding", "--disable-http2",
    ]

    /// Options of one that writes a large file: pieces that the caches of a processor hold, instead of 16 MiB.
    private static let fileOptions = ["--buffer-size", "2M"]
    /// Per cent by which the heap of such a one grows before Go looks for garbage: it holds some MB.
    private static let fileHeapGrowth = 400

    /// The program that `DriveLauncher` becomes: bwrap(1), in it prlimit(1), in it rclone.
    var launched: [String] {
        let proxy = "http://127.0.0.1:\(DriveLauncher.port)"
        var variables = [
            ("PATH", "/usr/bin:/bin"), ("HOME", "/tmp"), ("HTTPS_PROXY", proxy), ("HTTP_PROXY", proxy),
            ("GOMEMLIMIT", "\(Self.heapBytes)"), ("GOTRACEBACK", "none"),
            // Half of the processor time of a start would go into a table of the widths of characters on terminals.
            ("TCELL_MINIMIZE", "1"),
        ]
        if maxFileBytes != nil { variables.append(("GOGC", "\(Self.fileHeapGrowth)")) }
        if authorities != nil { variables.append(("SSL_CERT_FILE", Self.authoritiesPath)) }
        var words = [NamespaceWords.program] + NamespaceWords.namespaces
        for (name, value) in variables { words += ["--setenv", name, value] }
        words += NamespaceWords.programs
        for path in Self.lookups { words += ["--ro-bind-try", path, path] }
        // By /proc/self/fd the file of the output could be opened for more than appending.
        if maxFileBytes == nil { words += ["--proc", "/proc"] }
        words += ["--dev", "/dev", "--size", "\(Self.scratchBytes)", "--tmpfs", "/tmp"]
        words += ["--perms", "0700", "--dir", "/run", "--perms", "0600"]
        words += ["--file", "\(Descriptor.file)", Self.filePath]
        if authorities != nil { words += ["--file", "\(Descriptor.authorities)", Self.authoritiesPath] }
        if accounts != nil { words += ["--perms", "0600", "--file", "\(Descriptor.accounts)", Self.accountsPath] }
        words += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp"]
        words += NamespaceWords.user(deniedCalls: Descriptor.deniedCalls)
        words += ["/usr/bin/prlimit", "--as=\(Self.memoryBytes)", "--data=\(dataBytes)"]
        if let maxFileBytes { words.append("--fsize=\(maxFileBytes)") }
        words += ["--nofile=\(Self.maxDescriptors)", "--nproc=\(Self.maxProcesses)", "--core=0", "--", Self.program]
        words += Self.options + (maxFileBytes == nil ? [] : Self.fileOptions)
        return words + self.words
    }
}
