// The parts of the catalogue's thread, put together.

import { ChannelRows } from './channel-rows.ts'
import { ChannelView } from './channel-view.ts'
import type { Desk } from './desk.ts'
import { HeldTree } from './held-tree.ts'
import { OwnChannels, type OwnParts } from './own-channels.ts'
import { OwnKeys } from './own-keys.ts'
import { RecordRows } from './record-rows.ts'
import { VoteRows } from './vote-rows.ts'

/** See the top of the file. */
export interface Parts extends OwnParts {
  readonly own: OwnChannels
  readonly votes: VoteRows
}

/** Makes them. */
export function makeParts(desk: Desk): Parts {
  const channels = new ChannelRows(desk)
  const rows = new RecordRows(desk)
  const shared: OwnParts = {
    desk,
    channels,
    rows,
    tree: new HeldTree(desk, rows),
    view: new ChannelView(desk, rows),
    keys: new OwnKeys(desk),
  }
  return { ...shared, own: new OwnChannels(shared), votes: new VoteRows(desk) }
}
