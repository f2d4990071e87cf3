import FundClient
import Foundation
import TestSupport
import Testing

/// The calls of funds, folders and files against a server that speaks TLS.
@Suite(.startsPrograms, .serialized, .timeLimit(.minutes(3))) struct FundAndFileTests {
    @Test func makesRenamesAndDeletesFunds() async throws {
        try await withSession { session in
            let before = try await session.funds().count
            let fund = try await session.makeFund(named: "Reise 2026 ✈")
            #expect(await code { _ = try await session.makeFund(named: "REISE 2026 ✈") } == .conflict)
            #expect(try await session.renameFund(fund.id, to: "Reise").name == "Reise")
            #expect(try await session.funds().count == before + 1)
            try await session.deleteFund(fund.id)
            #expect(try await session.funds().count == before)
            #expect(try await session.restoreFund(fund.id).name == "Reise")
            #expect(await code { _ = try await session.fund(FundID(9999)) } == .notFound)
        }
    }

    @Test func sendsLoadsMovesAndDeletesFiles() async throws {
        try await withSession { session in
            let fund = try await session.makeFund(named: "Files")
            let folder = try await session.makeFolder(named: "Über & Co #1?", in: .fund(fund.id))
            let bytes = patternBytes(300_000)
            let name = "Ärger 50%+1 & 日本.bin"
            let file = try await session.upload(.bytes(bytes), named: name, to: .folder(folder.id))
            #expect(file.name == name && file.size == 300_000 && file.folder == folder.id && file.fund == fund.id)
            #expect(try await load(session, file.id) == bytes)

            #expect(
                await code { _ = try await session.upload(.bytes([1]), named: name, to: .folder(folder.id)) }
                    == .conflict)
            let second = try await session.upload(.none, named: name, to: .folder(folder.id), ifTaken: .number)
            #expect(second.name == "Ärger 50%+1 & 日本(1).bin" && second.size == 0)
            #expect(try await load(session, second.id) == [])

            let tagged = try await session.taggedFile(file.id)
            let moved = try await session.move(file.id, to: .fund(fund.id), named: "a.bin", ifMatch: tagged.tag)
            #expect(moved.folder == nil && moved.name == "a.bin")
            #expect(
                await code { _ = try await session.move(file.id, named: "b.bin", ifMatch: tagged.tag) }
                    == .preconditionFailed)
            #expect(await code { try await session.delete(file.id, ifMatch: tagged.tag) } == .preconditionFailed)
            #expect(try await session.items(of: .fund(fund.id)).map(\.name) == [folder.name, "a.bin"])
            #expect(try await session.copy(file.id, named: "c.bin").digest == file.digest)
            try await session.delete(file.id)
            #expect(try await session.restore(file.id).deletedAt == nil)
            try await session.delete(folder.id)
            #expect(try await session.restore(folder.id).name == folder.name)
        }
    }

    @Test func replacesContentOnlyIfItIsWhatItWas() async throws {
        try await withSession { session in
            let fund = try await session.makeFund(named: "Files")
            let file = try await session.upload(.bytes([1, 2, 3]), named: "a", to: .fund(fund.id))
            let other = try await session.replaceContent(of: file.id, with: .bytes([4]), ifMatch: file.digest)
            #expect(other.id == file.id && other.digest != file.digest)
            #expect(
                await code {
                    _ = try await session.replaceContent(of: file.id, with: .bytes([5]), ifMatch: file.digest)
                }
                    == .preconditionFailed)
            #expect(try await load(session, file.id) == [4])
        }
    }

    @Test func goesOnFromAnOffset() async throws {
        try await withSession { session in
            let fund = try await session.makeFund(named: "Files")
            let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
            let file = try await session.upload(.bytes(bytes), named: "a", to: .fund(fund.id))
            let rest = try await session.content(of: file.id, from: 400, ifRange: file.digest)
            #expect(rest.status == 206 && rest.offset == 400 && rest.totalSize == 1000 && rest.digest == file.digest)
            #expect(try await collect(rest) == Array(bytes[400...]))
            _ = try await session.replaceContent(of: file.id, with: .bytes([7, 7]), ifMatch: nil)
            let anew = try await session.content(of: file.id, from: 400, ifRange: file.digest)
            #expect(anew.status == 200 && anew.offset == 0 && anew.totalSize == 2)
            #expect(try await collect(anew) == [7, 7])
        }
    }

    @Test func largeBodiesGoInPieces() async throws {
        try await withSession { session in
            let fund = try await session.makeFund(named: "Files")
            let piece = patternBytes(65_536)
            let file = try await session.upload(.pieces(piece, count: 800), named: "large", to: .fund(fund.id))
            #expect(file.size == 800 * 65_536)
            var count: Int64 = 0
            for try await bytes in try await session.content(of: file.id).body { count += Int64(bytes.count) }
            #expect(count == file.size)
        }
    }

    @Test func showsChangesWithTheirItems() async throws {
        try await withSession { session in
            let fund = try await session.makeFund(named: "Changes")
            let start = try await session.changes(since: .beginning, withItems: false)
            #expect(!start.hasMore && start.changes.contains { $0.kind == .fund && $0.id == fund.id.value })
            let folder = try await session.makeFolder(named: "x", in: .fund(fund.id))
            let file = try await session.upload(.bytes([1]), named: "y", to: .folder(folder.id))
            let page = try await session.changes(since: start.cursor, withItems: false)
            #expect(page.changes.map(\.kind) == [.folder, .file] && page.changes.last?.id == file.id.value)
            #expect(
                await code { _ = try await session.changes(since: ChangeCursor(1 << 50), withItems: false) }
                    == .outdated)
        }
    }

    @Test(.timeLimit(.minutes(1))) func hearsOfChangesAsTheyHappen() async throws {
        try await withSession { session in
            let start = try await session.changes(since: .beginning, withItems: false)
            async let heard = session.events(since: start.cursor).first { $0.kind == .fund }
            let fund = try await session.makeFund(named: "Heard")
            let change = try #require(await heard)
            #expect(change.id == fund.id.value && !change.isDeleted && change.cursor != start.cursor)
        }
    }

    private func load(_ session: Session, _ file: FileID) async throws -> [UInt8] {
        try await collect(try await session.content(of: file))
    }
}
