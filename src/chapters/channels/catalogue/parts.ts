// The parts of the catalogue's thread, put together.

import { ChannelRows } from './channel-rows.ts'
import { ChannelView } from './channel-view.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { HeldTree } from './held-tree.ts'
import { OwnChannels, type OwnParts } from './own-channels.ts'
import { OwnKeys } from './own-keys.ts'
import { RecordRows } from './record-rows.ts'
import { VoteRows } from './vote-rows.ts'

/** The parts of the catalogue's thread, put together. */
export interface Parts extends OwnParts {
  readonly own: OwnChannels
  readonly votes: VoteRows
}

/** Makes them. */
export function makeParts(context: CatalogueContext): Parts {
  const channels = new ChannelRows(context)
  const rows = new RecordRows(context)
  const shared: OwnParts = {
    context,
    channels,
    rows,
    tree: new HeldTree(context, rows),
    view: new ChannelView(context, rows),
    keys: new OwnKeys(context),
  }
  return { ...shared, own: new OwnChannels(shared), votes: new VoteRows(context) }
}
