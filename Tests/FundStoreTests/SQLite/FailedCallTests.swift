import FundCore
import GRDB
import Glibc
import Testing

@testable import FundStore
@testable import SQLiteRoom

/// SQLite has one code for a disk that is full and for one that is broken: what the system said tells them apart.
@Suite struct FailedCallTests {
    @Test(arguments: [
        (ENOSPC, StoreError.Code.outOfSpace), (EDQUOT, .outOfSpace), (EFBIG, .outOfSpace), (EIO, .io), (ENOMEM, .io),
        (EACCES, .io),
    ])
    func aFailedCallSaysWhy(code: Int32, expected: StoreError.Code) {
        let ambiguous: [ResultCode] = [.SQLITE_IOERR_WRITE, .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMMAP]
        for result in ambiguous {
            errno = code
            FailedCall.note()
            let error = StoreError.wrap(DatabaseError(resultCode: result), "test") as? StoreError
            #expect(errno == code && error?.code == expected, "\(result)")
        }
    }

    @Test(arguments: [(ResultCode.SQLITE_FULL, StoreError.Code.outOfSpace), (.SQLITE_IOERR_READ, .io)])
    func otherCodesSayItThemselves(result: ResultCode, expected: StoreError.Code) {
        errno = EIO
        FailedCall.note()
        #expect((StoreError.wrap(DatabaseError(resultCode: result), "test") as? StoreError)?.code == expected)
    }
}
