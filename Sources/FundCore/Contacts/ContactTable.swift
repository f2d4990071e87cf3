/// Reads a table of contacts as Outlook and Google write it, in several languages.
struct ContactTable {
    private enum Column: Hashable {
        case name, first, middle, last, organisation, department, title, note, groups
        case address, phone(ContactEntry.Kind?)
        /// The label of the address or number with this number, as Google has it.
        case label
    }

    /// Titles in lower case, of letters alone: digits number the columns of one kind.
    private static let titles: [String: Column] = [
        "name": .name, "fullname": .name, "displayname": .name, "fileas": .name, "姓名": .name, "全名": .name,
        "显示名称": .name, "anzeigename": .name,
        "firstname": .first, "givenname": .first, "名": .first, "名字": .first, "vorname": .first,
        "middlename": .middle, "additionalname": .middle, "中间名": .middle, "weiterevornamen": .middle,
        "lastname": .last, "familyname": .last, "surname": .last, "姓": .last, "姓氏": .last, "nachname": .last,
        "company": .organisation, "organization": .organisation, "organisation": .organisation,
        "organizationname": .organisation, "companyname": .organisation, "公司": .organisation, "单位": .organisation,
        "firma": .organisation,
        "department": .department, "organizationdepartment": .department, "部门": .department, "abteilung": .department,
        "jobtitle": .title, "title": .title, "organizationtitle": .title, "职务": .title, "position": .title,
        "notes": .note, "note": .note, "附注": .note, "备注": .note, "便笺": .note, "notizen": .note,
        "categories": .groups, "labels": .groups, "groupmembership": .groups, "groups": .groups, "类别": .groups,
        "标签": .groups, "kategorien": .groups,
        "email": .address, "emailaddress": .address, "emailvalue": .address, "mail": .address, "address": .address,
        "电子邮件": .address, "电子邮件地址": .address, "邮箱": .address, "emailadresse": .address,
        "emailtype": .label, "emaillabel": .label, "phonetype": .label, "phonelabel": .label,
        "phone": .phone(nil), "phonevalue": .phone(nil), "telephone": .phone(nil), "primaryphone": .phone(nil),
        "otherphone": .phone(nil), "companymainphone": .phone(.work), "businessphone": .phone(.work),
        "homephone": .phone(.home), "mobilephone": .phone(.cell), "businessfax": .phone(.fax),
        "homefax": .phone(.fax), "电话": .phone(nil), "商务电话": .phone(.work), "办公电话": .phone(.work),
        "住宅电话": .phone(.home), "移动电话": .phone(.cell), "手机": .phone(.cell), "telefongeschäftlich": .phone(.work),
        "telefonprivat": .phone(.home), "mobiltelefon": .phone(.cell),
    ]
    /// Columns of what lists of contacts have no room for, by what their titles begin with.
    private static let leftOut: [(start: String, part: ImportedContact.LeftOut)] = [
        ("photo", .picture), ("birthday", .birthday), ("anniversary", .birthday), ("生日", .birthday),
        ("webpage", .website), ("website", .website), ("网页", .website), ("businessstreet", .postalAddress),
        ("homestreet", .postalAddress), ("otherstreet", .postalAddress), ("addressformatted", .postalAddress),
        ("nickname", .other),
    ]

    let contacts: [ImportedContact]
    let hasMore: Bool
    let ignoredColumns: [String]

    init(_ text: String) throws(ContactFile.Fault) {
        let rows: [CSVReader.Row]
        do { rows = try CSVReader.rows(text) } catch {
            throw .malformed(line: error.line, problem: error.problem)
        }
        guard let header = rows.first else { throw .empty }
        let keys = header.cells.map { $0.nfkc.lowercased().filter(\.isLetter) }
        let columns = keys.map { Self.titles[$0] }
        let isKnown = columns.contains {
            switch $0 {
            case .address, .phone, .name, .first, .last, .organisation: true
            default: false
            }
        }
        guard isKnown else { throw .noColumns }
        let lost = keys.map { key in Self.leftOut.first { key.hasPrefix($0.start) }?.part }
        ignoredColumns = header.cells.indices.filter { index in
            columns[index] == nil
                && rows.dropFirst().contains { $0.cells.indices.contains(index) && !$0.cells[index].isEmpty }
        }.map { header.cells[$0] }
        let lines = rows.dropFirst()
        hasMore = lines.count > ContactLimits.maxImported
        contacts = lines.prefix(ContactLimits.maxImported).map { Self.contact($0, columns, lost) }
    }

    private static func contact(
        _ row: CSVReader.Row, _ columns: [Column?], _ lost: [ImportedContact.LeftOut?]
    ) -> ImportedContact {
        var (card, leftOut) = (ContactCard(), Set<ImportedContact.LeftOut>())
        var names: [Column: String] = [:]
        var kind: ContactEntry.Kind?
        for (index, cell) in row.cells.enumerated() where columns.indices.contains(index) {
            let text = cell.trimmed
            guard let column = columns[index] else {
                if let part = lost[index], !text.isEmpty { leftOut.insert(part) }
                continue
            }
            switch column {
            case .label: kind = Self.kind(text)
            case .address:
                // Google joins several of one kind.
                card.addresses += Self.several(text).map { ContactEntry($0, kind) }
                kind = nil
            case .phone(let own):
                card.phones += Self.several(text).map { ContactEntry($0, own ?? kind) }
                kind = nil
            case .organisation: if card.organisation.isEmpty { card.organisation = text }
            case .department: if card.department.isEmpty { card.department = text }
            case .title: if card.title.isEmpty { card.title = text }
            case .note: card.note = [card.note, text].filter { !$0.isEmpty }.joined(separator: "\n")
            case .groups: card.groups += Self.groups(text)
            case .name, .first, .middle, .last: if names[column] == nil { names[column] = text }
            }
        }
        let parts = StructuredName.text([Column.last, .first, .middle].map { names[$0] ?? "" })
        card.name = names[.name].flatMap { $0.isEmpty ? nil : $0 } ?? parts
        return ImportedContact(line: row.line, card: card, leftOut: leftOut)
    }

    private static func several(_ text: String) -> [String] {
        text.split(separator: " ::: ").map(\.trimmed).filter { !$0.isEmpty }
    }

    /// Outlook separates by `;`, Google by ` ::: ` and marks its own groups by `*`.
    private static func groups(_ text: String) -> [String] {
        text.replacing(" ::: ", with: ";").split(separator: ";").map(\.trimmed).filter { $0.first != "*" }
    }

    private static func kind(_ label: String) -> ContactEntry.Kind? {
        let label = label.lowercased()
        return ContactEntry.Kind.allCases.last { label.contains($0.rawValue) }
            ?? (label.contains("mobile") ? .cell : nil)
    }
}
