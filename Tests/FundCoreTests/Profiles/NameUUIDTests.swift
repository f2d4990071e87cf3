import Testing

@testable import FundCore

@Suite struct NameUUIDTests {
    /// RFC 9562 §A.4: the namespace of DNS names, and a name in it.
    @Test func isThatOfTheStandard() {
        let names: [UInt8] = [
            0x6B, 0xA7, 0xB8, 0x10, 0x9D, 0xAD, 0x11, 0xD1, 0x80, 0xB4, 0x00, 0xC0, 0x4F, 0xD4, 0x30, 0xC8,
        ]
        #expect("\(NameUUID(of: "www.example.com", in: names))" == "2ED6657D-E927-568B-95E1-2665A8AEA6A2")
    }
}
