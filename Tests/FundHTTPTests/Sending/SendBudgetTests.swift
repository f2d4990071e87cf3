import NIOEmbedded
import TestSupport
import Testing

@testable import FundHTTP

/// The shares of the memory of responses: those who fill it are refused, and no others.
struct SendBudgetTests {
    private static let megabyte = 1 << 20

    /// 64 MiB, of which a network has 16 and a user 8.
    private final class Table {
        let metrics = ConnectionMetrics()
        private let table: ConnectionTable
        private var channels: [EmbeddedChannel] = []
        /// A share lives as long as what counts for it.
        private var streams: [StreamSends] = []

        init() {
            var limits = ServerLimits()
            limits.maxUnsentBytes = 64 * SendBudgetTests.megabyte
            table = ConnectionTable(limits: limits, metrics: metrics, isBehindProxy: false)
        }

        /// A new connection; `sender` signed in over it, unless nil.
        func stream(_ address: String, _ sender: Int64? = nil) throws -> StreamSends {
            channels.append(EmbeddedChannel())
            let stream = StreamSends(try #require(table.admit(channels[channels.count - 1], from: address)))
            if let sender { stream.noteSender(SenderID(sender)) }
            streams.append(stream)
            return stream
        }

        /// Takes all that can be had in answers of this size, each over a connection of its own. Gives how many.
        func fill(_ address: String, _ sender: Int64? = nil, by count: Int = SendBudgetTests.megabyte) throws -> Int {
            var taken = 0
            while try stream(address, sender).settle(count) { taken += 1 }
            return taken
        }
    }

    /// Clients of many networks that read nothing: the next one gets its page all the same, and so do users.
    @Test func strangersLeaveRoom() throws {
        let table = Table()
        for number in 0..<100 { _ = try table.fill("2001:db8:\(String(number, radix: 16))::1", by: 64 * 1024) }
        #expect(table.metrics.unsentBytes < 32 * Self.megabyte)
        #expect(try table.stream("192.0.2.1").settle(64 * 1024))
        #expect(try table.stream("192.0.2.1", 7).settle(4 * Self.megabyte))
    }

    /// A customer's /48 is one network, whichever of its 65,536 addresses of /64 are used.
    @Test func networksAreThoseOfCustomers() throws {
        let table = Table()
        for number in 0..<50 { _ = try table.fill("2001:db8:1:\(number)::1", Int64(number)) }
        #expect(table.metrics.unsentBytes == 16 * Self.megabyte)
        #expect(try table.stream("2001:db8:2::1", 51).settle(Self.megabyte))
        #expect(ClientAddress("2001:db8:1:2::3").site.description == "2001:db8:1::/48")
        #expect(ClientAddress("192.0.2.1").site.description == "192.0.2.1")
    }

    /// Whatever one user does not read, at one address or at many, others at the same address go on.
    @Test func usersHaveSharesOfTheirOwn() throws {
        let table = Table()
        #expect(try table.fill("192.0.2.1", 1) == 8)
        for number in 2..<20 { #expect(try table.fill("192.0.2.\(number)", 1) == 0) }
        #expect(try table.fill("192.0.2.1", 2) > 0)
        #expect(try table.stream("192.0.2.1").settle(64 * 1024))
    }

    /// Reserved room goes with the request to its user, and room given back can be taken again.
    @Test func countsForWhoeverAsks() throws {
        let table = Table()
        let stream = try table.stream("192.0.2.1", 2)
        #expect(stream.settle(8 * Self.megabyte))
        stream.noteSender(SenderID(1))
        #expect(stream.payer.own.held == 8 * Self.megabyte && stream.connection.stranger.own.held == 0)
        #expect(try table.fill("192.0.2.2", 1) == 0)
        // The next request of the connection has another sender.
        stream.spend(8 * Self.megabyte)
        let former = stream.payer
        stream.requestBegan(from: nil)
        #expect(stream.payer.sender == nil && former.own.held == 8 * Self.megabyte)
        stream.connection.give(8 * Self.megabyte, for: former)
        #expect(former.own.held == 0 && former.network.held == 0 && table.metrics.unsentBytes == 0)
    }

    /// Behind a proxy all come over its connections.
    @Test func clientsBehindAProxyAreToldApart() throws {
        let table = Table()
        let streams = try (0..<40).map { _ in try table.stream("127.0.0.1") }
        for stream in streams { stream.requestBegan(from: ClientAddress("192.0.2.1")) }
        // A sixty-fourth of the half of all.
        #expect(streams.count { $0.settle(128 * 1024) } == 4)
        let other = try table.stream("127.0.0.1")
        other.requestBegan(from: ClientAddress("192.0.2.2"))
        #expect(other.settle(128 * 1024))
    }
}
