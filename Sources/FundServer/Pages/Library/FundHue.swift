internal import FundCore

/// The class that gives a fund its colour.
enum FundHue {
    static func name(_ fund: Fund.ID) -> String { "hue\(fund.rawValue % 8 + 1)" }
}
