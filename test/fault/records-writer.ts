// Child of records-kill.test: writes to the database without end and acknowledges each thing once it was promised.

import { writeSync } from 'node:fs'
import { RecordsStore } from '../../src/records/records-store.ts'
import { hashOf, makeDownload } from '../unit/records/records-kit.ts'

const [path = '', round = '0'] = process.argv.slice(2)
const records = await RecordsStore.open({ path })
const say = (line: string): number => writeSync(1, `${line}\n`)

async function addDownloads(): Promise<void> {
  for (let n = 1; ; n++) {
    const id = Number(round) * 1_000_000 + n
    await records.downloads.insert(makeDownload(id, { pieceLayers: Uint8Array.of(id & 0xff) }))
    say(`download ${id}`)
    if (n % 3 !== 0) continue
    await records.downloads.delete(hashOf(id - 1))
    say(`deleted ${id - 1}`)
  }
}

async function verifyPieces(lane: number): Promise<void> {
  // Lanes take turns, so that several promises wait for the same commit.
  for (let piece = lane; ; piece += 4) {
    await records.progress.pieceVerified(hashOf(0), piece, false)
    say(`piece ${piece}`)
  }
}

async function appendEvents(): Promise<void> {
  for (;;)
    say(`event ${await records.events.append([{ type: 'torrent_finished', payload: JSON.stringify({ round }) }])}`)
}

await records.downloads.insert(makeDownload(0, { pieceCount: 1_000_000 }))
await Promise.all([addDownloads(), verifyPieces(0), verifyPieces(1), verifyPieces(2), verifyPieces(3), appendEvents()])
