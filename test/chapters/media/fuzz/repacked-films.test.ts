// Films with something wrong in them, repacked as the worker of the player page does it: each ends, soon, played or
// with what the page says then, and none takes much memory. FUZZ_SEED is the number of the first; FUZZ_FILMS: how many
// of each, for which `make damaged-films` says a thousand.

import assert from 'node:assert/strict'
import { Worker } from 'node:worker_threads'
import { after, describe, test } from 'node:test'
import { mutated } from '../kit/mutations.ts'
import { type FilmOptions, makeFilm } from '../../../kit/content/films.ts'
import type { Repacked, RepackingJob } from '../../../kit/content/repacking-thread.ts'
import { cpuTimeMs } from '../../../kit/nodes/cpu-time.ts'
import { needs } from '../../../kit/requirements.ts'

const FILMS = Number(process.env['FUZZ_FILMS'] ?? 12)
const FIRST_SEED = Number(process.env['FUZZ_SEED'] ?? 1)
const SECONDS = 4
const MIB = 1024 * 1024
/** What one may take of the processor, with all that is started for it; and for how long nothing may be heard of it. */
const MOST_MS = 3000
const MOST_WAIT_MS = 60_000
/** How many times a film may be fetched: to open it, to choose what is played, and for each of the two tracks. */
const MOST_FETCHED = 8
/** Sound that is converted has ten times the bytes, and a film says how long its silence is. */
const MOST_MADE = 96 * MIB
/** What the process may hold more than before: a part, the blocks that were read, and what the decoder has. */
const MOST_MIB = 400

const H264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '3', '-g', '25']
const FRAGMENTS = ['-movflags', '+frag_keyframe+empty_moov']
const ROWS = [
  { container: 'mkv', audio: ['-c:a', 'ac3', '-ac', '6'] },
  { container: 'mkv', audio: ['-c:a', 'aac'] },
  { container: 'mkv', audio: ['-c:a', 'flac'] },
  { container: 'mkv', audio: ['-c:a', 'libopus'] },
  { container: 'mp4', audio: ['-c:a', 'eac3'] },
  { container: 'mp4', audio: ['-c:a', 'aac'] },
  { container: 'mp4', audio: ['-c:a', 'aac', ...FRAGMENTS] },
  { container: 'mp4', audio: ['-c:a', 'flac', '-strict', '-2', ...FRAGMENTS] },
  { container: 'ts', audio: ['-c:a', 'aac'] },
  { container: 'ts', audio: ['-c:a', 'ac3'] },
] as const

/** What a part of Matroska begins with. */
const CLUSTER = Buffer.from('1f43b675', 'hex')

function withoutLength(film: Buffer): void {
  film[film.lastIndexOf(CLUSTER) + CLUSTER.length] = 0
}

/** A box of a name says that it counts what no film has; `at`: where behind its name. */
function withNumber(name: string, which: 'first' | 'last', at: number): (film: Buffer) => void {
  return film => {
    const box = which === 'first' ? film.indexOf(name) : film.lastIndexOf(name)
    film.writeUInt32BE(0x7f_ff_ff_ff, box + at)
  }
}

function startedThread(): Worker {
  const url = new URL('../../../kit/content/repacking-thread.js', import.meta.url)
  const thread = new Worker(url, { stdout: true, stderr: true })
  // The packages write a line for each thing that they do not like.
  thread.stdout.resume()
  thread.stderr.resume()
  return thread
}

/** A thread that repacks films, one at a time. */
class Repacking {
  #thread: Worker | null = null

