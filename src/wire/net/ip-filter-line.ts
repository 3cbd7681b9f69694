// One line of an address list. IPv4 is read byte by byte, because lists have a million such lines; what has IPv6 in it
// is read as text. Keeps no line: the result lies in `words` until the next read.

import { isMappedIpv4, parseIp } from './compact-address.ts'

/**
 * What a line was: a range of a family (in `words`), nothing to keep (empty, comment, a permitted range), or
 * unreadable.
 */
export type FilterLineKind = 'v4' | 'v6' | 'nothing' | 'broken'

/** eMule keeps away from ranges whose access level is at most this; above it they are permitted. */
const MAX_BLOCKED_LEVEL = 127
/** Longest text of an IPv6 address. */
const MAX_IPV6_CHARS = 45

const TAB = 0x09
const CR = 0x0d
const SPACE = 0x20
const HASH = 0x23
const COMMA = 0x2c
const DASH = 0x2d
const DOT = 0x2e
const SLASH = 0x2f
const ZERO = 0x30
const COLON = 0x3a
const SEMICOLON = 0x3b

/**
 * A line with IPv6: an address, a block or a range, with or without the level and name of DAT. Blanks are single here:
 * runs of them would make the match slow.
 */
const TEXT_LINE = /^([0-9a-f:.]+) ?(?:\/ ?(\d{1,3})|- ?([0-9a-f:.]+))? ?(?:, ?(\d{1,3}) ?(?:,.*)?)?$/i

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === CR
}

/** Negative, zero or positive as `a` is below, equal to or above `b`; both have the same length. */
function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let at = 0; at < a.length; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Mapped IPv4 as IPv4. */
function plain(bytes: Uint8Array): Uint8Array {
  return isMappedIpv4(bytes) ? bytes.subarray(12) : bytes
}

/** First and last address of the block of `bits` around `bytes`. */
function blockAround(bytes: Uint8Array, bits: number): [Uint8Array, Uint8Array] {
  const first = Uint8Array.from(bytes)
  const last = Uint8Array.from(bytes)
  for (let at = 0; at < bytes.length; at++) {
    const kept = Math.min(8, Math.max(0, bits - at * 8))
    const rest = 0xff >> kept
    first[at] = (bytes[at] ?? 0) & ~rest & 0xff
    last[at] = (bytes[at] ?? 0) | rest
  }
  return [first, last]
}

/** Reads lines, one at a time. */
export class FilterLine {
  /** The range of the last line: first and last address, 1 + 1 (v4) or 4 + 4 (v6) words, most significant first. */
  readonly words = new Uint32Array(8)
  /** True when the last line was read as text, which takes longer. */
  slow = false
  #bytes: Uint8Array = new Uint8Array(0)
  #at = 0
  #end = 0

  /** Reads bytes[start, end), a line without its line feed. Never throws. */
  read(bytes: Uint8Array, start: number, end: number): FilterLineKind {
    this.slow = false
    this.#bytes = bytes
    this.#end = end
    // A byte order mark before the first line.
    const marked = end - start >= 3 && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf
    this.#at = marked ? start + 3 : start
    this.#skipBlanks()
    while (this.#end > this.#at && isBlank(bytes[this.#end - 1] ?? 0)) this.#end -= 1
    if (this.#isEmptyOrComment()) return 'nothing'
    const first = this.#at
    const listed = this.#readListed()
    if (listed !== 'broken') return listed
    const colon = this.#lastColon(first)
    if (colon < 0) return 'broken'
    this.#at = colon + 1
    if (this.#readNamed()) return 'v4'
    this.slow = true
    return this.#readText(Buffer.from(bytes.buffer, bytes.byteOffset + first, this.#end - first).toString('latin1'))
  }

  #byte(): number {
    return this.#at < this.#end ? (this.#bytes[this.#at] ?? -1) : -1
  }

  #skipBlanks(): void {
    while (isBlank(this.#byte())) this.#at += 1
  }

  #isEmptyOrComment(): boolean {
    const byte = this.#byte()
    if (byte < 0 || byte === HASH || byte === SEMICOLON) return true
    return byte === SLASH && this.#at + 1 < this.#end && this.#bytes[this.#at + 1] === SLASH
  }

  #lastColon(first: number): number {
    for (let at = this.#end - 1; at >= first; at--) if (this.#bytes[at] === COLON) return at
    return -1
  }

  /** A decimal number of at most `digits` digits, leading zeroes allowed; -1 when there is none. */
  #number(digits: number): number {
    let value = -1
    for (let count = 0; count < digits; count++) {
      const digit = this.#byte() - ZERO
      if (digit < 0 || digit > 9) break
      value = Math.max(0, value) * 10 + digit
      this.#at += 1
    }
    return value
  }

  /** Four octets; -1 when there are none. */
  #ipv4(): number {
    let value = 0
    for (let part = 0; part < 4; part++) {
      if (part > 0) {
        if (this.#byte() !== DOT) return -1
        this.#at += 1
      }
      const octet = this.#number(3)
      if (octet < 0 || octet > 255) return -1
      value = value * 256 + octet
    }
    return value
  }

  /** `1.2.3.4`, `1.2.3.0/24`, `1.2.3.0 - 1.2.3.255 , 000 , name`. */
  #readListed(): FilterLineKind {
    const first = this.#ipv4()
    if (first < 0) return 'broken'
    this.#skipBlanks()
    const sign = this.#byte()
    if (sign !== SLASH && sign !== DASH) return this.#tail(first, first)
    this.#at += 1
    this.#skipBlanks()
    if (sign === DASH) return this.#tail(first, this.#ipv4())
    const bits = this.#number(2)
    if (bits < 0 || bits > 32) return 'broken'
    const size = 2 ** (32 - bits)
    const start = first - (first % size)
    return this.#tail(start, start + size - 1)
  }

