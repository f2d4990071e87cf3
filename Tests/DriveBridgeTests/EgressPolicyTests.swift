import FundCore
import Testing

@testable import DriveBridge

/// Where a drive may lead.
struct EgressPolicyTests {
    private static func policy(_ hosts: [String] = [], private privateHosts: [String] = []) -> EgressPolicy {
        var rules = DriveRules()
        rules.hosts = hosts.compactMap { AllowedHost($0) }
        rules.privateHosts = privateHosts.compactMap { AllowedHost($0) }
        return EgressPolicy(
            rules: rules,
            resolver: NameResolver { host, port in
                let names = [
                    "public.example": ["1.1.1.1"], "private.example": ["10.0.0.1"], "both.example": ["1.1.1.1", "::1"],
                    "mapped.example": ["::ffff:169.254.169.254"],
                ]
                return (names[host] ?? [host]).compactMap { IPAddress(host: $0) }
                    .map { Endpoint(address: $0, port: port) }
            })
    }

    private static func problem(_ head: String, _ policy: EgressPolicy) -> DriveProblem? {
        guard let request = ConnectRequest(Array("CONNECT \(head) HTTP/1.1\r\nHost: \(head)\r\n\r\n".utf8)) else {
            return .name
        }
        do throws(DriveError) {
            _ = try policy.endpoints(of: request.host, request.port)
            return nil
        } catch {
            return error.problem
        }
    }

    @Test(
        arguments: [
            ("public.example:443", nil), ("PUBLIC.example:8443", nil), ("1.1.1.1:443", nil),
            ("public.example:80", .forbidden), ("public.example:22", .forbidden), ("none.example:443", .unreachable),
            ("private.example:443", .privateAddress), ("both.example:443", .privateAddress),
            ("mapped.example:443", .privateAddress), ("127.0.0.1:443", .privateAddress), ("127.1:443", .privateAddress),
            ("2130706433:443", .privateAddress), ("0x7f000001:443", .privateAddress),
            ("0177.0.0.1:443", .privateAddress),
            ("localhost:443", .privateAddress), ("a.localhost:443", .privateAddress), ("[::1]:443", .privateAddress),
            ("[::ffff:127.0.0.1]:443", .privateAddress), ("[::ffff:7f00:1]:443", .privateAddress),
            ("[fe80::1]:443", .privateAddress), ("[64:ff9b::10.0.0.1]:443", .privateAddress),
            ("169.254.169.254:443", .privateAddress), ("[fd00:ec2::254]:443", .privateAddress),
            ("0:443", .privateAddress), ("0.0.0.0:443", .privateAddress), ("[::]:443", .privateAddress),
            ("192.168.1.1:8443", .privateAddress), ("public.example", .name), ("public.example:", .name),
            ("public.example:0", .name), ("public.example:65536", .name), ("a@public.example:443", .name),
            ("public.example:443/x", .name), ("[::1:443", .name), ("[fe80::1%25eth0]:443", .name), (":443", .name),
        ] as [(String, DriveProblem?)])
    func onlyPublicAddressesAtPortsOfWebServers(_ target: String, _ problem: DriveProblem?) {
        #expect(Self.problem(target, Self.policy()) == problem, "\(target)")
    }

    @Test func hostsThatAreNamed() {
        let policy = Self.policy(
            ["public.example", "1.1.1.1:9000"], private: ["private.example", "10.0.0.2:5001"])
        let expected: [(String, DriveProblem?)] = [
            ("public.example:443", nil), ("1.1.1.1:9000", nil), ("1.1.1.1:443", .forbidden),
            ("both.example:443", .forbidden), ("notpublic.example:443", .forbidden), ("private.example:443", nil),
            ("a.private.example:443", .forbidden), ("10.0.0.2:5001", nil), ("10.0.0.2:443", .privateAddress),
            ("private.example:5001", .forbidden),
        ]
        for (target, problem) in expected { #expect(Self.problem(target, policy) == problem, "\(target)") }
        #expect(policy.rules.verdict(on: "a.public.example", 443) == .isPublic)
    }

    @Test(arguments: [
        "GET https://a.example/ HTTP/1.1\r\n\r\n", "CONNECT a.example:443\r\n\r\n",
        "CONNECT a.example:443 HTTP/2\r\n\r\n",
        "CONNECT  a.example:443 HTTP/1.1\r\n\r\n", "CONNECT a.example:443 HTTP/1.1\r\n\r\nx",
        "CONNECT a.example:443 HTTP/1.1\r\n", "CONNECT a.example:443\0.b HTTP/1.1\r\n\r\n",
        "CONNECT a.example:443 HTTP/1.1\r\n\r\nCONNECT b.example:443 HTTP/1.1\r\n\r\n", "\r\n\r\n", "",
    ])
    func otherRequestsAreNone(_ head: String) { #expect(ConnectRequest(Array(head.utf8)) == nil) }
}
