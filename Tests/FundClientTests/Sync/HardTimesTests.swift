import Foundation
import TestSupport
import Testing

@testable import FundClient

/// A folder in step with a real server, over a bad network and on a full disk.
@Suite(.startsPrograms, .serialized, .timeLimit(.minutes(5))) struct HardTimesTests {
    private func options(_ change: (inout FolderSync.Options) -> Void = { _ in }) -> FolderSync.Options {
        var options = FolderSync.Options()
        (options.settleTime, options.patience, options.mayDeleteMany) = (.zero, .zero, true)
        change(&options)
        return options
    }

    /// Runs until both sides are in step. What ends a run is no failure here.
    private func come(_ folder: ModelFolder, inStepWith session: Session, _ catalogue: Catalogue) async throws -> Bool {
        for _ in 1...12 {
            let sync = try FolderSync(folder.root, of: session, catalogue: catalogue, options: options())
            defer { sync.close() }
            if let summary = try? await sync.run(), summary.isInStep { return true }
        }
        return false
    }

    private func contents(_ session: Session, _ fund: FundID) async throws -> [String: Digest?] {
        var (found, waiting): ([String: Digest?], [(String, Place)]) = (["Fund": nil], [("Fund", .fund(fund))])
        while let (path, place) = waiting.popLast() {
            for item in try await session.items(of: place) {
                switch item {
                case .folder(let folder):
                    found["\(path)/\(folder.name)"] = .some(nil)
                    waiting.append(("\(path)/\(folder.name)", .folder(folder.id)))
                case .file(let file): found["\(path)/\(file.name)"] = file.digest
                }
            }
        }
        return found
    }

    /// Without the other funds of the server.
    private func own(_ folder: ModelFolder) -> [String: Digest?] {
        folder.paths.filter { $0.key == "Fund" || $0.key.hasPrefix("Fund/") }
    }

    private enum Trouble: String, CaseIterable {
        case repeated, cut, changed, pieces

        func rules(_ round: Int) -> MeddlingProxy.Rules {
            var rules = MeddlingProxy.Rules()
            switch self {
            case .repeated: rules.repeatsAnswer = 3 + round
            case .cut: rules.cutAfterServerBytes = 30_000 + 7_000 * round
            case .changed: rules.changeServerByte = 5_000 + 9_000 * round
            case .pieces: rules.pieceBytes = 100
            }
            return rules
        }
    }

    /// Answers that come twice, are cut off, have another byte, or come in small pieces: in the end both sides have
    /// all.
    @Test(arguments: Trouble.allCases) private func comesInStepOverABadNetwork(_ trouble: Trouble) async throws {
        let server = try await FundmailServer()
        let proxy = try MeddlingProxy(to: server.port)
        defer { proxy.stop() }
        let good = try await SignedIn(server, url: "http://localhost:\(proxy.port)")
        let fund = try await good.session.makeFund(named: "Fund")
        let there = try await good.session.makeFolder(named: "there", in: .fund(fund.id))
        for number in 0..<12 {
            let bytes = patternBytes(20_000 + number, from: number)
            _ = try await good.session.upload(.bytes(bytes), named: "there \(number)", to: .folder(there.id))
        }
        let folder = try ModelFolder()
        try folder.makeFolder("Fund")
        try folder.makeFolder("Fund/here")
        for number in 0..<12 {
            try folder.write([UInt8](repeating: UInt8(number), count: 5000), to: "Fund/here/\(number)")
        }
        var expected = own(folder)
        expected.merge(try await contents(good.session, fund.id)) { $1 }
        let catalogue = try folder.catalogue()
        for round in 0..<9 {
            // A good line corrects all that a bad one made the sync believe.
            let isGood = round == 8
            proxy.setRules(isGood ? MeddlingProxy.Rules() : trouble.rules(round))
            // Open connections keep their rules.
            let transport = try AsyncHTTPTransport()
            let session = Session(account: good.session.account, credentials: good.store, transport: transport)
            let isInStep = try await come(folder, inStepWith: session, catalogue)
            await transport.shutdown()
            #expect(isInStep || !isGood)
        }
        #expect(own(folder) == expected)
        let transport = try AsyncHTTPTransport()
        let session = Session(account: good.session.account, credentials: good.store, transport: transport)
        #expect(try await contents(session, fund.id) == expected)
        await transport.shutdown()
        await good.transport.shutdown()
        try await server.kill()
    }

    @Test(.enabled(if: SmallDisk.isPossible)) func keepsEverythingOnAFullDisk() async throws {
        let server = try await FundmailServer()
        let good = try await SignedIn(server)
        let disk = try SmallDisk(bytes: 8_000_000)
        defer { disk.unmount() }
        let fund = try await good.session.makeFund(named: "Fund")
        for number in 0..<12 {
            let bytes = [UInt8](repeating: UInt8(number), count: 1_000_000)
            _ = try await good.session.upload(.bytes(bytes), named: "\(number)", to: .fund(fund.id))
        }
        let folder = try ModelFolder(on: disk.path)
        let catalogue = try folder.catalogue()
        func sync() async throws -> SyncSummary {
            let sync = try FolderSync(folder.root, of: good.session, catalogue: catalogue, options: options())
            defer { sync.close() }
            return try await sync.run()
        }
        // Some space is left for others.
        var summary = try await sync()
        #expect(!summary.isInStep)
        #expect((1...11).contains(summary.problems.count))
        // None at all.
        try disk.resize(bytes: 90 << 20)
        // One that is here: which of them found room is chance.
        let here = try #require(folder.paths.first { $0.key.hasPrefix("Fund/") && $0.value != nil }?.key)
        try folder.write("changed", to: here)
        try disk.fill()
        _ = try? await sync()
        #expect(folder.paths.values.compactMap(\.self).allSatisfy { $0 != ModelServer.digest([]) })
        disk.unfill()
        try disk.resize(bytes: 200 << 20)
        summary = try await sync()
        if !summary.isInStep { summary = try await sync() }
        #expect(summary.isInStep)
        #expect(own(folder) == (try await contents(good.session, fund.id)))
        #expect(own(folder).count == 13)
        await good.transport.shutdown()
        try await server.kill()
    }
}
