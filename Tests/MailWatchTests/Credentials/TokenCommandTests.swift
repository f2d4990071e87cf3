import MailConnection
import Foundation
import FundCore
import MailFetch
import Synchronization
import TestSupport
import Testing

@testable import MailWatch

/// The command that fetches a token gets nothing of ours and cannot hold us up.
@Suite(.startsPrograms) struct TokenCommandTests {
    private func run(
        _ command: String, passing: [String] = [], deadline: Duration = .seconds(30),
        cancellation: Cancellation = Cancellation()
    ) async throws -> String {
        let command = TokenCommand(
            command: command, passing: passing, cancellation: cancellation, deadline: deadline)
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try command.run().token.value }) }
        }
    }

    @Test(
        arguments: [
            ("echo token", "token"), ("printf token", "token"), ("printf '\\n token \\r\\n\\n'", "token"),
            ("echo noise >&2; echo token", "token"),
            // A process that it leaves behind may keep its output open.
            ("sleep 100 & echo $!", nil),
            ("cat; echo token", "token"), (#"echo '{"access_token":"token","expires_in":60}'"#, "token"),
        ] as [(String, String?)])
    func printsAToken(_ command: String, _ token: String?) async throws {
        let printed = try await run(command)
        if let token { #expect(printed == token) } else { _ = pid_t(printed).map { kill($0, SIGKILL) } }
    }

    @Test(arguments: [
        ("echo why not >&2; echo more >&2; exit 3", "failed with status 3: why not;"),
        ("echo secret; exit 1", "failed with status 1;"), ("kill -9 $$", "ended by signal 9"),
        ("true", "prints nothing"), ("echo two words", "more than a token"), ("nowhere-to-be-found", "status 127"),
        ("yes", "more than a token"),
        (#"echo '{"error":"invalid_client"}'"#, "reports invalid_client;"),
        ("printf '\\033[2Jgone' >&2; exit 1", "status 1: [2Jgone;"),
    ])
    func failsInWords(_ command: String, _ words: String) async throws {
        let error = await #expect(throws: CredentialError.self) { try await run(command) }
        let text = try #require(error?.description)
        #expect("\(text);".contains(words) && text.hasPrefix("its token_command"), "\(text)")
        #expect(!text.contains("secret") && !text.contains("more\n") && error?.condition == .unavailable)
    }

    /// No file, no socket, no directory of ours is open in it, and no signal is blocked or ignored.
    @Test func inheritsNothing() async throws {
        signal(SIGTERM, SIG_IGN)
        defer { signal(SIGTERM, SIG_DFL) }
        let open = Glibc.open("/dev/zero", O_RDONLY)
        defer { close(open) }
        // By the shell itself: a pipe or a glob would open some of its own.
        let look = "n=3; while [ $n -lt 256 ]; do [ -e /proc/$$/fd/$n ] && printf $n,; n=$((n+1)); done; echo none"
        let files = try await run(look)
        #expect(files == "none")
        #expect(try await run("readlink /proc/self/fd/0") == "/dev/null")
        let masks = try await run("sed -n 's/^Sig\\(Blk\\|Ign\\):.//p' /proc/self/status | tr '\\n' ,")
        // 32 and 33 are glibc's own.
        let signals = masks.split(separator: ",").compactMap { UInt64($0, radix: 16) }.map { $0 & 0x7FFF_FFFF }
        #expect(signals == [0, 0], "\(masks)")
    }

    /// The passwords of other mailboxes may be in the environment, and what makes programs start others.
    @Test func seesOnlyWhatItNeeds() async throws {
        let needed = Set(["PATH", "HOME", "LANG"])
        let shells = Set(["PWD", "OLDPWD", "SHLVL", "_"])
        let look = "env -0 | tr '\\n' _ | tr '\\0' '\\n' | sed 's/=.*//' | tr '\\n' ,"
        let plain = Set(try await run(look).split(separator: ",").map(String.init)).subtracting(shells)
        #expect(plain.contains("PATH") && plain.isSubset(of: needed), "\(plain)")
        let ours = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty && !$0.key.contains("\n") }
        let other = try #require(Set(ours.keys).subtracting(needed).subtracting(shells).sorted().first)
        let passed = Set(
            try await run(look, passing: [other, "FUNDMAIL_UNSET"]).split(separator: ",").map(String.init))
        #expect(passed.subtracting(shells) == plain.union([other]), "\(passed)")
        #expect(try await run("printenv \(other) | wc -c", passing: [other]) == "\((ours[other] ?? "").utf8.count + 1)")
    }

    /// The whole process group goes, not only the shell.
    @Test(arguments: [true, false])
    func endsWithItsChildren(_ isCancelled: Bool) async throws {
        let folder = try TestFile.makeFolder("token")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let cancellation = Cancellation()
        let command = "sh -c 'echo $$ > \(folder)/pid; exec sleep 1000'; true"
        async let result = run(command, deadline: isCancelled ? .seconds(600) : .seconds(5), cancellation: cancellation)
        let pid = {
            (try? TestFile.read("\(folder)/pid")).flatMap { pid_t(String(decoding: $0.dropLast(), as: UTF8.self)) }
        }
        if isCancelled {
            #expect(try await becomesTrue { pid() != nil })
            cancellation.cancel()
        }
        do {
            _ = try await result
            Issue.record("it gave a token")
        } catch {
            #expect(isCancelled ? error is CancellationError : "\(error)".contains("takes longer than"), "\(error)")
        }
        let child = try #require(pid())
        #expect(try await ProcessEnd.wait(for: child), "the grandchild lives")
    }

    @Test func tokenIsKeptUntilItIsRefused() throws {
        let asked = Flag()
        let token = AccessToken(fetch: { AccessTokenText(kept: asked.raise() ? "first" : "second", at: .now) })
        for (isRefused, expected) in [(false, "first"), (false, "first"), (true, "second"), (false, "second")] {
            #expect(try token.value(isRefused: isRefused).token.value == expected)
        }
    }

    /// One that a login could not use any more is not tried.
    @Test func tokenIsFetchedAnewBeforeItExpires() throws {
        let now = Mutex<Timestamp>(1_700_000_000)
        let time: @Sendable () -> Timestamp = { now.withLock { $0 } }
        let token = AccessToken(
            now: time, fetch: { try AccessTokenText(printed: #"{"access_token":"t","expires_in":3600}"#, at: time()) })
        for (passed, fetchedAt) in [
            (0, 1_700_000_000), (3540, 1_700_000_000), (1, 1_700_003_541), (3540, 1_700_003_541),
            (86_400, 1_700_093_481),
        ] as [(Int64, Timestamp)] {
            now.withLock { $0 = $0 + .seconds(passed) }
            #expect(try token.value(isRefused: false).fetchedAt == fetchedAt, "\(passed) s later")
        }
    }

    /// The watch hears of what a login is given, also from a cache.
    @Test func tokensAreShown() throws {
        let path = try TestFile.makeFolder("token")
        defer { try? FileManager.default.removeItem(atPath: path) }
        try TestFile.write("e30.eyJleHAiOjE1MDAwMDAwMDB9.c2ln\n", to: "\(path)/token")
        let sources: [(source: TokenSource, expiry: Timestamp?, isRenewed: Bool)] = [
            (.file("\(path)/token"), 1_500_000_000, false), (.command("cat \(path)/token"), 1_500_000_000, true),
            (.command("echo plain"), nil, true),
        ]
        for (source, expiry, isRenewed) in sources {
            let seen = Mutex<[SeenToken]>([])
            let credentials = try CredentialSource.oauth2(source).credentials(
                Cancellation(), onToken: { token in seen.withLock { $0.append(token) } })
            guard case .oauth2(let token) = credentials else {
                Issue.record("no token")
                continue
            }
            for _ in 0..<2 { _ = try token(false) }
            let tokens = seen.withLock { $0 }
            #expect(tokens.count == 2 && tokens.allSatisfy { $0.expiresAt == expiry && $0.isRenewed == isRenewed })
            #expect(tokens.allSatisfy { $0.isExpired(at: .now) == (expiry != nil) })
        }
    }
}
