import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// A file or folder in whose place another one is put: it is in the trash, with all that was in it.
struct ReplacedItemTests {
    enum Interface: CaseIterable { case page, api, dav }

    private struct Place {
        let shelf: PageListTests.Shelf
        /// Where both stand in a folder; the folder goes to the top.
        var (mine, other): (LibraryItemID, LibraryItemID)

        /// - Parameter kinds: of what is moved, and of what stands at the top under the same name.
        init(_ kinds: (ItemKind, ItemKind)) async throws {
            let shelf = try await PageListTests.Shelf("Replaced")
            self.shelf = shelf
            let box = try await shelf.library.addFolder("box", in: shelf.top, of: shelf.ann)
            func add(_ kind: ItemKind, in place: LibraryPlace) async throws -> LibraryItemID {
                guard kind == .folder else { return .file(try await shelf.put("x", "file", in: place).id) }
                let folder = try await shelf.library.addFolder("x", in: place, of: shelf.ann)
                try await shelf.put("within", "y", in: LibraryPlace(fund: shelf.fund, folder: folder.id))
                return .folder(folder.id)
            }
            mine = try await add(kinds.0, in: LibraryPlace(fund: shelf.fund, folder: box.id))
            other = try await add(kinds.1, in: shelf.top)
        }

        func move(by interface: Interface) async throws -> Int {
            let (harness, fund, kind) = (shelf.harness, shelf.fund, "\(mine.kind)")
            switch interface {
            case .page:
                let form = "item-\(kind)-\(mine.number)=1&act=move&if_taken=replace&at=\(fund)"
                return try await shelf.session.post("/library/place", form, harness).status
            case .api:
                return try await harness.send(
                    "PATCH", "/api/v1/\(kind)s/\(mine.number)", token: try await token,
                    json: #"{"fund":\#(fund),"if_taken":"replace"}"#
                ).status
            case .dav:
                return try await dav("MOVE", "box/x", ["Destination": "\(harness.baseURL)/dav/Replaced/x"])
            }
        }

        var token: String { get async throws { try await shelf.harness.token(of: shelf.harness.people.ann) } }

        func dav(_ method: String, _ path: String, _ fields: [String: String] = [:]) async throws -> Int {
            var fields = fields
            fields["Authorization"] = DAVHarness.basic(shelf.harness.people.ann.email, TestPeople.password)
            return try await shelf.harness.send(
                method, "/dav/Replaced/\(path)", fields: fields, body: Array("new".utf8)
            ).status
        }

        func deleted() async throws -> [LibraryItemID] {
            try await shelf.library.deletedItems(of: shelf.ann, by: TrashOrder(), PageQuery()).items.map(\.itemID)
        }
    }

    @Test(arguments: Interface.allCases)
    func isInTheTrash(interface: Interface) async throws {
        let pairs: [(ItemKind, ItemKind)] = [(.file, .folder), (.folder, .file), (.folder, .folder), (.file, .file)]
        for pair in pairs {
            let place = try await Place(pair)
            let shelf = place.shelf
            #expect(try await place.move(by: interface) < 400, "\(pair)")
            #expect(try await shelf.names() == ["box", "x"])
            #expect(try await place.deleted() == [place.other], "\(pair)")
            let restored = try await shelf.library.restore(place.other, of: shelf.ann)
            #expect(restored.name == "x(1)")
            if case .folder(let folder) = restored {
                #expect(try await shelf.names(LibraryPlace(fund: shelf.fund, folder: folder.id)) == ["within"])
            }
            try await shelf.harness.stop()
        }
    }

    /// A file that is sent takes no folder's place.
    @Test
    func uploadsReplaceNoFolder() async throws {
        let place = try await Place((.file, .folder))
        let (shelf, harness) = (place.shelf, place.shelf.harness)
        let sent = try await shelf.session.post(
            "/library/funds/\(shelf.fund)/upload?name=x&if_taken=replace", "", harness,
            fields: ["Content-Type": "text/plain", "X-Form-Token": shelf.session.formToken])
        #expect(sent.status == 409 && sent.text.contains("The name is taken."))
        let api = try await harness.send(
            "POST", "/api/v1/funds/\(shelf.fund)/files?name=x&if_taken=replace", token: try await place.token,
            fields: ["Content-Type": "text/plain"], body: [1])
        #expect(api.status == 409 && api.text.contains("already-exists"))
        // RFC 4918 §9.7.2
        #expect(try await place.dav("PUT", "x") == 405)
        #expect(try await shelf.names() == ["box", "x"])
        #expect(try await place.deleted().isEmpty)
        try await harness.stop()
    }

    /// RFC 4918 §9.9.3 and §9.9.4
    @Test
    func movesOverNothingUnlessAskedTo() async throws {
        let place = try await Place((.file, .folder))
        let target = ["Destination": "\(place.shelf.harness.baseURL)/dav/Replaced/x", "Overwrite": "F"]
        #expect(try await place.dav("MOVE", "box/x", target) == 412)
        #expect(try await place.deleted().isEmpty)
        try await place.shelf.harness.stop()
    }
}
