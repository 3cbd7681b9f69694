// The seed of all wallets: made once, sealed with its password, opened for moments. Each try of a password costs scrypt
// once, and one is made at a time. What is opened is handed to a task and wiped when that is done.

import { randomBytes } from 'node:crypto'
import { AppError } from '../../../base/errors.ts'
import type { WalletFiles } from '../ports/wallet-files.ts'
import { hashSpendKey, openSeed, readSealedSeed, type SealedSeed, sameHash, sealSeed } from '../core/sealed-seed.ts'
import {
  decodeSeed,
  encodeSeed,
  NEW_ENTROPY_BYTES,
  type SeedSecret,
  seedOfEntropy,
  seedOfWords,
  wipeSeed,
  wordsOfSeed,
} from '../core/seed-words.ts'

const FILE = 'seed.json'
/** Passwords that wait to be tried. */
const MAX_WAITING = 8
const SALT_BYTES = 16

interface Stored {
  readonly seed: SealedSeed
  /** Of the key that is demanded beside the API key. */
  readonly spendKey: { readonly salt: string; readonly hash: string } | null
}

/** The seed of all wallets: made once, sealed with its password, opened for moments. */
export class SeedVault {
  readonly #files: WalletFiles
  readonly #cost: { readonly N: number; readonly r: number; readonly p: number } | undefined
  #stored: Stored | null = null
  #read = false
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /** `cost`: of scrypt, for tests. */
  constructor(files: WalletFiles, cost?: { readonly N: number; readonly r: number; readonly p: number }) {
    this.#files = files
    this.#cost = cost
  }

  /** Whether there is a seed. */
  async exists(): Promise<boolean> {
    return (await this.#load()) !== null
  }

  /** Makes the seed; answers its words, which are not shown again without the password. AppError SeedExists. */
  create(password: string): Promise<string> {
    return this.#alone(async () => {
      const seed = await seedOfEntropy(randomBytes(NEW_ENTROPY_BYTES))
      try {
        await this.#keep(seed, password)
        return wordsOfSeed(seed)
      } finally {
        wipeSeed(seed)
      }
    })
  }

  /** Takes the seed of these words. AppErrors SeedExists, InvalidParameter. */
  restore(words: string, password: string): Promise<void> {
    return this.#alone(async () => {
      const seed = await seedOfWords(words)
      try {
        await this.#keep(seed, password)
      } finally {
        wipeSeed(seed)
      }
    })
  }

  /** Runs `task` with the seed, which it must not keep. AppErrors SeedMissing, WrongPassword, TooManyRequests. */
  withSeed<T>(password: string, task: (seed: SeedSecret) => T | Promise<T>): Promise<T> {
    return this.#alone(async () => {
      const stored = await this.#load()
      if (stored === null) throw new AppError('SeedMissing')
      const opened = await openSeed(stored.seed, Buffer.from(password))
      const seed = opened === null ? null : decodeSeed(opened)
      opened?.fill(0)
      if (seed === null) throw new AppError('WrongPassword')
      try {
        return await task(seed)
      } finally {
        wipeSeed(seed)
      }
    })
  }

  /** The words. AppErrors as withSeed. */
  words(password: string): Promise<string> {
    return this.withSeed(password, wordsOfSeed)
  }

  /** Demands this key from now on; null: none. AppErrors as withSeed. */
  async setSpendKey(password: string, key: string | null): Promise<void> {
    await this.withSeed(password, async () => {
      const stored = await this.#load()
      if (stored === null) throw new AppError('SeedMissing')
      const salt = randomBytes(SALT_BYTES).toString('hex')
      const spendKey = key === null ? null : { salt, hash: await hashSpendKey(Buffer.from(key), salt) }
      await this.#write({ ...stored, spendKey })
    })
  }

  /** Whether one is demanded. */
  async needsSpendKey(): Promise<boolean> {
    return ((await this.#load())?.spendKey ?? null) !== null
  }

  /** AppErrors SpendKeyMissing, TooManyRequests. */
  async checkSpendKey(key: string | undefined): Promise<void> {
    const wanted = (await this.#load())?.spendKey ?? null
    if (wanted === null) return
    if (key === undefined) throw new AppError('SpendKeyMissing')
    const hash = await this.#alone(() => hashSpendKey(Buffer.from(key), wanted.salt))
    if (!sameHash(hash, wanted.hash)) throw new AppError('SpendKeyMissing')
  }

  async #keep(seed: SeedSecret, password: string): Promise<void> {
    if ((await this.#load()) !== null) throw new AppError('SeedExists')
    const bytes = encodeSeed(seed)
    const sealed = await sealSeed(bytes, Buffer.from(password), randomBytes, this.#cost)
    bytes.fill(0)
    await this.#write({ seed: sealed, spendKey: null })
  }

  async #write(stored: Stored): Promise<void> {
    await this.#files.write(FILE, `${JSON.stringify(stored)}\n`)
    this.#stored = stored
    this.#read = true
  }

  async #load(): Promise<Stored | null> {
    if (this.#read) return this.#stored
    const text = await this.#files.read(FILE)
    this.#stored = text === null ? null : readStored(text)
    this.#read = true
    return this.#stored
  }

  async #alone<T>(task: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MAX_WAITING)
      throw new AppError('TooManyRequests', 'Too many passwords are being tried; try again.')
    this.#waiting += 1
    const result = this.#last.then(task, task)
    // Not the result itself: it may be the words.
    this.#last = result.then(
      () => undefined,
      () => undefined,
    )
    return result.finally(() => {
      this.#waiting -= 1
    })
  }
}

/** AppError StateUnreadable: never to be taken for no seed, which a new one would replace. */
function readStored(text: string): Stored {
  try {
    const value = JSON.parse(text) as { seed?: unknown; spendKey?: unknown } | null
    const seed = readSealedSeed(value?.seed)
    const { salt, hash } = (value?.spendKey ?? {}) as { salt?: unknown; hash?: unknown }
    const keyed = value?.spendKey !== null
    if (seed === null || (keyed && (typeof salt !== 'string' || typeof hash !== 'string')))
      throw new Error('it is no seed')
    return { seed, spendKey: keyed ? { salt: String(salt), hash: String(hash) } : null }
  } catch (error) {
    throw new AppError('StateUnreadable', `The file ${FILE} of the wallets cannot be read.`, { cause: error })
  }
}