  /** What may follow: nothing, a comment, or the level and name of DAT. */
  #tail(first: number, last: number): FilterLineKind {
    if (last < first) return 'broken'
    this.words[0] = first
    this.words[1] = last
    this.#skipBlanks()
    const byte = this.#byte()
    if (byte < 0 || byte === HASH || byte === SEMICOLON) return 'v4'
    if (byte !== COMMA) return 'broken'
    this.#at += 1
    this.#skipBlanks()
    const level = this.#number(3)
    this.#skipBlanks()
    if (level < 0 || (this.#byte() >= 0 && this.#byte() !== COMMA)) return 'broken'
    return level > MAX_BLOCKED_LEVEL ? 'nothing' : 'v4'
  }

  /** `1.2.3.0-1.2.3.255` to the end of the line: what follows the name in a PeerGuardian list. */
  #readNamed(): boolean {
    this.#skipBlanks()
    const first = this.#ipv4()
    if (first < 0) return false
    this.#skipBlanks()
    if (this.#byte() !== DASH) return false
    this.#at += 1
    this.#skipBlanks()
    const last = this.#ipv4()
    if (last < first || this.#at !== this.#end) return false
    this.words[0] = first
    this.words[1] = last
    return true
  }

  #readText(line: string): FilterLineKind {
    const comment = line.search(/[#;]/)
    const text = (comment < 0 ? line : line.slice(0, comment)).replace(/[ \t]+/g, ' ').trim()
    const match = TEXT_LINE.exec(text)
    const first = match === null ? null : parseIp(match[1] ?? '')
    if (match === null || first === null) return this.#readNamedText(line)
    const [, , bits, end, level] = match
    const last = end === undefined ? first : parseIp(end)
    if (last === null || Number(bits ?? 0) > first.length * 8) return this.#readNamedText(line)
    if (Number(level ?? 0) > MAX_BLOCKED_LEVEL) return 'nothing'
    if (bits === undefined) return this.#keep(first, last)
    return this.#keep(...blockAround(first, Number(bits)))
  }

  /**
   * `name:2001:db8::-2001:db8::ff`. Where the name ends is not told, as it may look like a part of the address: the
   * longest address counts. A shorter one is never tried, or a range the wrong way round would become a huge one.
   */
  #readNamedText(line: string): FilterLineKind {
    const dash = line.lastIndexOf('-')
    const last = dash < 0 ? null : parseIp(line.slice(dash + 1).trim())
    if (last === null || last.length !== 16) return 'broken'
    const head = line.slice(0, dash).trimEnd()
    let colon = head.indexOf(':', Math.max(0, head.length - MAX_IPV6_CHARS - 2))
    for (; colon >= 0; colon = head.indexOf(':', colon + 1)) {
      const first = parseIp(head.slice(colon + 1).trimStart())
      if (first !== null && first.length === 16) return this.#keep(first, last)
    }
    return 'broken'
  }

  #keep(first: Uint8Array, last: Uint8Array): FilterLineKind {
    const [low, high] = [plain(first), plain(last)]
    if (low.length !== high.length || compareBytes(low, high) > 0) return 'broken'
    const half = low.length / 4
    for (const [index, bytes] of [low, high].entries()) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
      for (let word = 0; word < half; word++) this.words[index * half + word] = view.getUint32(word * 4)
    }
    return half === 1 ? 'v4' : 'v6'
  }
}
