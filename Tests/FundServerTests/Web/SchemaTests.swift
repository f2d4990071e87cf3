internal import Foundation
import FundStore
import FundCore
import TestSupport
import Testing
import Yams

@testable import FundServer

/// The schemas of openapi.yaml against the JSON that is sent.
struct SchemaTests {
    /// Every route is asked once with success and once without a token. Each member that is sent is in the schema, with
    /// the right type, and each member that the schema requires is sent. All schemas of responses are compared.
    @Test
    func describesEveryAnswer() async throws {
        var options = ServerHarness.Options.withPreviews
        options.drives = SampleDrives(["Reports": .none, "a.txt": .some([1])])
        options.driveSigningIn = SampleSignIn()
        options.mailboxes = { store in
            var mailboxes = SampleMailboxes(in: store)
            mailboxes.tokens["funds"] = SeenToken(expiresAt: nil, fetchedAt: .now, isRenewed: true)
            return mailboxes
        }
        options.figures = HealthFigures(
            letters: LetterFigures(waiting: 1, troubled: 0, problem: "no login"),
            directory: DirectoryFigures(people: 1, readAt: .now), bucket: BucketFigures(waitingBytes: 1))
        let harness = try await ServerHarness(options)
        try await harness.store.mail.note(MailboxRun(startedAt: 1_700_000_000), of: "inbox")
        try await harness.store.administration.note(HealthSample(), at: Timestamp.now - .seconds(60))
        let document = try SchemaDocument(try await harness.send("GET", "/api/openapi.yaml").text)
        var compared: Set<String> = []
        var items = MatrixItems(harness)
        for row in AccessMatrixTests.rows {
            let things = try await items.next(row.method)
            while try await harness.store.maintenance.index.indexPending() > 0 {}
            while try await harness.store.news.indexNews() > 0 {}
            let user = row.owner < 300 ? harness.people.ann : harness.people.root
            for token in [nil, try await harness.token(of: user)] {
                let response = try await row.send(things, token, harness)
                let type = response["content-type"]?.prefix { $0 != ";" } ?? ""
                guard type.hasSuffix("json") else { continue }
                let schema = try document.schema(row.method, row.path, response.status, String(type))
                let json = try JSONDecoder().decode(JSONValue.self, from: Data(response.body))
                let problems = document.problems(with: json, against: schema, at: "\(row.testDescription):")
                #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
                compared.formUnion(document.schemas(in: json, schema))
            }
        }
        // One answer has the fields of one kind of file.
        let schema = try document.schema("GET", "/v1/files/{file}/preview/fields", 200, "application/json")
        for fields in Self.fields {
            let json = try JSONDecoder().decode(JSONValue.self, from: Data(try fields.json()))
            let problems = document.problems(with: json, against: schema, at: "fields:")
            #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
            compared.formUnion(document.schemas(in: json, schema))
        }
        for call in Self.driveCalls {
            let path = call.path.replacing("{drive}", with: "1").replacing("{transfer}", with: "1")
                .replacing("{watch}", with: "1")
            let token = try await harness.token(of: harness.people.ann)
            let body = call.body?.replacing("%fund%", with: "\(harness.people.fund.id)")
            let response =
                if let body {
                    try await harness.send(call.method, "/api\(path)\(call.query)", token: token, json: body)
                } else {
                    try await harness.send(call.method, "/api\(path)\(call.query)", token: token)
                }
            #expect(response.status < 300, "\(call.path): \(response.text.prefix(300))")
            let schema = try document.schema(call.method, call.path, response.status, "application/json")
            let json = try JSONDecoder().decode(JSONValue.self, from: Data(response.body))
            let problems = document.problems(with: json, against: schema, at: "\(call.path):")
            #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
            compared.formUnion(document.schemas(in: json, schema))
        }
        #expect(document.responseSchemas.subtracting(compared).isEmpty)
        try await harness.stop()
    }

