// Which addresses the engine keeps away from: ranges in typed arrays, found by binary search. A filter never changes; a
// new list makes a new one, and the old one is in force until the new one is whole.

import { isMappedIpv4, parseIp } from '../../wire/net/compact-address.ts'
import { type FilterRanges, RANGE_WORDS } from '../../wire/net/ip-filter.ts'
import { runSteps, type Steps } from '../../wire/steps.ts'
import { orderRanges, rangesHold } from './address-ranges.ts'

const NO_RANGES = new Uint32Array(0)

/** Addresses not to connect to and not to accept. */
export class IpFilter {
  /** Blocks nothing. */
  static readonly none = new IpFilter(NO_RANGES, NO_RANGES)

  readonly #v4: Uint32Array
  readonly #v6: Uint32Array
  /** The address that is looked up. */
  readonly #key = new Uint32Array(4)
  /** What it blocks besides; null = nothing. */
  readonly #further: IpFilter | null

  /** Both as orderRanges answers them: 2 and 8 words a range. buildIpFilter makes them of a list. */
  constructor(v4: Uint32Array, v6: Uint32Array, further: IpFilter | null = null) {
    this.#v4 = v4
    this.#v6 = v6
    this.#further = further
  }

  /** One that blocks what this and `further` block; nothing is copied. */
  with(further: IpFilter): IpFilter {
    return new IpFilter(this.#v4, this.#v6, further)
  }

  /** Ranges of both families, after merging. */
  get size(): number {
    return this.#v4.length / RANGE_WORDS[4] + this.#v6.length / RANGE_WORDS[6]
  }

  /** True when a literal address is in the lists; mapped IPv4 counts as IPv4. What is no address is not in any. */
  blocks(ip: string): boolean {
    return this.#holds(ip) || this.#further?.blocks(ip) === true
  }

  #holds(ip: string): boolean {
    if (this.#v4.length === 0 && this.#v6.length === 0) return false
    const bytes = parseIp(ip)
    if (bytes === null) return false
    const plain = isMappedIpv4(bytes) ? bytes.subarray(12) : bytes
    const view = new DataView(plain.buffer, plain.byteOffset, plain.length)
    for (let word = 0; word < plain.length / 4; word++) this.#key[word] = view.getUint32(word * 4)
    return plain.length === 4
      ? rangesHold(this.#v4, RANGE_WORDS[4], this.#key)
      : rangesHold(this.#v6, RANGE_WORDS[6], this.#key)
  }
}

/** Makes the filter of single addresses: a few, at once. What is no literal address is left out. */
export function ipFilterOf(addresses: readonly string[]): IpFilter {
  const bytes = addresses.map(ip => parseIp(ip)).filter(one => one !== null)
  const plain = bytes.map(one => (isMappedIpv4(one) ? one.subarray(12) : one))
  const ranges = (length: number) =>
    plain
      .filter(one => one.length === length)
      .map(one => {
        const view = new DataView(one.buffer, one.byteOffset, length)
        const words = Array.from({ length: length / 4 }, (_, word) => view.getUint32(word * 4))
        return Uint32Array.of(...words, ...words)
      })
  return runSteps(buildIpFilter({ v4: ranges(4), v6: ranges(16) }))
}

/** Makes the filter of a list, in steps of some milliseconds. */
export function* buildIpFilter(ranges: Pick<FilterRanges, 'v4' | 'v6'>): Steps<IpFilter> {
  const v4 = yield* orderRanges(ranges.v4, RANGE_WORDS[4])
  const v6 = yield* orderRanges(ranges.v6, RANGE_WORDS[6])
  return new IpFilter(v4, v6)
}
