import FundServer
import FundStore

extension ServerStore {
    init(_ store: FundStore) {
        self.init(
            accounts: store.accounts, library: store.library, administration: store.administration, mail: store.mail)
    }
}
