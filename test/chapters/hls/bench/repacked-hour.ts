// What a film that the player page repacks costs the node, which only gives ranges of the file: read here as the
// worker of the page reads it, picture and sound in turn, by the signed link.

import { processCost } from '../../../../bench/lib/process-cost.ts'
import { FilmReader } from '../../../../src/web/remux/film-reader.ts'
import type { Note, Order } from '../../../../src/web/remux/messages.ts'
import type { NodeProcess } from '../../../kit/nodes/node-process.ts'

/** The first minute has what is done once; ten more stand for the rest of an hour. */
const FIRST_SEC = 60
const MORE_SEC = 600
const HOUR_SEC = 3600

/** CPU s of the node for the first hour of a film that it has, H.264 as track 1 and AC-3 as track 2. */
export async function repackedHour(node: NodeProcess, infohash: string): Promise<number> {
  const { files } = await node.get<{ files: { stream_url: string; size: number }[] }>(`/downloads/${infohash}/files`)
  const [file] = files
  if (file === undefined) throw new Error('the download has no file')
  const notes: Note[] = []
  const reader = new FilmReader(fetch, note => notes.push(note))
  const ask = async (order: Order): Promise<Note> => {
    await reader.take(order)
    const note = notes.pop()
    if (note === undefined || note.note === 'failed') throw new Error(`${order.order}: ${JSON.stringify(note)}`)
    return note
  }
  const since = processCost(node.pid).cpuSec
  await ask({ order: 'open', url: new URL(file.stream_url, node.baseUrl).href, size: file.size })
  await ask({ order: 'play', plan: { video: 1, sound: { id: 2, converted: true } } })
  const ends = { video: 0, sound: 0 }
  const readTo = async (toSec: number): Promise<number> => {
    while (Math.min(ends.video, ends.sound) < toSec) {
      const kind = ends.video <= ends.sound ? 'video' : 'sound'
      const note = await ask({ order: 'read', kind, run: 1, fromSec: ends[kind] === 0 ? 0 : null })
      if (note.note !== 'part') throw new Error(`the film ends at ${ends[kind]} s`)
      ends[kind] = note.part.endSec
    }
    return processCost(node.pid).cpuSec - since
  }
  const first = await readTo(FIRST_SEC)
  const more = (await readTo(FIRST_SEC + MORE_SEC)) - first
  return first + (more * (HOUR_SEC - FIRST_SEC)) / MORE_SEC
}
