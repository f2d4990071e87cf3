internal import MailConnection
internal import FundCore

/// Whether the message that came is the one that the server announced, as far as its size tells. A server that cannot
/// read a message for a moment may give a part of it, or something else in its place, and say OK.
enum SizeVerdict: Equatable {
    case asAnnounced
    /// It is asked for once more.
    case lookAgain
    /// The second time differed, too: it is filed with a defect, and the server's copy stays.
    case differs
    /// It cannot be had in this run.
    case unavailable(String)

    /// - Parameter announced: bytes; nil when the server did not say: then any size is right.
    /// - Parameter isSecondLook: it was asked for before in this run.
    init(of message: SpooledMessage, announced: UInt64?, isSecondLook: Bool) throws(ConnectionError) {
        let (isPlaceholder, isAsAnnounced): (Bool, Bool)
        do {
            isPlaceholder = try message.isCourierPlaceholder
            isAsAnnounced = try announced.map(message.fits) ?? true
        } catch {
            throw .store(error, during: "reading a message again")
        }
        if isPlaceholder {
            self = isSecondLook ? .unavailable("the server says that it cannot open it now") : .lookAgain
        } else if isAsAnnounced {
            self = .asAnnounced
        } else {
            self = isSecondLook ? .differs : .lookAgain
        }
    }
}

extension SpooledMessage {
    /// RFC 3501 §2.3.4 and RFC 1939 §11 count two octets for a line end. QUIRK: Mailutils and other servers whose
    /// stores end lines with LF count one, and none for a last line end that the message lacks and that they add. Only
    /// a surplus is explained in this way: what is shorter than announced is never taken for whole.
    fileprivate func fits(_ announced: UInt64) throws -> Bool {
        guard let announced = Int64(exactly: announced) else { return false }
        let surplus = size - announced
        if surplus == 0 { return true }
        // A line has at least the two octets of its end.
        guard announced > 0, surplus > 0, surplus <= size / 2 + 2 else { return false }
        var lines: Int64 = 0
        try content.read { bytes in
            var offset = 0
            while let newline = bytes.firstOffset(of: .lf, from: offset) {
                lines += 1
                offset = newline + 1
            }
        }
        return surplus <= lines + 2
    }

    /// QUIRK: Courier gives this, and says OK, when it cannot open the file of a message.
    private static let courierPlaceholder = Array(
        """
        From: System Administrator <root@localhost>\r
        Subject: message unavailable\r
        \r
        This message is no longer available on the server.\r

        """.utf8)

    fileprivate var isCourierPlaceholder: Bool {
        get throws {
            guard size == Self.courierPlaceholder.count else { return false }
            var bytes: [UInt8] = []
            try content.read { bytes += $0 }
            return bytes == Self.courierPlaceholder
        }
    }
}

extension DeliveredPlace {
    /// True when the same message is listed again and all of it is here. The size mostly tells when another has its
    /// place.
    func isWhole(listed: UInt64?) -> Bool { !isRefusedUnseen && isSameSize(listed) }

    /// Only its header is here, and it is still too large; one larger than listed is remembered with its true size.
    func isStillTooLarge(limit: UInt64, listed: UInt64?) -> Bool {
        guard isRefusedUnseen, let known = announcedBytes.map(UInt64.init(clamping:)) ?? listed, known > limit else {
            return false
        }
        return isSameSize(listed) || listed ?? 0 <= limit
    }

    private func isSameSize(_ listed: UInt64?) -> Bool {
        guard let announcedBytes, let listed else { return true }
        return announcedBytes == Int64(clamping: listed)
    }
}
