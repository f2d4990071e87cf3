import Foundation
import FundCore
import FundServer
import Logging
import MailConnection
import MailWatch
import TestSupport
import Testing

@testable import FundmailCLI

/// The company's directory on another server: a Radicale, and a Fundmail.
@Suite(.startsPrograms) struct DirectoryServerTests {
    private static func card(_ name: String, _ more: String = "") -> String {
        "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:\(name)\r\nFN:\(name)\r\nN:\(name);;;;\r\n\(more)END:VCARD\r\n"
    }

    private static func configuration(
        _ url: String, user: String = RadicaleServer.user, password: String = RadicaleServer.password
    ) throws -> CardServerConfiguration {
        CardServerConfiguration(
            address: try WebAddress(url: url),
            login: ServerLogin(user: user, credential: .password(Secret(value: password))),
            caFile: try TestAuthority.shared.get().caFile)
    }

    private static func service(_ server: CardServerConfiguration, _ folder: String) -> DirectoryService {
        DirectoryService(
            configuration: { .server(server) }, cacheFolder: "\(folder)/cache", cancellation: Cancellation(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private static func names(_ service: DirectoryService) -> [String] {
        service.current?.people.map(\.card.name) ?? []
    }

    /// From the server's root to its only address book, over TLS; changes, a failure, and a start without the server.
    @Test(arguments: [TestAuthority.Certificate.valid, nil])
    func radicale(_ certificate: TestAuthority.Certificate?) throws {
        let server = try RadicaleServer(certificate)
        defer { server.stop() }
        let folder = try TestFile.makeFolder("directory")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try server.put(Self.card("Ann", "ORG:Corp;Sales\r\nEMAIL:ann@corp.example\r\n"), at: "ann.vcf")
        try server.put(Self.card("Bob & <Co> 基金"), at: "bob.vcf")
        let configuration = try Self.configuration(server.root)
        let service = Self.service(configuration, folder)
        let start = ContinuousClock.now
        service.refresh(now: start)
        #expect(Self.names(service) == ["Ann", "Bob & <Co> 基金"], "\(service.figures?.problem ?? "")")
        #expect(service.current?.people.first?.card.directoryGroups == ["Sales"])
        try server.put(Self.card("Cleo"), at: "cleo.vcf")
        try server.delete("bob.vcf")
        // It is not due.
        service.refresh(now: start + .seconds(60))
        #expect(Self.names(service).count == 2)
        service.refresh(now: start + .seconds(400))
        #expect(Self.names(service) == ["Ann", "Cleo"] && service.figures?.problem == nil)
        let version = service.current?.version
        service.refresh(now: start + .seconds(800))
        #expect(service.current?.version == version && service.figures?.people == 2)
        server.stop()
        service.refresh(now: start + .seconds(1200))
        #expect(Self.names(service) == ["Ann", "Cleo"])
        #expect(service.figures?.problem?.contains("cannot be reached") == true)
        // The program starts anew, and the server is still down.
        let again = Self.service(configuration, folder)
        again.refresh(now: start)
        #expect(Self.names(again) == ["Ann", "Cleo"] && again.figures?.problem != nil)
        var other = configuration
        other.login?.user = "eve"
        let others = Self.service(other, folder)
        others.refresh(now: start)
        #expect(others.current == nil, "the people of another user")
    }

    @Test func doctorSaysWhatItFinds() async throws {
        let server = try RadicaleServer()
        defer { server.stop() }
        let store = try await ReplayStore()
        defer { store.remove() }
        func doctor(_ directory: String, _ words: String...) async throws -> BuiltProgram.Finished {
            try TestFile.write("store: ./store\npreviews: off\ndirectory: {\(directory)}\n", to: store.configuration)
            return try await store.program.run(store.arguments(["doctor"] + words))
        }
        let authority = try TestAuthority.shared.get().caFile
        func login(_ password: String) -> String {
            "carddav_url: \"\(server.book)\", user: ann, password: \"\(password)\", tls_ca_file: \(authority)"
        }
        let empty = try await doctor(login(RadicaleServer.password))
        #expect(empty.status == 78 && empty.output.contains("there are no people in it"), "\(empty)")
        try server.put(Self.card("Ann"), at: "ann.vcf")
        let good = try await doctor(login(RadicaleServer.password))
        #expect(good.isSuccess && good.output.contains("1 person in \(server.book)"), "\(good)")
        #expect(good.output.contains("its certificate is good until"))
        let wrong = try await doctor(login("wrong"))
        #expect(wrong.status == 69 && wrong.output.contains("refuses the login of ann"), "\(wrong)")
        let untrusted = try await doctor("carddav_url: \"\(server.book)\"")
        #expect(untrusted.status == 69 && untrusted.output.contains("does not prove that it is localhost"))
        let offline = try await doctor(login("wrong"), "--offline")
        #expect(offline.isSuccess, "\(offline)")
        try TestFile.write(Self.card("Ann") + Self.card("Bob"), to: "\(store.folder)/people.vcf")
        let file = try await doctor("vcard_file: people.vcf")
        #expect(file.isSuccess && file.output.contains("2 people in"), "\(file)")
        let missing = try await doctor("vcard_file: nowhere.vcf")
        #expect(missing.status == 78 && missing.output.contains("FAILED") && missing.output.contains("nowhere.vcf"))
        #expect(!(good.output + wrong.output + wrong.errors).contains(RadicaleServer.password))
    }

    /// Another Fundmail's directory, which itself comes of a file.
    @Test func anotherFundmail() async throws {
        let people = try TestFile.makeFolder("people")
        defer { try? FileManager.default.removeItem(atPath: people) }
        let file = "\(people)/people.vcf"
        try TestFile.write((1...250).map { Self.card("Person \($0)") }.joined(), to: file)
        let server = try await FundmailServer(sections: ["directory: {vcard_file: \(file)}"])
        func configuration(_ path: String) throws -> CardServerConfiguration {
            try Self.configuration(
                server.url + path, user: FundmailServer.user, password: FundmailServer.password)
        }
        // The other one reads its file in the background; each look is an hour after that before.
        var now = ContinuousClock.now
        func becomesTrue(_ service: DirectoryService, _ holds: () -> Bool) async throws -> Bool {
            try await TestSupport.becomesTrue {
                now += .seconds(3600)
                service.refresh(now: now)
                return holds()
            }
        }
        let service = Self.service(try configuration("/carddav/company/"), people)
        let isThere = try await becomesTrue(service) { service.current?.people.count == 250 }
        #expect(isThere, "\(service.figures?.problem ?? "")")
        // There are the user's own contacts, too: a service that found them alone asks once the others are there.
        let both = Self.service(try configuration("/"), people)
        let namesBoth = try await becomesTrue(both) { both.figures?.problem?.contains("/carddav/company/") == true }
        #expect(namesBoth, "\(both.figures?.problem ?? "")")
        try await server.stop()
    }

    @Test func files() throws {
        let folder = try TestFile.makeFolder("directory")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/people.vcf"
        let service = DirectoryService(
            configuration: { .file(path) }, cacheFolder: folder, cancellation: Cancellation(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let start = ContinuousClock.now
        service.refresh(now: start)
        #expect(service.current == nil && service.figures?.problem != nil)
        try TestFile.write(Self.card("Ann"), to: path)
        service.refresh(now: start + .seconds(10))
        #expect(Self.names(service) == ["Ann"] && service.figures?.problem == nil)
        try TestFile.write("nothing\n", to: path)
        for seconds in [20, 30] as [Int64] {
            service.refresh(now: start + .seconds(seconds))
            #expect(Self.names(service) == ["Ann"] && service.figures?.problem != nil)
        }
        try TestFile.write(Self.card("Bob"), to: path)
        service.refresh(now: start + .seconds(40))
        #expect(Self.names(service) == ["Bob"] && service.figures?.problem == nil)
    }
}
