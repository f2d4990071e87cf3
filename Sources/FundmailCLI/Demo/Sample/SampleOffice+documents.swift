import FundCore

extension SampleOffice {
    /// Companies with cost, value and multiple, in millions of euros.
    static let values = [
        ["Northwind Rail", "12.5", "18.1", "1.4"], ["Lumen Grid", "9.0", "11.4", "1.3"],
        ["Pier 9", "6.2", "5.8", "0.9"],
        ["Tidal Works", "4.1", "7.3", "1.8"],
    ]
    /// Years with three cases.
    static let model = [
        ["2027", "4.2", "4.9", "3.1"], ["2028", "5.0", "6.2", "3.4"], ["2029", "5.9", "7.8", "3.8"],
    ]

    private static let manager = "Harbour Growth Fund II"
    private static let terms = """
        All amounts are in millions of euros. Terms that are not explained here have the meaning that the agreement \
        of the fund gives them.
        """

    private var days: SampleDates { SampleDates(now) }

    var capitalCall: SampleDocument {
        SampleDocument("Capital call notice no. 7", from: Self.manager, note: days.day(-6))
            .adding("Dear investor, the fund calls five per cent of all commitments. \(Self.terms)")
            .addingTable(
                ["Investor", "Commitment", "Called", "Due now"],
                [
                    ["Meridian Partners", "20.0", "13.0", "1.0"], ["Alder Foundation", "12.0", "7.8", "0.6"],
                    ["Pension Fund North", "45.0", "29.3", "2.3"],
                ]
            )
            .adding("Please pay by \(days.day(10)) to the account that the annex names.")
            .addingPage("Annex").adding("Account of the fund: Harbour Bank, reference CC7.")
    }

    var quarterlyReport: SampleDocument {
        SampleDocument("Quarterly report", from: Self.manager, note: "\(days.lastQuarter) · \(days.day(-5))")
            .adding("The portfolio grew by 4.2 per cent. Two companies refinanced, none was sold. \(Self.terms)")
            .addingTable(["Company", "Cost", "Value", "Multiple"], Self.values)
            .addingBars(Self.values.map { ($0[0], Double($0[2]) ?? 0) })
            .addingPage("Companies")
            .adding("Northwind Rail ordered two trains, and runs on a third line from spring.")
            .adding("Lumen Grid negotiates with a second network. Pier 9 lost a tenant and found two.")
    }

    var distribution: SampleDocument {
        SampleDocument("Distribution notice", from: Self.manager, note: days.day(0))
            .adding("The fund distributes 2.4 millions of euros from the dividend of Northwind Rail.")
            .addingTable(
                ["Investor", "Share", "Amount"],
                [["Meridian Partners", "26 %", "0.62"], ["Others", "74 %", "1.78"]])
    }

    var insurance: SampleDocument {
        SampleDocument("Certificate of insurance", from: "Oasis Mutual", note: days.day(-3))
            .adding("This is to certify that the toll road and its three bridges are insured until \(days.day(362)).")
            .addingTable(
                ["Risk", "Limit"], [["Property", "120.0"], ["Liability", "25.0"], ["Interruption", "18.0"]])
    }

    var dataRoom: SampleDocument {
        SampleDocument("Data room index", from: "Oasis Infrastructure", note: days.day(0))
            .addingTable(
                ["Folder", "Documents", "New"],
                [
                    ["Concession", "14", "0"], ["Traffic", "36", "3"], ["Financing", "22", "1"],
                    ["Insurance", "5", "1"],
                ])
    }

    var committee: SampleDocument {
        SampleDocument("Investment committee", from: "Meridian Partners", note: "Minutes of \(days.day(-5))")
            .adding("Present: Ann Archer, Ben Becker. The minutes of the last meeting were approved.")
            .adding("1. Harbour Growth II: the capital call is paid from the credit line.")
            .adding("2. Lumen Grid: the term sheet goes to counsel; a decision follows within two weeks.")
    }

    var termSheet: SampleDocument {
        SampleDocument("Term sheet", from: "Lumen Grid", note: "Fourth draft · \(days.day(-1))")
            .addingTable(
                ["Term", "Value"], [["Round", "15.0"], ["Pre-money value", "62.0"], ["Option pool", "8 %"]]
            )
            .adding("Not binding, except for confidentiality and costs.")
    }

    var covenant: SampleDocument {
        SampleDocument("Covenant certificate", from: Self.manager, note: days.lastQuarter)
            .addingTable(
                ["Covenant", "Limit", "Actual"], [["Loan to value", "45 %", "31 %"], ["Cover", "2.0", "3.4"]])
    }

    var board: SampleDocument {
        SampleDocument("Advisory board", from: Self.manager, note: "Minutes of \(days.day(-1))")
            .adding("The board took note of the valuations, and asked for a second opinion on Pier 9.")
    }

    var statement: SampleDocument {
        SampleDocument("NAV statement", from: "Fund administration", note: days.lastMonth)
            .addingTable(["Account", "Units", "Value"], [["Meridian Partners", "18 204", "24.9"]])
    }
}
