/// The values that a template shows, by name.
struct PageModel: ExpressibleByDictionaryLiteral, Sendable {
    private var values: [String: PageValue]
    /// Whether a name that is missing here is looked up nowhere else.
    private(set) var isApart = false

    /// This model, without the names of the models around it.
    var apart: PageModel {
        var model = self
        model.isApart = true
        return model
    }

    init(dictionaryLiteral elements: (String, (any PageValueConvertible)?)...) {
        values = [:]
        values.reserveCapacity(elements.count)
        for (name, value) in elements { values[name] = value?.pageValue }
    }

    /// One of several values to choose from.
    static func choice(_ value: String, _ text: String, isChosen: Bool) -> PageModel {
        ["value": value, "text": text, "isChosen": isChosen]
    }

    /// Nil for what is not there.
    subscript(name: String) -> (any PageValueConvertible)? {
        get { values[name] }
        set { values[name] = newValue?.pageValue }
    }

    func value(_ name: String) -> PageValue? { values[name] }

    func text(_ name: String) -> String? {
        guard case .text(let text) = values[name] else { return nil }
        return text
    }

    func model(_ name: String) -> PageModel? {
        guard case .model(let model) = values[name] else { return nil }
        return model
    }

    /// Says what went wrong, and leads to the field that it is about.
    /// - Parameter field: the id of the input; nil when it is about none.
    mutating func fail(_ text: String, at field: String? = nil) {
        values["failure"] = .text(text)
        values["failedField"] = field.map { .text($0) }
    }

    /// This model with what went wrong, for a form that marks the field, too.
    func failed(_ text: String, at field: String?) -> PageModel {
        var model = self
        model.fail(text, at: field)
        if let field { model["\(field)Failed"] = true }
        return model
    }

    /// Bytes of all texts, as a template that shows each once writes them.
    var escapedCount: Int { values.values.reduce(0) { $0 + $1.escapedCount } }

    /// Takes over what `other` shows.
    mutating func merge(_ other: PageModel) { values.merge(other.values) { $1 } }
}

/// One value of a model.
enum PageValue: Sendable {
    case text(String)
    case flag(Bool)
    case model(PageModel)
    case list([PageValue])

    fileprivate var escapedCount: Int {
        switch self {
        case .text(let text): text.escapedCount
        case .flag: 0
        case .model(let model): model.escapedCount
        case .list(let values): values.reduce(0) { $0 + $1.escapedCount }
        }
    }
}

protocol PageValueConvertible {
    var pageValue: PageValue { get }
}

extension PageValue: PageValueConvertible {
    var pageValue: PageValue { self }
}

extension String: PageValueConvertible {
    var pageValue: PageValue { .text(self) }
}

extension Bool: PageValueConvertible {
    var pageValue: PageValue { .flag(self) }
}

extension PageModel: PageValueConvertible {
    var pageValue: PageValue { .model(self) }
}

extension Optional where Wrapped: PageValueConvertible {
    /// This value; without one, a flag that hides a value of the same name in an outer model.
    var orAbsent: PageValue { self?.pageValue ?? .flag(false) }
}

extension Array: PageValueConvertible where Element: PageValueConvertible {
    var pageValue: PageValue { .list(map(\.pageValue)) }
}
