// A thread that does with films what the worker of the player page does, as long as a film lets it: opens one, and
// reads its picture and its sound part by part. It is ended from outside where a film does not end.

import { parentPort } from 'node:worker_threads'
import { type Abilities, planOf } from '../../../src/web/model/film/film-way.ts'
import { FilmReader } from '../../../src/web/remux/film-reader.ts'
import type { Note, TrackKind } from '../../../src/web/remux/messages.ts'

/** A film that is repacked from a place on, s. */
export interface RepackingJob {
  readonly film: Uint8Array<ArrayBuffer>
  readonly fromSec: number
}

/** What came of it. */
export interface Repacked {
  /** Opened and played to the end, or why not, with what the worker tells the page. */
  readonly ends: readonly string[]
  /** Bytes that were fetched, and bytes of parts that were made. */
  readonly fetched: number
  readonly made: number
  /** Rejections that nobody heard of. */
  readonly unheard: readonly string[]
}

/** More parts than a film of the tests has. */
const MAX_PARTS = 200
/** What a browser takes that plays H.264. */
const CAN: Abilities = {
  plays: () => false,
  takes: type => /avc1|mp4a|flac|opus|mp3/i.test(type),
  decodes: codec => codec === 'ac3' || codec === 'eac3',
}

const unheard: string[] = []
process.on('unhandledRejection', reason => unheard.push(String(reason)))

async function repacked({ film, fromSec }: RepackingJob): Promise<Repacked> {
  let [fetched, made] = [0, 0]
  const notes: Note[] = []
  const reader = new FilmReader(
    async (_, { headers }) => {
      const [, start = 0, last = 0] = (/(\d+)-(\d+)/.exec(headers['Range'] ?? '') ?? []).map(Number)
      fetched += last + 1 - start
      return new Response(film.slice(start, last + 1), { status: 206 })
    },
    note => notes.push(note),
  )
  /** The answer to the last order; one each. */
  const answer = (): Note => {
    const [note, ...more] = notes.splice(0)
    if (note === undefined || more.length > 0) throw new Error(`${more.length + 1} answers to one order`)
    return note
  }
  const read = async (kind: TrackKind): Promise<string> => {
    for (let part = 0; part < MAX_PARTS; part += 1) {
      await reader.take({ order: 'read', kind, run: 1, fromSec: part === 0 ? fromSec : null })
      const note = answer()
      if (note.note === 'end') return 'end'
      if (note.note !== 'part') return ended(note)
      made += note.part.bytes.length
    }
    return 'goes on'
  }
  const ends = async (): Promise<string[]> => {
    await reader.take({ order: 'open', url: 'link', size: film.length })
    const opened = answer()
    if (opened.note !== 'opened') return [ended(opened)]
    const plan = planOf(opened.film, CAN, null)
    if (plan === null) return ['nothing to play']
    await reader.take({ order: 'play', plan })
    const ready = answer()
    if (ready.note !== 'ready') return [ended(ready)]
    const kinds = (['video', 'sound'] as const).filter(kind => ready.types[kind] !== null)
    const said: string[] = []
    for (const kind of kinds) said.push(await read(kind))
    return said
  }
  const found = await ends()
  return { ends: found, fetched, made, unheard: unheard.splice(0) }
}

function ended(note: Note): string {
  return note.note === 'failed' ? `${note.why}: ${note.text}` : `wrong: ${note.note}`
}

parentPort?.on('message', (job: RepackingJob) => {
  void repacked(job).then(said => parentPort?.postMessage(said, []))
})
