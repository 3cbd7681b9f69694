// Files of wallets, in a folder of their owner.

import type { WalletFiles } from '../ports/wallet-files.ts'
import { OwnerFolder } from '../../../io/files/owner-folder.ts'
import { readLogTail } from './wallet-log-tail.ts'

/** A wallet of a hundred thousand transactions is smaller. */
const MAX_FILE_BYTES = 256 * 1024 * 1024

/** WalletFiles in `folder`, which is made with the first write. */
export class WalletFolder extends OwnerFolder implements WalletFiles {
  constructor(folder: string) {
    super(folder, 'A wallet', MAX_FILE_BYTES)
  }

  tail(name: string, lines: number): Promise<string[]> {
    return this.failingAsDisk(() => readLogTail(this.path(name), lines))
  }
}
