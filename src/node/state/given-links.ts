// Links that were given away: a file in the state directory, for they are checked before the store is open. The node
// alone writes it. Bounded: 256 links.

import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, errorText } from '../../base/errors.ts'
import type { GivenLink, GivenLinks } from '../../ports/viewing/given-links.ts'
import type { LinksService, WantedLink } from '../../services/links/links-api.ts'
import type { Log } from '../../ports/log.ts'
import { KeyedQueue } from '../../services/keyed-queue.ts'
import { replaceFile } from '../settings/config-file.ts'

const LINKS_FILE = 'links.json'
const MAX_LINKS = 256
const MAX_FILE_BYTES = 1024 * 1024
const MAX_TEXT = 300
const ID = /^[A-Za-z0-9_-]{16}$/
const DAY_MS = 24 * 3600 * 1000

/** The links of one state directory. */
export class GivenLinkFile implements GivenLinks, LinksService {
  readonly #path: string
  readonly #log: Log
  readonly #now: () => number
  readonly #turns = new KeyedQueue<string>()
  /** Null: not read yet. */
  #links: ReadonlyMap<string, GivenLink> | null = null
  /** Whose links for one device are, from the moment on at which they were first used. */
  readonly #devices = new Map<string, string>()

  /** `now`: milliseconds since 1970. */
  constructor(stateDir: string, log: Log, now: () => number = Date.now) {
    this.#path = join(stateDir, LINKS_FILE)
    this.#log = log
    this.#now = now
  }

  /** A file that cannot be read opens nothing: what was taken back must not come back. */
  find(id: string): GivenLink | null {
    try {
      const link = this.#read().get(id)
      return link === undefined || this.#hasEnded(link) ? null : this.#withDevice(link)
    } catch {
      return null
    }
  }

  list(): readonly GivenLink[] {
    return [...this.#read().values()].filter(link => !this.#hasEnded(link)).map(link => this.#withDevice(link))
  }

  /** The device of a link is known at once, and kept soon after: a crash in between leaves it to the next one. */
  admits(id: string, device: string): boolean {
    const link = this.find(id)
    if (link === null || device === '') return false
    if (!link.oneDevice || link.device === device) return true
    if (link.device !== '') return false
    this.#devices.set(id, device)
    void this.#change(links => links.map(one => this.#withDevice(one))).catch((error: unknown) => {
      this.#log.warn('which device a link is for could not be kept', { error: errorText(error) })
    })
    return true
  }

  async add({ name, infohash, fileIndex, of, days, oneDevice }: WantedLink): Promise<GivenLink> {
    const text = name.trim()
    if (text === '' || text.length > 64 || /\p{Cc}/u.test(text))
      throw new AppError('InvalidParameter', 'name: must have 1 to 64 characters.')
    const createdMs = Math.round(this.#now())
    const link: GivenLink = {
      id: randomBytes(12).toString('base64url'),
      name: text,
      infohash,
      fileIndex,
      of: [...of].slice(0, MAX_TEXT).join(''),
      createdMs,
      endsMs: days === 0 ? null : createdMs + days * DAY_MS,
      oneDevice,
      device: '',
    }
    await this.#change(links => {
      // What has ended goes only where its place is needed: a clock may have been wrong.
      const left = links.length < MAX_LINKS ? links : links.filter(one => !this.#hasEnded(one))
      if (left.length >= MAX_LINKS)
        throw new AppError('StateConflict', `There are ${MAX_LINKS} links: take one back first.`)
      return [...left, link]
    })
    return link
  }

  async remove(id: string): Promise<{ id: string; removed: true }> {
    await this.#change(links => {
      const left = links.filter(link => link.id !== id)
      if (left.length === links.length) throw new AppError('LinkNotFound')
      return left
    })
    return { id, removed: true }
  }

  #withDevice(link: GivenLink): GivenLink {
    const device = this.#devices.get(link.id)
    return device === undefined ? link : { ...link, device }
  }

  #hasEnded({ endsMs }: GivenLink): boolean {
    return endsMs !== null && endsMs <= this.#now()
  }

  #change(make: (links: readonly GivenLink[]) => readonly GivenLink[]): Promise<void> {
    return this.#turns.run(this.#path, async () => {
      const links = make([...this.#read().values()])
      await replaceFile(this.#path, `${JSON.stringify({ links }, null, 2)}\n`)
      this.#links = byId(links)
      for (const id of this.#devices.keys()) if (!this.#links.has(id)) this.#devices.delete(id)
    })
  }

  #read(): ReadonlyMap<string, GivenLink> {
    if (this.#links !== null) return this.#links
    const facts = statSync(this.#path, { throwIfNoEntry: false })
    try {
      this.#links = byId(facts === undefined ? [] : readLinks(this.#path, facts.size))
    } catch (error) {
      const text = `${this.#path} cannot be read (${errorText(error)}); delete it to be without given links.`
      throw new AppError('StateUnreadable', text, { cause: error })
    }
    return this.#links
  }
}

function byId(links: readonly GivenLink[]): ReadonlyMap<string, GivenLink> {
  return new Map(links.map(link => [link.id, link]))
}

/** Throws whatever is wrong with the file. */
function readLinks(path: string, size: number): GivenLink[] {
  if (size > MAX_FILE_BYTES) throw new Error('it is too large')
  const { links } = (JSON.parse(readFileSync(path, 'utf8')) ?? {}) as { links?: unknown }
  if (!Array.isArray(links) || links.length > MAX_LINKS) throw new Error('it has no list of links')
  return links.map(readLink)
}

function readLink(value: unknown): GivenLink {
  const { id, name, infohash, fileIndex, of, createdMs, endsMs, oneDevice, device } = (value ?? {}) as Partial<
    Record<keyof GivenLink, unknown>
  >
  if (typeof id !== 'string' || !ID.test(id)) throw new Error('a link has no id')
  if (typeof infohash !== 'string' || !/^[0-9a-f]{40}$/.test(infohash)) throw new Error(`link ${id} has no infohash`)
  if (fileIndex !== null && !Number.isSafeInteger(fileIndex)) throw new Error(`link ${id} has no file`)
  if (endsMs !== null && typeof endsMs !== 'number') throw new Error(`link ${id} has no end`)
  const text = (given: unknown): string => (typeof given === 'string' ? given : '')
  return {
    id,
    name: text(name),
    infohash,
    fileIndex: fileIndex as number | null,
    of: text(of),
    createdMs: typeof createdMs === 'number' ? createdMs : 0,
    endsMs,
    oneDevice: oneDevice === true,
    device: text(device),
  }
}
