// A metainfo file as JSON for /torrentinfo (decisions part 2): text where the bytes are UTF-8, hexadecimal where they
// are not, and always for what is binary by its meaning. For people to read, not to be turned back. Written as it is
// read, so that a torrent of any size that can be added costs the text of its JSON and no more.

import { isUtf8 } from 'node:buffer'
import { DecodeError } from '../../base/errors.ts'
import { BencodeReader, MAX_DEPTH } from '../bencode-reader.ts'
import { asBuffer, utf8Text } from '../bencode-value.ts'
import type { Steps } from '../steps.ts'

/** Hashes: hexadecimal even when their bytes happen to be text. */
const BINARY_KEYS = new Set(['pieces', 'pieces root', 'piece layers', 'sha1', 'ed2k', 'filehash', 'root hash'])

/** Values written in one step, and bytes of one string: a millisecond or two. */
const VALUES_A_STEP = 2000
const BYTES_A_STEP = 64 * 1024

/** Characters of one part of the text. */
const PART_CHARS = 128 * 1024

/** A list or dictionary that is being written. */
interface OpenValue {
  readonly dict: boolean
  /** What is in it is binary. */
  readonly binary: boolean
  empty: boolean
}

/**
 * The value that `bytes` begin with as JSON, in UTF-8 and in parts that follow each other; in steps. Integers beyond
 * 2^53 - 1 become decimal text; keys that are not UTF-8 become hexadecimal. Throws DecodeError for bytes that are not
 * bencode.
 */
export function* metainfoJson(bytes: Uint8Array): Steps<Uint8Array[]> {
  const reader = new BencodeReader(asBuffer(bytes))
  const out = new TextParts()
  const open: OpenValue[] = []
  let count = 0
  do {
    if (out.full() || ++count % VALUES_A_STEP === 0) yield
    const top = open.at(-1)
    if (top !== undefined && reader.closed()) {
      out.add(top.dict ? '}' : ']')
      open.pop()
      continue
    }
    const binary = top === undefined ? false : begin(reader, top, out)
    const kind = reader.kind
    if (kind === 'list' || kind === 'dict') {
      if (open.length >= MAX_DEPTH) throw new DecodeError('bencode: nested too deep')
      open.push(enter(reader, kind === 'dict', binary, out))
    } else if (kind === 'int') out.add(integer(reader.int()))
    else yield* writeString(reader.string(), binary, out)
  } while (open.length > 0)
  return out.end()
}

/** Writes what comes before the next value in `top`; answers whether the value is binary by its meaning. */
function begin(reader: BencodeReader, top: OpenValue, out: TextParts): boolean {
  if (!top.empty) out.add(',')
  top.empty = false
  if (!top.dict) return top.binary
  const key = reader.key()
  const raw = Buffer.from(key, 'latin1')
  out.add(`${JSON.stringify(top.binary ? raw.toString('hex') : (utf8Text(raw) ?? raw.toString('hex')))}:`)
  return top.binary || BINARY_KEYS.has(key)
}

function enter(reader: BencodeReader, dict: boolean, binary: boolean, out: TextParts): OpenValue {
  if (dict) reader.openDict()
  else reader.openList()
  out.add(dict ? '{' : '[')
  return { dict, binary, empty: true }
}

function integer(value: number | bigint): string {
  return typeof value === 'number' ? String(value) : `"${value}"`
}

/** A string may have 16 MiB: its text is made in pieces. */
function* writeString(bytes: Uint8Array, binary: boolean, out: TextParts): Steps<void> {
  const hex = binary || !isUtf8(bytes)
  const buffer = asBuffer(bytes)
  out.add('"')
  for (let at = 0; at < bytes.length; ) {
    let end = Math.min(at + BYTES_A_STEP, bytes.length)
    // Not within a character.
    while (!hex && end < bytes.length && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1
    out.add(hex ? buffer.toString('hex', at, end) : JSON.stringify(buffer.toString('utf8', at, end)).slice(1, -1))
    at = end
    if (at === bytes.length) break
    out.full()
    yield
  }
  out.add('"')
}

/** Text on its way into bytes. */
class TextParts {
  readonly #parts: Uint8Array[] = []
  #text = ''

  add(text: string): void {
    this.#text += text
  }

  /** Turns what came together into a part when that is enough; answers whether it did. */
  full(): boolean {
    if (this.#text.length < PART_CHARS) return false
    this.#parts.push(Buffer.from(this.#text))
    this.#text = ''
    return true
  }

  end(): Uint8Array[] {
    this.#parts.push(Buffer.from(this.#text))
    return this.#parts
  }
}