  /** Rejects where it does not end, or dies. */
  async repacked(job: RepackingJob): Promise<Repacked> {
    const thread = (this.#thread ??= startedThread())
    let end = (): void => undefined
    try {
      return await new Promise<Repacked>((resolve, reject) => {
        const [since, sinceMs] = [cpuTimeMs(), performance.now()]
        const watch = setInterval(() => {
          const isStuck = cpuTimeMs() - since > 2 * MOST_MS || performance.now() - sinceMs > MOST_WAIT_MS
          if (isStuck) reject(new Error('it does not end'))
        }, 100)
        end = () => {
          clearInterval(watch)
          thread.off('message', resolve)
          thread.off('error', reject)
        }
        thread.on('message', resolve)
        thread.on('error', reject)
        thread.postMessage(job, [])
      })
    } catch (error) {
      await this.end()
      throw error
    } finally {
      end()
    }
  }

  async end(): Promise<void> {
    await this.#thread?.terminate()
    this.#thread = null
  }
}

describe('the page repacks films with something wrong in them', { skip: needs('ffmpeg'), concurrency: 1 }, () => {
  const repacking = new Repacking()
  after(() => repacking.end())
  const made = new Map<string, Buffer>()

  /** Each is made once. */
  async function filmOf(container: FilmOptions['container'], audio: readonly string[]): Promise<Buffer> {
    const key = [container, ...audio].join(' ')
    const film = made.get(key) ?? (await makeFilm({ container, video: H264, audio, seconds: SECONDS }))
    made.set(key, film)
    return film
  }

  for (const { container, audio } of ROWS)
    test(`${FILMS} of ${container} with ${audio.slice(1).join(' ')}`, async context => {
      const bytes = await filmOf(container, audio)
      const places = [
        { start: 0, end: 4000 },
        { start: bytes.length - 8000, end: bytes.length },
        { start: 0, end: bytes.length },
      ]
      const kinds = new Map<string, number>()
      const before = process.memoryUsage.rss()
      const most = { ms: 0, fetched: 0, made: 0, grownMib: 0 }
      // The thread is started, and what it runs is compiled.
      await repacking.repacked({ film: Uint8Array.from(bytes), fromSec: 0 })
      for (let seed = FIRST_SEED; seed < FIRST_SEED + FILMS; seed += 1) {
        const film = Uint8Array.from(mutated(bytes, places, seed))
        const since = cpuTimeMs()
        const { ends, fetched, made, unheard } = await repacking
          .repacked({ film, fromSec: seed % SECONDS })
          .catch((error: unknown) => assert.fail(`FUZZ_SEED=${seed}: ${String(error)}`))
        const ms = cpuTimeMs() - since
        most.ms = Math.max(most.ms, ms)
        most.fetched = Math.max(most.fetched, fetched / Math.max(film.length, MIB))
        most.made = Math.max(most.made, made)
        most.grownMib = Math.max(most.grownMib, Math.round((process.memoryUsage.rss() - before) / MIB))
        // What a decoder refuses the package rejects twice: for the run, and for nobody, also of one that was left.
        const untold = unheard.filter(each => !each.startsWith('Error: Decode failed with error code'))
        assert.deepEqual(untold, [], `FUZZ_SEED=${seed}: ${ends.join(', ')}`)
        for (const end of ends) {
          assert.doesNotMatch(end, /^wrong|^link|^goes on/, `FUZZ_SEED=${seed}`)
          kinds.set(end, (kinds.get(end) ?? 0) + 1)
        }
        const said = `FUZZ_SEED=${seed}: ${JSON.stringify(most)}`
        assert.ok(most.ms < MOST_MS && most.fetched <= MOST_FETCHED && most.made <= MOST_MADE, said)
        assert.ok(most.grownMib <= MOST_MIB, said)
      }
      context.diagnostic(`${JSON.stringify(Object.fromEntries(kinds))} ${JSON.stringify(most)}`)
      assert.ok((kinds.get('end') ?? 0) > 0 && kinds.size > 1, 'some are played to the end, some are not')
    })

  const counted = /^film: The film says that it has more samples than any film/
  const rows = [
    { what: 'a last part without a length', container: 'mkv', damage: withoutLength, told: /goes round in a circle/ },
    {
      what: 'pictures at 2,147,483,647 times',
      container: 'mp4',
      damage: withNumber('stts', 'first', 12),
      told: counted,
    },
    { what: 'chunks of as much sound', container: 'mp4', damage: withNumber('stsc', 'last', 16), told: counted },
    {
      what: 'a run of as many',
      container: 'mp4',
      more: FRAGMENTS,
      damage: withNumber('trun', 'first', 8),
      told: counted,
    },
  ] as const
  for (const { what, container, damage, told, ...rest } of rows)
    test(`${what}: it would keep its reader busy for ever, or fill all memory`, async () => {
      const audio = ['-c:a', 'aac', ...('more' in rest ? rest.more : [])]
      const film = Uint8Array.from(await filmOf(container, audio))
      damage(Buffer.from(film.buffer))
      const since = cpuTimeMs()
      const { ends } = await repacking.repacked({ film, fromSec: 0 })
      assert.match(ends.at(-1) ?? '', told)
      assert.ok(cpuTimeMs() - since < MOST_MS, `${cpuTimeMs() - since} ms`)
    })
})
