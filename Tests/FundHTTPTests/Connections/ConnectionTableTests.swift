import TestSupport
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import FundHTTP

/// Who gets a connection where there are few, and how many bytes each may hold.
struct ConnectionTableTests {
    /// Four connections, two of one network, one kept.
    private static var few: ServerLimits {
        var limits = ServerLimits()
        limits.maxConnections = 4
        limits.maxConnectionsOfClient = 2
        limits.keptConnections = 1
        return limits
    }

    private final class Table {
        let metrics = ConnectionMetrics()
        let table: ConnectionTable
        private var channels: [EmbeddedChannel] = []

        init(_ limits: ServerLimits = few, isBehindProxy: Bool = false) {
            table = ConnectionTable(limits: limits, metrics: metrics, isBehindProxy: isBehindProxy)
        }

        func connect(_ address: String, isBusy: Bool = true) -> ClientConnection? {
            let channel = EmbeddedChannel()
            channels.append(channel)
            try? channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1), promise: nil)
            let connection = table.admit(channel, from: address)
            if isBusy { connection?.requestBegan() }
            return connection
        }
    }

    @Test func givesEachNetworkItsShare() {
        let table = Table()
        #expect(table.connect("192.0.2.1") != nil)
        #expect(table.connect("192.0.2.1") != nil)
        #expect(table.connect("192.0.2.1") == nil)
        #expect(table.connect("192.0.2.2") != nil)
        #expect(table.metrics.refusalCounts == [.clientConnections: 1])
        let six = Table()
        for (address, isAdmitted) in [
            ("2001:db8:0:1::1", true), ("2001:db8:0:1:ffff::2", true), ("2001:db8:0:1::3", false),
            ("2001:db8:0:2::1", true),
        ] { #expect((six.connect(address) != nil) == isAdmitted, "\(address)") }
    }

    @Test func keepsSomeForThoseItKnows() throws {
        let table = Table()
        let known = try #require(table.connect("192.0.2.1"))
        table.table.noteSender(of: known)
        _ = table.connect("192.0.2.2")
        _ = table.connect("192.0.2.3")
        #expect(table.connect("192.0.2.4") == nil)
        #expect(table.metrics.refusalCounts == [.connections: 1])
        #expect(table.connect("192.0.2.1") != nil)
        #expect(table.connect("127.0.0.1") == nil)
        let local = Table()
        for number in 1...3 { _ = local.connect("192.0.2.\(number)") }
        #expect(local.connect("127.0.0.1") != nil)
    }

    /// The oldest idle connection goes, of the network that has most.
    @Test func letsAnIdleConnectionGo() throws {
        let table = Table()
        let first = try #require(table.connect("192.0.2.1"))
        _ = table.connect("192.0.2.1", isBusy: false)
        _ = table.connect("192.0.2.2", isBusy: false)
        #expect(table.connect("192.0.2.3") != nil)
        #expect(table.connect("192.0.2.1") != nil)
        #expect(table.connect("192.0.2.1") == nil)
        // An answer that the client has not taken yet is cut off no less than a request.
        first.writeBegan()
        first.requestEnded()
        #expect(table.connect("192.0.2.1") == nil)
        first.writeEnded()
        #expect(table.connect("192.0.2.1") != nil)
    }

    @Test func leavesSharesToAProxy() {
        let table = Table(isBehindProxy: true)
        for _ in 0..<4 { #expect(table.connect("127.0.0.1") != nil) }
        #expect(table.connect("127.0.0.1") == nil)
    }

    // MARK: Bytes

    private static let share = 4 * 1024 * 1024
    private static let piece = 256 * 1024
    private static let answer = 1024 * 1024

    /// A stream with requests of a user of its own.
    private static func stream(_ id: Int64, _ connection: ClientConnection) -> StreamSends {
        let stream = StreamSends(connection)
        stream.noteSender(SenderID(id))
        return stream
    }

    private static func user(_ id: Int64, _ connection: ClientConnection) -> SendPayer {
        connection.payer(connection.stranger, as: SenderID(id))
    }

    /// Whatever a client opens and does not read: its connection's share, the network's, and all.
    @Test func boundsWhatIsHeld() throws {
        var limits = ServerLimits()
        limits.maxUnsentBytes = 32 * 1024 * 1024
        let table = Table(limits)
        for number in 0..<40 {
            let connection = try #require(table.connect("192.0.2.\(number % 8)"))
            while connection.takeAtOnce(Self.piece, for: Self.user(Int64(number), connection)) {}
            #expect(connection.held <= Self.share)
        }
        #expect(table.metrics.unsentBytes > limits.maxUnsentBytes / 2)
        #expect(table.metrics.unsentBytes < limits.maxUnsentBytes)
        let one = Table(limits)
        for number in 0..<10 {
            let connection = try #require(one.connect("192.0.2.1"))
            while connection.takeAtOnce(Self.piece, for: Self.user(Int64(number), connection)) {}
        }
        #expect(one.metrics.unsentBytes == limits.maxUnsentBytes / 4)
    }

    /// Streams that take nothing leave room for others in ever smaller pieces, and one that takes something goes on.
    @Test func sharesAConnection() async throws {
        let connection = try #require(Table(ServerLimits()).connect("192.0.2.1"))
        let stream = Self.stream(1, connection)
        var held: [Int] = []
        while connection.held + SendBudget.minPiece <= Self.share {
            held.append(try await stream.take(upTo: Self.piece))
        }
        #expect(held.count > 24)
        #expect(connection.held <= Self.share)
        let waiting = Task { try await stream.take(upTo: Self.piece) }
        try await eventually { connection.waitingCount == 1 }
        connection.give(held[0], for: stream.payer)
        #expect(try await waiting.value > 0)
        #expect(connection.held <= Self.share)
    }

    /// However much others hold, who takes what is sent goes on.
    @Test func letsEverybodyGoOn() async throws {
        var limits = ServerLimits()
        limits.maxUnsentBytes = 1024 * 1024
        let table = Table(limits)
        for number in 0..<8 {
            let other = try #require(table.connect("192.0.2.\(number)"))
            other.add(Self.piece, for: other.stranger)
        }
        let connection = try #require(table.connect("192.0.2.9"))
        #expect(!connection.takeAtOnce(Self.piece, for: connection.stranger))
        let stream = StreamSends(connection)
        #expect(try await stream.take(upTo: Self.piece) == SendBudget.minPiece)
        let next = Task { try await stream.take(upTo: Self.piece) }
        try await eventually { connection.waitingCount == 1 }
        connection.give(SendBudget.minPiece, for: connection.stranger)
        #expect(try await next.value == SendBudget.minPiece)
    }

    @Test func keepsNothingOfWhatHasEnded() async throws {
        let table = Table(ServerLimits())
        let connection = try #require(table.connect("192.0.2.1"))
        let streams = (0..<40).map { _ in Self.stream(1, connection) }
        let waiting = streams.map { stream in Task { try await stream.take(upTo: Self.piece) } }
        try await eventually { connection.held + SendBudget.minPiece > Self.share }
        for stream in streams { stream.close() }
        connection.ended()
        for task in waiting { _ = await task.result }
        #expect(connection.held == 0)
        #expect(table.metrics.unsentBytes == 0)
        await #expect(throws: CancellationError.self) { try await StreamSends(connection).take(upTo: 1) }
    }

    /// A response made in memory waits for room, of the connection and of the network, and gives it back at its end.
    @Test func answersThatNobodyReadsHaveABound() async throws {
        var limits = ServerLimits()
        limits.maxUnsentBytes = 16 * 1024 * 1024
        let table = Table(limits)
        var streams: [StreamSends] = []
        for number in 0..<4 {
            let stream = Self.stream(Int64(number), try #require(table.connect("192.0.2.1")))
            try await stream.takeForAnswer(of: Self.answer)
            // Once for each answer.
            try await stream.takeForAnswer(of: Self.answer)
            streams.append(stream)
        }
        #expect(table.metrics.unsentBytes == limits.maxUnsentBytes / 4)
        let next = Self.stream(5, try #require(table.connect("192.0.2.1")))
        let waiting = Task { try await next.takeForAnswer(of: Self.answer, within: nil) }
        let closed = Self.stream(6, try #require(table.connect("192.0.2.1")))
        let left = Task { try await closed.takeForAnswer(of: Self.answer, within: nil) }
        try await eventually {
            [next, closed].allSatisfy { $0.refusals.load(ordering: .relaxed) > 0 }
        }
        closed.close()
        await #expect(throws: CancellationError.self) { try await left.value }
        // Others have their own share.
        try await Self.stream(7, try #require(table.connect("192.0.2.2"))).takeForAnswer(of: Self.answer)
        let held = table.metrics.unsentBytes
        // A network has a quarter of what others leave: one answer less than before.
        for stream in streams.prefix(2) { stream.release() }
        try await waiting.value
        #expect(table.metrics.unsentBytes == held - Self.answer)
    }

    /// A stream that was reset is waited for no longer, though its connection takes nothing.
    @Test func aClosedStreamDoesNotWait() async throws {
        let connection = try #require(Table(ServerLimits()).connect("192.0.2.1"))
        let (stream, other) = (Self.stream(1, connection), Self.stream(1, connection))
        while connection.takeAtOnce(Self.piece, for: stream.payer) {}
        let tasks = [stream, other].map { stream in Task { try await stream.take(upTo: Self.share) } }
        try await eventually { connection.waitingCount == 2 }
        stream.close()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        await #expect(throws: CancellationError.self) { try await stream.take(upTo: 1) }
        connection.give(Self.share, for: stream.payer)
        #expect(try await tasks[1].value > 0)
    }

    /// Bytes written without a reservation count, too.
    @Test func countsWhatIsWritten() throws {
        let connection = try #require(Table(ServerLimits()).connect("192.0.2.1"))
        let stream = StreamSends(connection)
        #expect(stream.takeAtOnce(1000))
        stream.spend(600)
        stream.spend(600)
        #expect(connection.held == 1200)
        connection.give(1200, for: connection.stranger)
        #expect(stream.takeAtOnce(1000))
        stream.release()
        #expect(connection.held == 0)
    }
}
