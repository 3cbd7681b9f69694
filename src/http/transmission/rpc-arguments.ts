// The arguments of an RPC request, read one by one: JSON of a stranger in, checked values out. What is of a wrong type
// is refused by name; unknown arguments are ignored, as the real program does.

import { AppError } from '../../base/errors.ts'

/** Items of a list, and characters of a text: a torrent of 200,000 files fits. */
const MAX_ITEMS = 200_000
const MAX_TEXT = 16 * 1024 * 1024

/** Arguments by name. Every method throws AppError InvalidParameter naming what is wrong; null = it is not there. */
export class RpcArguments {
  readonly #values: ReadonlyMap<string, unknown>

  /** `given`: member `arguments` of the request. */
  constructor(given: unknown) {
    if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given))) {
      throw wrong('arguments', 'an object')
    }
    this.#values = new Map(Object.entries(given ?? {}))
  }

  /** Names that were given. */
  get names(): string[] {
    return [...this.#values.keys()]
  }

  has(name: string): boolean {
    return this.#values.has(name)
  }

  /** As it was sent. */
  raw(name: string): unknown {
    return this.#values.get(name)
  }

  text(name: string): string | null {
    const value = this.#values.get(name)
    if (value === undefined) return null
    if (typeof value !== 'string' || value.length > MAX_TEXT) throw wrong(name, 'a text')
    return value
  }

  flag(name: string): boolean | null {
    const value = this.#values.get(name)
    if (value === undefined) return null
    if (value === true || value === 1) return true
    if (value === false || value === 0) return false
    throw wrong(name, 'true or false')
  }

  /** A number from 0 on. */
  number(name: string): number | null {
    const value = this.#values.get(name)
    if (value === undefined) return null
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw wrong(name, 'a number from 0')
    return value
  }

  /** A whole number from 0 on. */
  count(name: string): number | null {
    const value = this.number(name)
    if (value !== null && !Number.isSafeInteger(value)) throw wrong(name, 'a whole number')
    return value
  }

  list(name: string): readonly unknown[] | null {
    const value = this.#values.get(name)
    if (value === undefined) return null
    if (!Array.isArray(value) || value.length > MAX_ITEMS) throw wrong(name, `a list of at most ${MAX_ITEMS} items`)
    return value
  }

  texts(name: string): string[] | null {
    const list = this.list(name)
    return (
      list?.map(item => {
        if (typeof item !== 'string') throw wrong(name, 'a list of texts')
        return item
      }) ?? null
    )
  }

  /** File indexes. */
  indexes(name: string): number[] | null {
    const list = this.list(name)
    return (
      list?.map(item => {
        if (typeof item !== 'number' || !Number.isInteger(item) || item < 0 || item >= MAX_ITEMS) {
          throw wrong(name, 'a list of file indexes')
        }
        return item
      }) ?? null
    )
  }
}

/** The error of an argument that should be something else. */
export function wrong(name: string, what: string): AppError {
  return new AppError('InvalidParameter', `${name} must be ${what}`)
}
