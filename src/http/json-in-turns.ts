// JSON of long answers, made a part in each turn of the event loop: a torrent may have 200,000 files, and a list all of
// them. It holds the part it writes, nothing else: values that are made as they are taken are never all in memory.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ListedValues, ListFrame } from './route.ts'

/** Lists up to this length are written in one go, with what they belong to. */
const SHORT_LIST = 50
/** Pieces of text and characters written in one turn: some 2 ms. */
const TURN_PIECES = 400
const TURN_CHARS = 256 * 1024

/**
 * The list `[...]` in its frame, in parts that follow each other. The values are taken one after the other; a list in
 * them may be any iterable, so that it need not lie in memory. Lists in the third level are written in one go. Rejects
 * with what the values or `take` throw, and when the signal fires; the values are closed then.
 */
export async function jsonInTurns(
  frame: ListFrame,
  values: ListedValues,
  take: (part: Uint8Array) => void,
  signal: AbortSignal,
): Promise<void> {
  let [text, count] = [`${frame.before}[`, 0]
  const write = async (pieces: Iterable<string>): Promise<void> => {
    for (const piece of pieces) {
      text += piece
      count += 1
      if (count < TURN_PIECES && text.length < TURN_CHARS) continue
      take(Buffer.from(text))
      ;[text, count] = ['', 0]
      await nextTurn()
      signal.throwIfAborted()
    }
  }
  signal.throwIfAborted()
  if (Symbol.asyncIterator in values) {
    let before = ''
    for await (const value of values) {
      signal.throwIfAborted()
      await write([before])
      await write(valuePieces(value))
      before = ','
    }
  } else await write(memberPieces(values))
  take(Buffer.from(`${text}]${frame.after()}`))
}

function* valuePieces(value: unknown): Generator<string, void> {
  if (isLong(value)) yield* listPieces(value)
  else if (isObject(value) && Object.values(value).some(isLong)) yield* objectPieces(value)
  else yield JSON.stringify(value)
}

function* objectPieces(object: Readonly<Record<string, unknown>>): Generator<string, void> {
  let before = '{'
  for (const [name, value] of Object.entries(object)) {
    // JSON leaves it out.
    if (value === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    yield* valuePieces(value)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}

function* listPieces(list: Iterable<unknown>): Generator<string, void> {
  yield '['
  yield* memberPieces(list)
  yield ']'
}

function* memberPieces(list: Iterable<unknown>): Generator<string, void> {
  let before = ''
  for (const value of list) {
    yield before
    yield* valuePieces(value)
    before = ','
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isLong(value: unknown): value is Iterable<unknown> {
  if (Array.isArray(value)) return value.length > SHORT_LIST || value.some(holdsLong)
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

function holdsLong(value: unknown): boolean {
  return isObject(value) && Object.values(value).some(member => Array.isArray(member) && member.length > SHORT_LIST)
}
