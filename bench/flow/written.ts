// Written: what a download of 1 GiB to a disk sends to the device, from the start of the client to its end: the
// content, state and journal. Ours and libtorrent, which here keeps no state at all.

import { inPlace } from '../lib/bench-place.ts'
import { makeBenchTorrent } from '../lib/bench-torrent.ts'
import { bytesToDevice, folderOnDevice } from '../lib/device-writes.ts'
import { type Flow, runAlone } from '../lib/flow.ts'
import { clientsThatCan } from '../lib/rivals/all.ts'
import type { ClientKind } from '../lib/rivals/client.ts'
import { leechOnce } from '../lib/transfer.ts'
import { takeTurns } from '../lib/turns.ts'

const MIB = 2 ** 20
/** What is written hardly differs from run to run. */
const ROUNDS = 3
const COMPARED = ['tributary', 'libtorrent']

export const written: Flow = {
  name: 'written',
  run: options =>
    inPlace(async place => {
      const mib = options.mib ?? 1024
      const title = `Written to the device by a download of ${mib} MiB`
      const folder = await folderOnDevice()
      if (folder === null) return { title, cases: [], notes: ['written: no folder on a device, or no /proc/PID/io'] }
      const { kinds, notes } = clientsThatCan(['leech'], options.only)
      const failures = notes.filter(note => COMPARED.some(name => note.startsWith(name)))
      const dir = await place.folder.sub('content')
      const sizes = { name: 'written.bin', length: mib * MIB, pieceLength: MIB }
      const torrent = await makeBenchTorrent({ dir, metainfoDir: place.folder.path, ...sizes })
      const once = async (kind: ClientKind) => {
        const before = await bytesToDevice()
        const figures = await leechOnce({ ...place, folder }, kind, torrent)
        return { ...figures, 'written MiB': ((await bytesToDevice()) - before) / MIB }
      }
      const compared = kinds.filter(kind => COMPARED.includes(kind.name))
      const turns = compared.map(kind => ({ client: kind.name, run: () => once(kind) }))
      const how = { ...options, rounds: Math.min(ROUNDS, options.rounds), everyone: true }
      const size = mib === 1024 ? '1 GiB' : `${mib} MiB`
      try {
        const found = await takeTurns(`written for ${size} downloaded`, 'written MiB', turns, how, failures)
        return { title, cases: [found], notes: failures }
      } finally {
        await folder.remove()
      }
    }),
}

await runAlone(written, import.meta.url)
