// Files of the market, in a folder of their owner: orders, and the journal of each swap. The key of the node lies in
// the same folder, and is none of them.

import type { MarketFiles } from '../ports/market-files.ts'
import { NODE_KEY_FILE } from './node-key.ts'
import { OwnerFolder } from '../../../io/files/owner-folder.ts'

/** The journal of a swap is far smaller. */
const MAX_FILE_BYTES = 64 * 1024 * 1024

/** MarketFiles in `folder`, which is made with the first write. */
export class MarketFolder extends OwnerFolder implements MarketFiles {
  constructor(folder: string) {
    super(folder, 'A file of the market', MAX_FILE_BYTES)
  }

  override async list(prefix: string): Promise<string[]> {
    return (await super.list(prefix)).filter(name => name !== NODE_KEY_FILE)
  }

  override path(name: string): string {
    if (name === NODE_KEY_FILE) throw new Error('the key of the node is no file of the market')
    return super.path(name)
  }
}
