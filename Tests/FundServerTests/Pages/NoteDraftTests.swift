import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// A note that is sent when the session has ended is carried along, and shown again to its writer alone.
struct NoteDraftTests {
    private static let text = "Line 1\r\n<b>\"2\"</b> {{csrf}} 基金"

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// The hidden fields of a page, as a form sends them.
    private static func draftFields(_ page: String) -> String {
        page.matches(of: /name="(draft)" value="([^"]*)"/).map { match in
            var value = String(match.2)
            for (code, text) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
                value = value.replacing(code, with: text)
            }
            return "&\(match.1)=\(encoded(value))"
        }.joined()
    }

    private static func signIn(
        _ name: String, password: String = BrowserSession.password, _ fields: String, _ harness: ServerHarness
    ) async throws -> RawHTTPResponse {
        try await harness.send(
            "POST", "/sign-in", fields: BrowserSession.ownForm,
            body: Array("username=\(name)%40example.com&password=\(password)&next=%2Flibrary\(fields)".utf8))
    }

    /// The field of an editor that says who writes.
    private static func writer(_ session: BrowserSession, _ harness: ServerHarness) async throws -> String {
        let page = try await session.get("/library/funds/\(harness.people.fund.id)/new-note", harness)
        return try String(#require(page.text.firstMatch(of: /name="writer" value="([^"]+)"/)).1)
    }

    /// Ann's session that has ended, and what the note is answered with.
    private static func late(
        _ path: String, _ form: String, _ harness: ServerHarness, fields: [String: String] = [:]
    ) async throws -> RawHTTPResponse {
        let ann = try await BrowserSession(harness.people.ann, harness)
        let writer = try await writer(ann, harness)
        try await harness.store.accounts.revokeTokens(
            [.web], of: harness.people.ann.id, keeping: nil, actor: "test")
        return try await ann.post(path, "writer=\(writer)&\(form)", harness, fields: fields)
    }

    @Test
    func newNoteIsShownAgain() async throws {
        let harness = try await ServerHarness()
        let fund = harness.people.fund.id
        let form = "title=Call&content=\(Self.encoded(Self.text))"
        let page = try await Self.late("/library/funds/\(fund)/notes", form, harness)
        #expect(page.status == 200 && page["cache-control"] == "no-store")
        #expect(page.text.contains(Words(language: .en)("draft.carried")))
        #expect(!page.text.contains("<b>\"2"))
        let fields = Self.draftFields(page.text)
        // A wrong password loses nothing.
        let wrong = try await Self.signIn("ann", password: "wrong", fields, harness)
        #expect(wrong.status == 401 && Self.draftFields(wrong.text).contains("draft="))
        let editor = try await Self.signIn("ann", Self.draftFields(wrong.text), harness)
        #expect(editor.status == 200 && editor["set-cookie"]?.hasPrefix("fundmail=") == true)
        #expect(editor.text.contains("&lt;b&gt;&quot;2&quot;&lt;/b&gt; {{csrf}} 基金</textarea>"))
        #expect(editor.text.contains("value=\"Call\""))
        #expect(try await harness.store.library.countNotes(in: fund, of: harness.people.ann.id) == 0)
        // The form of that page is one of the new session.
        let cookie = String(try #require(editor["set-cookie"]).prefix { $0 != ";" })
        let token = try BrowserSession.formToken(in: editor.text)
        let saved = try await harness.send(
            "POST", "/library/funds/\(fund)/notes", fields: BrowserSession.ownForm.merging(["Cookie": cookie]) { $1 },
            body: Array("csrf=\(token)&\(form)".utf8))
        #expect(saved.status == 303)
        #expect(try await harness.store.library.countNotes(in: fund, of: harness.people.ann.id) == 1)
        try await harness.stop()
    }

    /// A text that another program wrote meanwhile is not overwritten.
    @Test
    func changeIsShownAgainWithItsAge() async throws {
        let harness = try await ServerHarness()
        let (library, user) = (harness.store.library, harness.people.ann.id)
        let note = try await library.addNote(
            NoteText(title: "t", content: "old"), in: harness.people.fund.id, of: user)
        let page = try await Self.late(
            "/library/notes/\(note.id)", "title=t&content=mine&since=\(note.modifiedAt)", harness)
        _ = try await library.changeNote(
            note.id, NoteChange(title: "t", content: "theirs", unlessChangedSince: nil), if: nil, of: user)
        let editor = try await Self.signIn("ann", Self.draftFields(page.text), harness)
        #expect(editor.text.contains("mine</textarea>") && editor.text.contains(" data-unsaved"))
        #expect(editor.text.contains("name=\"since\" value=\"\(note.modifiedAt)\""))
        #expect(try await library.note(note.id, of: user).text.content == "theirs")
        try await harness.stop()
    }

    /// A note that cannot be saved where it belongs is not thrown away.
    @Test
    func isShownThoughItsNoteOrFundIsGone() async throws {
        let harness = try await ServerHarness()
        let (library, user, fund) = (harness.store.library, harness.people.ann.id, harness.people.fund.id)
        let note = try await library.addNote(NoteText(title: "t", content: "old"), in: fund, of: user)
        let form = "title=Call&content=\(Self.encoded(Self.text))"
        let changed = try await Self.late("/library/notes/\(note.id)", "\(form)&since=1", harness)
        let added = try await Self.late("/library/funds/\(fund)/notes", form, harness)
        try await library.deleteNote(note.id, unlessChangedSince: nil, of: user)
        let written = "&lt;b&gt;&quot;2&quot;&lt;/b&gt; {{csrf}} 基金</textarea>"
        let other = try await Self.signIn("ann", Self.draftFields(changed.text), harness)
        #expect(other.status == 200 && other.text.contains(written) && other.text.contains("data-unsaved"))
        #expect(other.text.contains("action=\"/library/funds/\(fund)/notes\""))
        #expect(other.text.contains(Words(language: .en)("draft.homeless")))
        for fund in try await library.funds(of: user) { try await library.deleteFund(fund.id, of: user) }
        for page in [changed, added] {
            let text = try await Self.signIn("ann", Self.draftFields(page.text), harness)
            #expect(text.status == 200 && text["cache-control"] == "no-store" && text.text.contains(written))
            #expect(text.text.contains("value=\"Call\"") && !text.text.contains("action=\"/library/"))
        }
        try await harness.stop()
    }

    /// The text is given back when its fund was deleted, and with that its note.
    @Test
    func isShownWhenItCannotBeSavedAnyMore() async throws {
        let harness = try await ServerHarness()
        let (library, user) = (harness.store.library, harness.people.ann.id)
        let ann = try await BrowserSession(harness.people.ann, harness)
        let other = try await library.addFund("Other", of: user)
        let note = try await library.addNote(
            NoteText(title: "t", content: "c"), in: harness.people.fund.id, of: user)
        try await library.deleteFund(harness.people.fund.id, of: user)
        let new = try await ann.post(
            "/library/funds/\(harness.people.fund.id)/notes", "title=Call&content=written", harness)
        #expect(new.status == 404 && new.text.contains("written</textarea>") && new.text.contains("data-unsaved"))
        #expect(new.text.contains("action=\"/library/funds/\(other.id)/notes\""))
        let changed = try await ann.post(
            "/library/notes/\(note.id)", "title=Call&content=changed&since=1", harness)
        #expect(changed.status == 404 && changed.text.contains("changed</textarea>"))
        try await library.deleteFund(other.id, of: user)
        let last = try await ann.post("/library/notes/\(note.id)", "title=Call&content=last&since=1", harness)
        #expect(last.status == 404 && last.text.contains(Words(language: .en)("draft.nofund")))
        #expect(last.text.contains("last</textarea>"))
        try await harness.stop()
    }

    /// The page that is open is of an earlier session of the same person, who signed in anew at another tab.
    @Test
    func isShownToItsWriterInTheNextSession() async throws {
        let harness = try await ServerHarness()
        let path = "/library/funds/\(harness.people.fund.id)/notes"
        let ann = try await BrowserSession(harness.people.ann, harness)
        let writer = try await Self.writer(ann, harness)
        let again = try await BrowserSession(harness.people.ann, harness)
        let bea = try await BrowserSession(harness.people.bea, harness)
        func send(_ writer: String, _ session: BrowserSession) async throws -> RawHTTPResponse {
            let form = "csrf=\(ann.formToken)&writer=\(writer)&title=Call&content=quince"
            return try await harness.send(
                "POST", path, fields: BrowserSession.ownForm.merging(["Cookie": session.cookie]) { $1 },
                body: Array(form.utf8))
        }
        let editor = try await send(writer, again)
        #expect(editor.status == 403 && editor.text.contains("quince</textarea>"))
        #expect(editor.text.contains("data-unsaved") && editor.text.contains(Words(language: .en)("draft.shown")))
        for (writer, session) in [(writer, bea), ("x", again), ("", again)] {
            let answer = try await send(writer, session)
            #expect(answer.status == 403 && !answer.text.contains("quince"))
        }
        #expect(try await harness.store.library.countNotes(in: harness.people.fund.id, of: harness.people.ann.id) == 0)
        try await harness.stop()
    }

    /// The script keeps what is shown and not saved, until it is.
    @Test
    func marksWhatIsNotSaved() async throws {
        let harness = try await ServerHarness()
        let library = harness.store.library
        let note = try await library.addNote(
            NoteText(title: "t", content: "c"), in: harness.people.fund.id, of: harness.people.ann.id)
        let ann = try await BrowserSession(harness.people.ann, harness)
        let path = "/library/notes/\(note.id)"
        #expect(!(try await ann.get(path, harness).text.contains("data-unsaved")))
        let conflict = try await ann.post(path, "title=t&content=d&since=1", harness)
        #expect(conflict.status == 409 && conflict.text.contains("data-unsaved"))
        try await library.deleteNote(note.id, unlessChangedSince: nil, if: nil, of: harness.people.ann.id)
        let gone = try await ann.post(path, "title=t&content=written&since=1", harness)
        #expect(gone.status == 404 && gone.text.contains("data-unsaved") && gone.text.contains("written</textarea>"))
        try await harness.stop()
    }

    @Test
    func anotherPersonDoesNotSeeIt() async throws {
        let harness = try await ServerHarness()
        let path = "/library/funds/\(harness.people.fund.id)/notes"
        let page = try await Self.late(path, "title=Secret&content=words", harness)
        let bea = try await Self.signIn("bea", Self.draftFields(page.text), harness)
        #expect(bea.status == 303 && bea["location"] == "/library/latest?done=draft-foreign")
        #expect(!bea.text.contains("Secret"))
        // Nothing of it can be read or changed on the way.
        let fields = Self.draftFields(page.text)
        #expect(!page.text.contains("Secret") && fields.utf8.count > 40)
        let answer = try await Self.signIn("ann", fields.replacing("&draft=", with: "&draft=A"), harness)
        #expect(answer.status == 303 && answer["location"] == "/library")
        try await harness.stop()
    }

    /// The browser has no session any more, since its person signed out at another tab.
    @Test
    func isCarriedWithoutACookie() async throws {
        let harness = try await ServerHarness()
        let writer = try await Self.writer(try await BrowserSession(harness.people.ann, harness), harness)
        let path = "/library/funds/\(harness.people.fund.id)/notes"
        let page = try await harness.send(
            "POST", path, fields: BrowserSession.ownForm, body: Array("writer=\(writer)&content=quince".utf8))
        #expect(page.status == 200 && page["clear-site-data"] == nil)
        let bea = try await Self.signIn("bea", Self.draftFields(page.text), harness)
        #expect(bea["location"] == "/library/latest?done=draft-foreign")
        let ann = try await Self.signIn("ann", Self.draftFields(page.text), harness)
        #expect(ann.status == 200 && ann.text.contains("quince</textarea>"))
        try await harness.stop()
    }

    /// A note that another site sent, or that is too long, is not carried along.
    @Test
    func carriesOnlyWhatAPageSent() async throws {
        let harness = try await ServerHarness()
        let path = "/library/funds/\(harness.people.fund.id)/notes"
        let foreign = try await Self.late(
            path, "title=t&content=c", harness, fields: ["Sec-Fetch-Site": "cross-site"])
        #expect(foreign.status == 403)
        let long = try await Self.late(
            path, "title=t&content=" + String(repeating: "x", count: PageDraft.maxFormBytes), harness)
        #expect(long.status == 303 && long["location"]?.hasPrefix("/sign-in?") == true)
        let stranger = try await harness.send(
            "POST", path, fields: BrowserSession.ownForm, body: Array("csrf=x&title=t&content=c".utf8))
        #expect(stranger.status == 303)
        try await harness.stop()
    }
}
