// Commands about players in the local network: one request each. They are switched on with
// `tributary settings set dlna.enabled true`.

import type { ChapterCommands } from '../../../cli/chapter-commands.ts'
import type { PlainCommandOf } from '../../../cli/plain-command.ts'
import { tableText } from '../../../cli/show.ts'
import type { DlnaDevice, DlnaRoutes } from '../client/routes.ts'

function devicesText(devices: readonly DlnaDevice[]): string {
  const columns = [{ head: 'DEVICE' }, { head: 'ADDRESS' }, { head: 'STATE' }, { head: 'LAST SEEN' }, { head: 'NAME' }]
  const lines = devices.map(({ id, address, allowed, streams, last_seen: seen, name }) => {
    const state = allowed ? (streams > 0 ? 'playing' : 'allowed') : 'blocked'
    return [id, address, state, new Date(seen * 1000).toISOString().slice(0, 16).replace('T', ' '), name]
  })
  return tableText(columns, lines, process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY)
}

const DLNA_COMMANDS: readonly PlainCommandOf<DlnaRoutes>[] = [
  { words: 'dlna state', route: 'GET /dlna', text: 'Whether players in the local network are served, and where.' },
  {
    words: 'dlna devices',
    route: 'GET /dlna/devices',
    text: 'Devices of the local network that were given links to files.',
    human: ({ devices }) => devicesText(devices),
  },
  {
    words: 'dlna block',
    route: 'POST /dlna/devices/{device}/block',
    text: 'End the links of a device, and answer it nothing more.',
  },
  { words: 'dlna allow', route: 'POST /dlna/devices/{device}/allow', text: 'Let a blocked device back in.' },
  { words: 'dlna forget', route: 'DELETE /dlna/devices/{device}', text: 'Forget a device: its links end for ever.' },
]

/** Commands of the chapter. */
export const dlnaCommands: ChapterCommands = {
  plain: DLNA_COMMANDS,
  groups: { dlna: 'Players in the local network: televisions, VLC, Kodi.' },
  add: () => undefined,
}
