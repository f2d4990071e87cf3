import Testing

@testable import PostgreSQLRoom

@Suite struct SettingsTests {
    @Test func anAddressIsRead() throws {
        let all = try PostgreSQLSettings("postgres://ann:secret@db.example:5433/mail").all
        #expect(all["host"] == "db.example")
        #expect(all["port"] == "5433")
        #expect(all["user"] == "ann")
        #expect(all["dbname"] == "mail")
        #expect(all["target_session_attrs"] == "read-write")
        #expect(all["tcp_user_timeout"] == "5000")
    }

    @Test(arguments: [
        ("postgres://db.example/mail", "verify-full"), ("postgres://127.0.0.1/mail", "prefer"),
        ("host=/run/postgresql dbname=mail", "prefer"), ("postgres://db.example/mail?sslmode=require", "require"),
        ("postgres://localhost,db.example/mail", "verify-full"), ("postgres:///mail", "prefer"),
        ("postgres://127.db.example/mail", "verify-full"),
    ])
    func anotherMachineNeedsTLS(address: String, mode: String) throws {
        #expect(try PostgreSQLSettings(address).all["sslmode"] == mode)
    }

    @Test(arguments: [
        "postgres://ann:se%zzcret@host/", "postgres://host/?options=-c%20x=y", "secret", "client_encoding=LATIN1",
        "postgres://host/?nothing=secret", "target_session_attrs=any",
    ])
    func whatCannotBeUsedIsToldWithoutSecrets(address: String) {
        let error = #expect(throws: PostgreSQLError.self) { try PostgreSQLSettings(address) }
        #expect(error?.code == .address)
        #expect(error.map { "\($0)".contains("secret") || "\($0)".contains("zz") } == false)
    }
}
