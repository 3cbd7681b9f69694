// The words of a filter of the list, read and written: `label:films tracker:example.org folder:"/srv/my films"
// state:seeding size>1.5GiB "some words"`. Pure; every text can be read, and says what is wrong in it.

import { bitOfState } from './list-states.ts'

/** Words of one filter, and characters. A folder of 4,096 bytes fits. */
export const [MAX_FILTER_WORDS, MAX_FILTER_CHARS] = [32, 5000]

/** One word. */
export type ListWord =
  /** In the name, a label or the infohash. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'state'; readonly text: string }
  /** Exactly this label; empty = none at all. */
  | { readonly kind: 'label'; readonly text: string }
  /** `exact`: it was in quotes, and is the whole; else a part of it. Empty and exact = none at all. */
  | { readonly kind: 'tracker' | 'folder'; readonly text: string; readonly exact: boolean }
  /** Larger, or smaller, than so many bytes. */
  | { readonly kind: 'size'; readonly larger: boolean; readonly bytes: number }

/** What is wrong in a text: it is passed over. `word`: as it was written. */
export interface WordFault {
  readonly code: 'unknown-state' | 'unreadable-size' | 'too-many-words' | 'too-long'
  readonly word: string
}

/** A text that was read. */
export interface ReadWords {
  readonly words: readonly ListWord[]
  readonly faults: readonly WordFault[]
}

/** Words stand between blanks and commas; what is in quotes is one, whatever it holds, `""` in it is a quote. */
const TOKEN = /(?:(state|status|label|tracker|folder):|(size)([<>]))?(?:"((?:[^"]|"")*)(?:"|$)|([^\s,"]+))/gi
/** The beginning of a word that nothing follows yet. */
const BEGUN = /^(?:(?:state|status|label|tracker|folder):|size[<>])$/i

const UNITS: Readonly<Record<string, number>> = { k: 1, m: 2, g: 3, t: 4, p: 5 }

/** `1.5GiB` (powers of 1024), `700M`, `700MB` (of 1000), `123`; null: it is no size. */
export function bytesOf(text: string): number | null {
  const found = /^(\d{1,15}(?:\.\d{1,6})?)\s*(?:([kmgtp])(i?)b?|b)?$/i.exec(text.trim())
  if (found === null) return null
  const [, number = '', unit = '', binary = ''] = found
  return Math.round(Number(number) * (binary === '' ? 1000 : 1024) ** (UNITS[unit.toLowerCase()] ?? 0))
}

interface Token {
  /** As it was written. */
  readonly word: string
  readonly prefix: string
  /** Behind `size`. */
  readonly sign: string
  readonly text: string
  readonly quoted: boolean
}

function tokensOf(text: string): Token[] {
  return [...text.slice(0, MAX_FILTER_CHARS).matchAll(TOKEN)].map(
    ([word, prefix = '', size = '', sign = '', quoted, plain = '']) => ({
      word,
      prefix: (prefix || size).toLowerCase(),
      sign,
      text: quoted === undefined ? plain : quoted.replaceAll('""', '"'),
      quoted: quoted !== undefined,
    }),
  )
}

function wordOf({ word, prefix, sign, text, quoted }: Token, bareStates: boolean): ListWord | WordFault | null {
  switch (prefix) {
    case 'label':
      return { kind: 'label', text }
    case 'tracker':
    case 'folder':
      return { kind: prefix, text: prefix === 'tracker' ? text.toLowerCase() : text, exact: quoted }
    case 'size': {
      const bytes = bytesOf(text)
      if (bytes === null) return { code: 'unreadable-size', word }
      return { kind: 'size', larger: sign === '>', bytes }
    }
    case '':
      if (text === '' || (!quoted && BEGUN.test(text))) return null
      if (bareStates && !quoted && bitOfState(text) !== null) return { kind: 'state', text: text.toLowerCase() }
      return { kind: 'text', text: text.toLowerCase() }
    default:
      if (text === '') return null
      if (bitOfState(text) === null) return { code: 'unknown-state', word: text }
      return { kind: 'state', text: text.toLowerCase() }
  }
}

/** Reads a text; `bareStates`: a word alone that is the name of a state means that state. */
export function readWords(text: string, bareStates: boolean): ReadWords {
  const words: ListWord[] = []
  const faults: WordFault[] = []
  if (text.length > MAX_FILTER_CHARS) faults.push({ code: 'too-long', word: '' })
  for (const token of tokensOf(text)) {
    const word = wordOf(token, bareStates)
    if (word === null) continue
    if ('code' in word) faults.push(word)
    else if (words.length < MAX_FILTER_WORDS) words.push(word)
    else return { words, faults: [...faults, { code: 'too-many-words', word: '' }] }
  }
  return { words, faults }
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

function written(word: ListWord): string {
  switch (word.kind) {
    case 'text':
      return quoted(word.text)
    case 'state':
      return `state:${word.text}`
    case 'label':
      return `label:${quoted(word.text)}`
    case 'size':
      return `size${word.larger ? '>' : '<'}${word.bytes}`
    default:
      return word.exact ? `${word.kind}:${quoted(word.text)}` : `${word.kind}:${plain(word.text)}`
  }
}

/** A part of a tracker or folder cannot be in quotes: what would end it parts it, and no reader writes that. */
function plain(text: string): string {
  return text.replaceAll(/[\s,"]+/g, '')
}

/** The words as a text that reads as the same words, as far as it may be long. */
export function writeWords(words: readonly ListWord[]): string {
  let text = ''
  for (const word of words) {
    const longer = `${text}${text === '' ? '' : ' '}${written(word)}`
    if (longer.length <= MAX_FILTER_CHARS) text = longer
  }
  return text
}
