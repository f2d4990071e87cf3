import FundCore
import TestSupport
import Testing

@testable import PostgreSQLRoom

/// Rows that come by COPY.
@Suite(.startsPrograms, .enabled(if: PostgreSQLServer.isUsable)) struct CopyTests {
    private func session() throws -> PostgreSQLSession {
        let session = try PostgreSQLSession(PostgreSQLServer.shared.get().makeDatabase())
        try session.run(
            script:
                "CREATE TABLE play (id int8 PRIMARY KEY, small int2, middle int4, flag bool, name text, content bytea)"
        )
        return session
    }

    private let columns = ["id", "small", "middle", "flag", "name", "content"]

    private func count(_ session: PostgreSQLSession, _ condition: String = "true") throws -> Int? {
        try PostgreSQLResultRow(session.run("SELECT count(*) FROM play WHERE \(condition)"), 0).value(0)
    }

    @Test func rowsArriveInTheTypesOfTheirColumns() throws {
        let session = try session()
        let rows = 50_000
        let copied = try session.copy(into: "play", columns) { writer in
            for id in 0..<Int64(rows) {
                try writer.write([
                    .integer(id), .integer(id % 100), .integer(-id), .integer(id & 1),
                    id % 2 == 0 ? .null : .text("n\(id)"),
                    .bytes([UInt8(id & 255)]),
                ])
            }
        }
        #expect(copied == rows)
        #expect(try count(session, "small = id % 100 AND middle = -id AND flag = (id & 1 = 1)") == rows)
        #expect(try count(session, "name = 'n' || id AND get_byte(content, 0) = id & 255") == rows / 2)
        #expect(try session.run("SELECT 1").rowCount == 1)
    }

    @Test func anErrorHalfwayKeepsNothingAndTheSessionGoesOn() throws {
        let session = try session()
        #expect(throws: CancellationError.self) {
            try session.copy(into: "play", columns) { writer in
                for id in 0..<100_000 {
                    try writer.write([.integer(Int64(id)), .null, .null, .null, .null, .null])
                }
                throw CancellationError()
            }
        }
        #expect(try count(session) == 0)
        let error = #expect(throws: PostgreSQLError.self) {
            try session.copy(into: "play", ["id"]) { writer in
                for _ in 0..<2 { try writer.write([.integer(1)]) }
            }
        }
        #expect(error?.code == .constraint)
        #expect(try count(session) == 0)
    }

    @Test func wrongRowsAreToldBeforeTheyAreSent() throws {
        let session = try session()
        for values: [PostgreSQLParameter] in [[.integer(1)], [.integer(1), .integer(40_000)]] {
            let error = #expect(throws: PostgreSQLError.self) {
                try session.copy(into: "play", ["id", "small"]) { try $0.write(values) }
            }
            #expect(error?.code == .misuse)
        }
        #expect(throws: PostgreSQLError.self) { try session.copy(into: "nothing", ["id"]) { _ in } }
        #expect(try count(session) == 0)
    }
}
