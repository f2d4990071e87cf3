import FundCore
import Testing

@testable import FundPreview

@Suite struct MailFieldsTests {
    /// A text that is short enough is cut all the same where people have taken its room.
    @Test func roomIsUsedUp() throws {
        let text = String(repeating: "\"", count: 96 << 10)
        var header = MessageHeader()
        #expect(!MailFields(ParsedMessage(header: header, text: text)).isCut)
        let name = String(repeating: "\"", count: 200)
        header.to = Array(repeating: NamedAddress(displayName: name, address: name), count: 50)
        header.cc = header.to
        let mail = MailFields(ParsedMessage(header: header, text: text))
        #expect(mail.to.count == 50 && mail.cc.count == 50 && mail.isCut && mail.text?.hasSuffix("…") == true)
        let json = try FileFields.mail(mail).json()
        #expect(json.count <= FileFields.maxBytes && FileFields(json: json) == .mail(mail))
    }

    /// Answers go to the people of Reply-To; fields that were made before these were kept have none.
    @Test func answersHaveTheirPeople() throws {
        var header = MessageHeader()
        #expect(MailFields(ParsedMessage(header: header)).replyTo == nil)
        header.replyTo = [NamedAddress(displayName: "Office", address: "office@example.com")]
        let mail = MailFields(ParsedMessage(header: header))
        #expect(mail.replyTo == [FieldPerson(name: "Office", address: "office@example.com")])
        #expect(FileFields(json: try FileFields.mail(mail).json()) == .mail(mail))
        let former = #"{"kind":"mail","from":[],"to":[],"cc":[],"attachments":[],"is_cut":false}"#
        #expect(FileFields(json: Array(former.utf8)) == .mail(MailFields()))
    }
}
