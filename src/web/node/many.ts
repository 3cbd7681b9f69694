// The same for many downloads: some requests beside each other, a line that says how far it is and ends it, and one
// message in the end, which names those for which it did not work.

import { type Signal, signal } from '@preact/signals'
import { type Failure, type FailureGroup, failureGroups } from '../model/failure-groups.ts'
import { text } from '../texts/parts.ts'
import { ApiError, textOf } from './api.ts'
import { fieldsOf } from './commands.ts'
import { session } from './context.ts'

/** Requests beside each other. */
const AT_ONCE = 8
/** The line is drawn again this often at most. */
const STEP_MS = 100

/** What is being done to many downloads. */
export interface Work {
  readonly id: number
  readonly done: number
  readonly total: number
  /** What has begun is ended well, the others stay as they are. */
  stop(): void
}

/** What is being done now to more downloads than are asked beside each other. */
export const works: Signal<readonly Work[]> = signal([])

let lastId = 0

/** Counts how far it is, and says so; the answer of `end` is how many were done. */
function progressOf(total: number, stop: () => void) {
  const id = ++lastId
  let [done, shownMs] = [0, 0]
  const others = () => works.value.filter(work => work.id !== id)
  const show = () => {
    if (total <= AT_ONCE || Date.now() - shownMs < STEP_MS) return
    shownMs = Date.now()
    works.value = [...others(), { id, done, total, stop }]
  }
  show()
  return {
    step() {
      done += 1
      show()
    },
    end() {
      works.value = others()
      return done
    },
  }
}

/**
 * Does the same to many downloads, and tells how it went; `done`: the message when all went well, '' = none. True when
 * it did. Those that somebody has removed meanwhile are passed over.
 */
export async function forMany(
  infohashes: readonly string[],
  run: (infohash: string) => Promise<unknown>,
  done = '',
): Promise<boolean> {
  const total = infohashes.length
  const failures: Failure[] = []
  const ending = new AbortController()
  const progress = progressOf(total, () => ending.abort())
  const waiting = infohashes.values()
  const lane = async () => {
    for (const infohash of waiting) {
      await run(infohash).catch((error: unknown) => {
        const gone = error instanceof ApiError && error.code === 'DownloadNotFound'
        if (gone) session.downloads.removed(infohash)
        if (!gone || total === 1) failures.push({ infohash, message: textOf(error) })
      })
      progress.step()
      if (ending.signal.aborted) return
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  const count = progress.end()
  if (failures.length > 0) session.notify(await failureText(failures, total), 'bad')
  if (count < total) session.notify(text('stoppedAt', { done: count, total }))
  const well = failures.length === 0 && count === total
  if (well && done !== '') session.notify(done)
  return well
}

/** What did not work, and for which. */
async function failureText(failures: readonly Failure[], total: number): Promise<string> {
  const [first] = failures
  if (total === 1 && first !== undefined) return first.message
  const groups = failureGroups(failures)
  const names = await namesOf(groups.flatMap(({ named }) => named))
  const lines = groups.map(group => groupText(group, names))
  return [text('failed', { failed: failures.length, total }), ...lines].join('\n')
}

function groupText({ named, more, message }: FailureGroup, nameOf: ReadonlyMap<string, string>): string {
  const names = named.map(infohash => nameOf.get(infohash) || infohash).join(', ')
  return more === 0 ? text('reason', { names, message }) : text('reasonOfMore', { names, more, message })
}

/** Names of downloads, also of those that are not in the page. */
async function namesOf(infohashes: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const infohash of infohashes) {
    const name = session.downloads.held(infohash)?.name
    if (name !== undefined) found.set(infohash, name)
  }
  const missing = infohashes.filter(infohash => !found.has(infohash))
  // Without an answer info hashes stand for names.
  const asked = missing.length === 0 ? [] : await fieldsOf(missing, ['name']).catch(() => [])
  for (const { infohash, name } of asked) found.set(infohash, name)
  return found
}
