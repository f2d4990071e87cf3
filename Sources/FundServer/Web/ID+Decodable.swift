internal import FundCore

/// As bodies of the web API have them: numbers.
extension ID: Decodable {
    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Int64.self))
    }
}

/// Seconds since 1970.
extension Timestamp: Decodable {
    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Int64.self))
    }
}
