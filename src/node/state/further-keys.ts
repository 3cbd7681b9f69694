// Keys beside the first one: a file in the state directory with the hash and the scopes of each, written by the command
// line and by the interface. A node that runs sees a change with the next request that needs it. Bounded: 64 keys.

import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError, errorText } from '../../base/errors.ts'
import { BOUND_SCOPES, KEY_SCOPES, type KeyList, type KeyScope, type StoredKey } from '../../ports/key-list.ts'
import type { KeyRecord, KeysService, NewKeyRecord } from '../../services/callers-api.ts'
import { checkLabel } from '../../services/downloads/download-controls.ts'
import { withChangeLock } from './change-lock.ts'
import { replaceFile } from '../settings/config-file.ts'

const KEYS_FILE = 'keys.json'
const MAX_KEYS = 64
const MAX_FILE_BYTES = 64 * 1024
const KEY_BYTES = 32
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
/** A look at the file is good this long, ms. */
const FRESH_MS = 250

interface Entry {
  readonly name: string
  /** Hexadecimal SHA-256. */
  readonly hash: string
  readonly scopes: readonly KeyScope[]
  /** What it is bound to; null: nothing. */
  readonly label: string | null
  /** Milliseconds since 1970. */
  readonly created: number
}

/** The keys file of one state directory. */
export class FurtherKeys implements KeyList, KeysService {
  readonly #path: string
  readonly #now: () => number
  #stamp = ''
  #lookedMs = -Infinity
  #entries: readonly Entry[] = []
  #keys: readonly StoredKey[] = []

  /** `now`: milliseconds since 1970. */
  constructor(stateDir: string, now: () => number = Date.now) {
    this.#path = join(stateDir, KEYS_FILE)
    this.#now = now
  }

  /** What cannot be read counts as no key at all: a key that may have been taken back must not open anything. */
  current(): readonly StoredKey[] {
    const nowMs = this.#now()
    if (Math.abs(nowMs - this.#lookedMs) < FRESH_MS) return this.#keys
    this.#lookedMs = nowMs
    const facts = statSync(this.#path, { throwIfNoEntry: false })
    const stamp = facts === undefined ? 'none' : `${facts.ino} ${facts.size} ${facts.mtimeMs}`
    if (stamp === this.#stamp) return this.#keys
    this.#stamp = stamp
    try {
      this.#take(facts === undefined ? [] : readEntries(this.#path, facts.size))
    } catch {
      this.#take([])
    }
    return this.#keys
  }

  list(): { keys: KeyRecord[] } {
    const entries = this.#read()
    return {
      keys: entries.map(({ name, scopes, label, created }) => ({
        name,
        scopes: [...scopes],
        label,
        created: created / 1000,
      })),
    }
  }

  async add(name: string, scopes: readonly string[], given: string | null = null): Promise<NewKeyRecord> {
    if (!NAME.test(name)) {
      throw new AppError('InvalidParameter', 'name: must have 1 to 64 letters, digits, dots, hyphens or underlines.')
    }
    const known = KEY_SCOPES.filter(scope => scopes.includes(scope))
    if (known.length === 0 || scopes.some(scope => !known.includes(scope as KeyScope))) {
      throw new AppError('InvalidParameter', `scopes: must be some of ${KEY_SCOPES.join(', ')}.`)
    }
    const label = given === null ? null : boundLabel(given, known)
    const key = randomBytes(KEY_BYTES).toString('hex')
    const entry: Entry = { name, hash: hashOf(key).toString('hex'), scopes: known, label, created: this.#now() }
    await this.#change(entries => {
      if (entries.some(other => other.name === name))
        throw new AppError('StateConflict', `There is a key ${name} already.`)
      if (entries.length >= MAX_KEYS)
        throw new AppError(
          'StateConflict',
          `There are ${MAX_KEYS} keys already: take some back (tributary key remove NAME).`,
        )
      return [...entries, entry]
    })
    return { name, scopes: [...known], label, key }
  }

  async remove(name: string): Promise<{ name: string; removed: true }> {
    await this.#change(entries => {
      const left = entries.filter(entry => entry.name !== name)
      if (left.length === entries.length) throw new AppError('KeyNotFound')
      return left
    })
    return { name, removed: true }
  }

  #read(): readonly Entry[] {
    const facts = statSync(this.#path, { throwIfNoEntry: false })
    if (facts === undefined) return []
    try {
      return readEntries(this.#path, facts.size)
    } catch (error) {
      const text = `${this.#path} cannot be read (${errorText(error)}); correct it, or delete it to be without further keys.`
      throw new AppError('StateUnreadable', text, { cause: error })
    }
  }

  #take(entries: readonly Entry[]): void {
    for (const { hash } of this.#keys) hash.fill(0)
    this.#entries = entries
    this.#keys = this.#entries.map(({ name, hash, scopes, label }) => ({
      name,
      scopes,
      label,
      hash: Buffer.from(hash, 'hex'),
    }))
  }

  /** One change at a time, of the node and of commands. */
  async #change(make: (entries: readonly Entry[]) => readonly Entry[]): Promise<void> {
    const lock = `${this.#path}.lock`
    await mkdir(dirname(lock), { recursive: true, mode: 0o700 })
    await withChangeLock(lock, async () => {
      const entries = make(this.#read())
      await replaceFile(this.#path, `${JSON.stringify({ keys: entries.map(written) }, null, 2)}\n`)
    })
    this.#lookedMs = -Infinity
  }
}

/** Throws whatever is wrong with the file. */
function readEntries(path: string, size: number): Entry[] {
  if (size > MAX_FILE_BYTES) throw new Error('it is too large')
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const { keys } = (value ?? {}) as { keys?: unknown }
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) throw new Error('it has no list of keys')
  return keys.map(readEntry)
}

/** AppError InvalidParameter. */
function boundLabel(label: string, scopes: readonly KeyScope[]): string {
  const refused = scopes.filter(scope => !BOUND_SCOPES.includes(scope))
  if (refused.length > 0)
    throw new AppError(
      'InvalidParameter',
      `scopes: a key that is bound to a label has some of ${BOUND_SCOPES.join(', ')}.`,
    )
  return checkLabel(label)
}

/**
 * As it stands in the file. Of a bound key the scopes stand beside its label, and none where versions look that know no
 * labels: to those it opens nothing.
 */
function written({ label, scopes, ...entry }: Entry): object {
  return label === null ? { ...entry, scopes } : { ...entry, scopes: [], bound: { label, scopes } }
}

function readEntry(value: unknown): Entry {
  const { name, hash, scopes, created, bound } = (value ?? {}) as Readonly<Record<string, unknown>>
  if (typeof name !== 'string' || !NAME.test(name)) throw new Error('a key has no name')
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) throw new Error(`key ${name} has no hash`)
  const entry = { name, hash, created: typeof created === 'number' ? created : 0 }
  if (bound !== undefined) return { ...entry, ...readBound(name, bound) }
  return {
    ...entry,
    label: null,
    scopes: Array.isArray(scopes) ? KEY_SCOPES.filter(scope => scopes.includes(scope)) : [],
  }
}

/** Throws where it is not said what it is bound to: it must not count as a key without bounds. */
function readBound(name: string, bound: unknown): Pick<Entry, 'label' | 'scopes'> {
  const { label, scopes } = (bound ?? {}) as Readonly<Record<string, unknown>>
  if (typeof label !== 'string' || label === '') throw new Error(`key ${name} is bound to no label`)
  return { label, scopes: Array.isArray(scopes) ? BOUND_SCOPES.filter(scope => scopes.includes(scope)) : [] }
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
