import TestSupport
import FundStore
import FundCore
import Testing

@testable import FundmailCLI

/// User tables as other systems write them.
@Suite struct CommandImportTests {
    @Test(arguments: [
        ("email,name\na@x.example,Ann\n", ["a@x.example|Ann||"]),
        ("\u{FEFF}E-Mail;Full Name;Funds\r\na@x.example;\"Archer; Ann\";Fund1\r\n", ["a@x.example|Archer; Ann||Fund1"]),
        ("name\tMAIL\tadmin\nAnn\ta@x.example\tyes", ["a@x.example|Ann||"]),
        (
            "mail,addresses,funds\na@x.example,b@x.example; c@x.example,\"Fund1; Alpha Fund\"\n\n",
            ["a@x.example||b@x.example c@x.example|Fund1/Alpha Fund"]
        ),
        ("email,name\n\"a@x.example\",\"say \"\"hi\"\"\nthere\"\n", ["a@x.example|say \"hi\"\nthere||"]),
        ("email,name,phone\na@x.example,Ann,1\n b@x.example ,\n", ["a@x.example|Ann||", "b@x.example|||"]),
        ("email\n", []),
    ])
    func reads(text: String, expected: [String]) throws {
        let table = try UserTable(text)
        #expect(table.mistakes.isEmpty)
        let rows = table.lines.map { line in
            let row = line.row
            let (addresses, funds) = (row.addresses.joined(separator: " "), row.funds.joined(separator: "/"))
            return "\(row.email)|\(row.name ?? "")|\(addresses)|\(funds)"
        }
        #expect(rows == expected)
    }

    @Test(arguments: [
        ("", 1, "empty"), ("name,funds\n", 1, "no column \"email\""), ("email,mail\n", 1, "two columns"),
        ("email,name\na@x.example,\"open\n", 2, "not closed"), ("email\n\"a\"b\n", 2, "after a closing"),
    ])
    func refuses(text: String, line: Int, words: String) throws {
        let mistake = try #require(throws: UserTable.Mistake.self) { try UserTable(text) }
        #expect(mistake.line == line && mistake.problem.contains(words), "\(mistake)")
    }

    @Test func findsAllMistakes() throws {
        let table = try UserTable("email,admin\n,yes\na@x.example,perhaps\nb@x.example,no\nc@x.example,1,more\n")
        #expect(table.mistakes.map(\.line) == [2, 3, 5])
        #expect(table.lines.map(\.number) == [4])
    }
}