    /// A drive that is added, looked at, and pulled from.
    private static let driveCalls: [(method: String, path: String, query: String, body: String?)] = [
        ("GET", "/v1/drives/kinds", "", nil),
        (
            "POST", "/v1/drives", "",
            #"{"name":"Cloud","kind":"b2","settings":{"bucket":"b","account":"a","key":"right"}}"#
        ),
        ("POST", "/v1/drives/sign-ins", "", #"{"name":"Box","kind":"box"}"#),
        ("GET", "/v1/drives", "", nil), ("GET", "/v1/drives/{drive}", "", nil),
        ("GET", "/v1/drives/{drive}/space", "", nil), ("GET", "/v1/drives/{drive}/entries", "", nil),
        ("GET", "/v1/drives/{drive}/entry", "?path=a.txt", nil), ("GET", "/v1/drives/{drive}/search", "?q=a", nil),
        ("POST", "/v1/transfers", "", #"{"drive":1,"paths":["a.txt"],"fund":%fund%}"#),
        ("GET", "/v1/transfers", "", nil), ("GET", "/v1/transfers/{transfer}", "", nil),
        ("POST", "/v1/drives/{drive}/watches", "", #"{"fund":%fund%,"path":"Reports","minutes":1}"#),
        ("GET", "/v1/drives/{drive}/watches", "", nil),
        ("PATCH", "/v1/drives/{drive}/watches/{watch}", "", #"{"is_on":false}"#),
        ("GET", "/v1/drives/{drive}/watches/{watch}/refused", "", nil),
    ]

    /// With all members, and with as few as there may be.
    private static let fields: [FileFields] = {
        let person = FieldPerson(name: "Ann", address: "ann@example.com", state: .tentative)
        var event = CalendarFields.Event()
        let day = CivilDate(year: 2026, month: 11, day: 25)
        (event.title, event.start, event.end) = (
            "a", CalendarTime(day, ClockTime("09:00:00"), zone: .utc), CalendarTime(day)
        )
        (event.place, event.organiser, event.attendees, event.status) = ("a", person, [person], .inProcess)
        (event.repeats, event.site, event.description) = ("FREQ=DAILY", "a", "a")
        var card = CardFields.Card()
        let entries = [CardFields.Entry(value: "1", types: CardFields.Purpose.allCases), CardFields.Entry(value: "2")]
        (card.name, card.organisation, card.role, card.birthday, card.note) = ("a", "a", "a", "a", "a")
        (card.telephones, card.mails, card.addresses, card.sites) = (entries, entries, entries, ["a"])
        var mail = MailFields(
            subject: "a", from: [person], to: [person], cc: [person], date: 1, text: "a",
            attachments: [MailFields.Attachment(name: "a", size: 1)])
        mail.replyTo = [person]
        return [
            .table(TableFields(delimiter: ",", rows: [["a"], []], hasMoreRows: true, hasMoreColumns: false)),
            .calendar(CalendarFields(name: "a", events: [event, .init()], hasMore: true)),
            .card(CardFields(cards: [card, .init()], hasMore: true)), .mail(mail), .mail(MailFields()),
        ]
    }()
}

/// JSON with the types that OpenAPI tells apart.
enum JSONValue: Decodable {
    case null, boolean, integer, number, string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if (try? container.decode(Bool.self)) != nil {
            self = .boolean
        } else if (try? container.decode(Int64.self)) != nil {
            self = .integer
        } else if (try? container.decode(Double.self)) != nil {
            self = .number
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let items = try? container.decode([JSONValue].self) {
            self = .array(items)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    var type: String {
        switch self {
        case .null: "null"
        case .boolean: "boolean"
        case .integer: "integer"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}

/// A node of YAML whose members are found by their names in a step: Yams looks through all of them. Keys are texts, so
/// that a status, which is quoted in the document, is one.
indirect enum SchemaNode: Equatable {
    case text(String)
    case items([SchemaNode])
    case members([String: SchemaNode])

    init(_ node: Node) {
        switch node {
        case .scalar(let scalar): self = .text(scalar.string)
        case .sequence(let sequence): self = .items(sequence.map { SchemaNode($0) })
        case .mapping(let mapping):
            self = .members(
                Dictionary(mapping.map { ($0.key.string ?? "", SchemaNode($0.value)) }) { first, _ in first })
        case .alias: self = .text("")
        }
    }

    var string: String? { if case .text(let text) = self { text } else { nil } }

    var sequence: [SchemaNode]? { if case .items(let items) = self { items } else { nil } }

    subscript(name: String) -> SchemaNode? {
        get { if case .members(let members) = self { members[name] } else { nil } }
        set {
            guard case .members(var members) = self else { return }
            members[name] = newValue
            self = .members(members)
        }
    }
}

/// openapi.yaml, as far as JSON bodies are compared with it.
struct SchemaDocument {
    struct Missing: Error, CustomStringConvertible {
        var description: String
    }

    private let root: SchemaNode

    init(_ text: String) throws {
        guard let root = try Yams.compose(yaml: text) else { throw Missing(description: "the document is empty") }
        self.root = SchemaNode(root)
    }

    /// Schema of the body of an answer.
    func schema(_ method: String, _ path: String, _ status: Int, _ contentType: String) throws -> SchemaNode {
        let response = root["paths"]?[path]?[method.lowercased()]?["responses"]?["\(status)"].map(resolved)
        guard let schema = response?["content"]?[contentType]?["schema"] else {
            throw Missing(description: "\(method) \(path) has no \(status) with \(contentType)")
        }
        return schema
    }

    /// The names of the schemas that answers are made of.
    var responseSchemas: Set<String> {
        var names: Set<String> = []
        func collect(_ node: SchemaNode, isResponse: Bool) {
            if isResponse, let name = name(of: node) {
                if names.insert(name).inserted { collect(resolved(node), isResponse: true) }
                return
            }
            switch node {
            case .members(let members):
                for (key, value) in members where key != "requestBody" && key != "parameters" {
                    collect(value, isResponse: isResponse || key == "responses")
                }
            case .items(let items): for item in items { collect(item, isResponse: isResponse) }
            case .text: break
            }
        }
        if let paths = root["paths"] { collect(paths, isResponse: false) }
        return names.filter { root["components"]?["schemas"]?[$0]?["type"]?.string == "object" }
    }

    /// Problems of a body, as lines.
    func problems(with json: JSONValue, against schema: SchemaNode, at place: String) -> [String] {
        if let choices = schema["anyOf"]?.sequence {
            let problems = choices.map { self.problems(with: json, against: $0, at: place) }
            return problems.contains([]) ? [] : ["\(place) is none of what it may be"]
        }
        let schema = self.schema(for: json, schema)
        let types = words(schema["type"])
        guard types.isEmpty || types.contains(json.type) else { return ["\(place) is \(json.type), not \(types)"] }
        switch json {
        case .object(let members):
            let properties = schema["properties"]
            let missing = words(schema["required"]).filter { members[$0] == nil }.map {
                "\(place) \($0) is required and not sent"
            }
            return missing
                + members.sorted { $0.key < $1.key }.flatMap { name, value in
                    guard let property = properties?[name] else {
                        return ["\(place) \(name) is sent and not in the schema"]
                    }
                    return problems(with: value, against: property, at: "\(place) \(name)")
                }
        case .array(let items):
            guard let item = schema["items"] else { return ["\(place) has items without a schema"] }
            return items.flatMap { problems(with: $0, against: item, at: place) }
        case .string(let text):
            let allowed = words(schema["enum"])
            return allowed.isEmpty || allowed.contains(text) ? [] : ["\(place) is \(text), which is none of \(allowed)"]
        default: return []
        }
    }

    /// The names of the schemas that a body was compared with.
    func schemas(in json: JSONValue, _ schema: SchemaNode) -> Set<String> {
        if let choices = schema["anyOf"]?.sequence {
            let fitting = choices.first { problems(with: json, against: $0, at: "").isEmpty }
            return fitting.map { schemas(in: json, $0) } ?? []
        }
        let node = self.schema(for: json, schema)
        let special = resolved(schema)["oneOf"]?.sequence?.first { resolved($0) == node }
        let names = Set([name(of: schema), special.flatMap(name)].compactMap { $0 })
        switch json {
        case .object(let members):
            return members.reduce(into: names) { names, member in
                if let property = node["properties"]?[member.key] {
                    names.formUnion(schemas(in: member.value, property))
                }
            }
        case .array(let items):
            guard let item = node["items"] else { return names }
            return items.reduce(into: names) { $0.formUnion(schemas(in: $1, item)) }
        default: return names
        }
    }

    /// The schema of several that the discriminator names. `Item` stands for a fund, a folder or a file with all
    /// members of that, as its `type` says.
    private func schema(for json: JSONValue, _ schema: SchemaNode) -> SchemaNode {
        let node = resolved(schema)
        if let member = node["discriminator"]?["propertyName"]?.string, case .object(let members) = json,
            case .string(let word)? = members[member]
        {
            let special = node["oneOf"]?.sequence?.first {
                words(resolved($0)["properties"]?[member]?["enum"]).contains(word)
            }
            return special.map(resolved) ?? node
        }
        guard name(of: schema) == "Item", case .object(let members) = json, case .string(let type) = members["type"],
            let special = root["components"]?["schemas"]?[type.capitalized], var properties = special["properties"]
        else { return node }
        properties["type"] = node["properties"]?["type"]
        var joined = special
        joined["properties"] = properties
        return joined
    }

    /// The words of a list, or the only one.
    private func words(_ node: SchemaNode?) -> [String] {
        guard let node else { return [] }
        return node.sequence.map { $0.compactMap(\.string) } ?? [node.string].compactMap(\.self)
    }

    private func name(of node: SchemaNode) -> String? {
        node["$ref"]?.string?.split(separator: "/").last.map(String.init)
    }

    private func resolved(_ node: SchemaNode) -> SchemaNode {
        guard let reference = node["$ref"]?.string else { return node }
        let target = reference.split(separator: "/").dropFirst().reduce(root as SchemaNode?) { $0?[String($1)] }
        return target ?? node
    }
}
