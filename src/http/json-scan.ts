// A look at the bytes of a JSON text before it is parsed: how deep it is nested, and how many values it has. Parsing
// cannot be interrupted, and takes seconds for millions of brackets; this goes in turns of the event loop and stops at
// the first excess.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../base/errors.ts'

/** Deepest nesting of a body: far above every request there is. */
const MAX_DEPTH = 64
/** Values in one body: five lists of the files of the largest torrent. */
const MAX_VALUES = 1_000_000
/** Bytes looked at in one turn: some 2 ms. */
const TURN_BYTES = 512 * 1024

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c] as const
/** `[` and `{`, `]` and `}` differ in this bit alone. */
const CURLY = 0x20
const [OPEN, CLOSE] = [0x5b | CURLY, 0x5d | CURLY] as const

/** A scan under way. */
class JsonScan {
  #depth = 0
  #commas = 0
  #inText = false

  /** Looks at `bytes` up to about `end`; where to go on. AppError BadRequest. */
  take(bytes: Uint8Array, from: number, end: number): number {
    let at = from
    while (at < end) {
      if (this.#inText) at = this.#skipText(bytes, at, end)
      else this.#judge(bytes[at++] as number)
    }
    return at
  }

  /** What is escaped by a backslash never ends a text. */
  #skipText(bytes: Uint8Array, from: number, end: number): number {
    let at = from
    while (at < end) {
      const byte = bytes[at++]
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) {
        this.#inText = false
        break
      }
    }
    return at
  }

  #judge(byte: number): void {
    if (byte === QUOTE) this.#inText = true
    else if (byte === COMMA) {
      if (++this.#commas >= MAX_VALUES) throw new AppError('BadRequest', `The body has more than ${MAX_VALUES} values.`)
    } else if ((byte | CURLY) === OPEN) {
      if (++this.#depth > MAX_DEPTH) throw new AppError('BadRequest', `The body is nested deeper than ${MAX_DEPTH}.`)
    } else if ((byte | CURLY) === CLOSE) this.#depth -= 1
  }
}

/** Looks at a text that may be JSON; a promise only where it takes more than a turn. AppError BadRequest. */
export function scanJson(bytes: Uint8Array): void | Promise<void> {
  const scan = new JsonScan()
  const at = scan.take(bytes, 0, Math.min(bytes.length, TURN_BYTES))
  if (at < bytes.length) return scanRest(scan, bytes, at)
}

async function scanRest(scan: JsonScan, bytes: Uint8Array, from: number): Promise<void> {
  for (let at = from; at < bytes.length; ) {
    await nextTurn()
    at = scan.take(bytes, at, Math.min(bytes.length, at + TURN_BYTES))
  }
}
