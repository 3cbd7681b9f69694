// Packets of a transport stream (ISO 13818-1, 2.4.3), written one after the other. The counters of a stream count its
// packets modulo 16: each stream is given a multiple of 16 of them, so that every segment begins where any other ends.

/** Bytes of a packet, of its head, and of what is left. */
const PACKET_BYTES = 188
const HEAD_BYTES = 4
const ROOM_BYTES = PACKET_BYTES - HEAD_BYTES
/** Length, flags, and the clock. */
const CLOCK_BYTES = 8
const COUNTS = 16
/** The clock begins again. */
const WRAP = 2 ** 33

/** What a packet says beside its payload, in its first one. */
export interface PacketMarks {
  /** The clock then, ticks of 90 kHz; null = not in this one. */
  readonly clock: number | null
  /** One may begin here. */
  readonly isEntry: boolean
}

const NO_MARKS: PacketMarks = { clock: null, isEntry: false }

/** A growing stream of packets. */
export class PacketWriter {
  #bytes: Uint8Array
  #length = 0
  readonly #counters = new Map<number, number>()

  /** `bytes`: how many it will be, about. */
  constructor(bytes: number) {
    this.#bytes = new Uint8Array(Math.max(PACKET_BYTES, bytes))
  }

  /** All packets so far; the memory is theirs alone. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** A table that fits into one packet. */
  table(pid: number, section: Uint8Array): void {
    const payload = new Uint8Array(ROOM_BYTES).fill(0xff)
    payload[0] = 0
    payload.set(section, 1)
    this.#packet(pid, true, NO_MARKS, payload)
  }

  /**
   * An elementary packet. `isLast`: of this stream: it is spread over so many packets that their number becomes a
   * multiple of 16.
   */
  packets(pid: number, payload: Uint8Array, marks: PacketMarks = NO_MARKS, isLast = false): void {
    let left = this.#countFor(pid, payload.length, marks, isLast)
    for (let at = 0; at < payload.length; left -= 1) {
      const first = at === 0
      const share = Math.ceil((payload.length - at) / Math.max(1, left))
      const room = ROOM_BYTES - fieldBytes(first ? marks : NO_MARKS)
      const part = payload.subarray(at, at + Math.min(share, room))
      this.#packet(pid, first, first ? marks : NO_MARKS, part)
      at += part.length
    }
  }

  #countFor(pid: number, length: number, marks: PacketMarks, isLast: boolean): number {
    const first = ROOM_BYTES - fieldBytes(marks)
    const fewest = 1 + Math.ceil(Math.max(0, length - first) / ROOM_BYTES)
    const counted = (this.#counters.get(pid) ?? 0) + fewest
    return isLast ? fewest + ((COUNTS - (counted % COUNTS)) % COUNTS) : fewest
  }

  #packet(pid: number, isStart: boolean, marks: PacketMarks, payload: Uint8Array): void {
    this.#grow()
    const bytes = this.#bytes
    const at = this.#length
    const counter = this.#counters.get(pid) ?? 0
    this.#counters.set(pid, (counter + 1) % COUNTS)
    const field = ROOM_BYTES - payload.length
    bytes[at] = 0x47
    bytes[at + 1] = (isStart ? 0x40 : 0) | (pid >> 8)
    bytes[at + 2] = pid & 0xff
    bytes[at + 3] = (field > 0 ? 0x30 : 0x10) | counter
    if (field > 0) writeField(bytes, at + HEAD_BYTES, field, marks)
    bytes.set(payload, at + PACKET_BYTES - payload.length)
    this.#length += PACKET_BYTES
  }

  #grow(): void {
    if (this.#length + PACKET_BYTES <= this.#bytes.length) return
    const larger = new Uint8Array(this.#bytes.length * 2)
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

/** Bytes that the marks take. */
function fieldBytes({ clock, isEntry }: PacketMarks): number {
  return clock === null ? (isEntry ? 2 : 0) : CLOCK_BYTES
}

/** The adaptation field (2.4.3.4), `length` bytes long, filled up with ones. */
function writeField(bytes: Uint8Array, at: number, length: number, { clock, isEntry }: PacketMarks): void {
  bytes[at] = length - 1
  if (length === 1) return
  bytes[at + 1] = (isEntry ? 0x40 : 0) | (clock === null ? 0 : 0x10)
  let next = at + 2
  if (clock !== null) {
    const base = ((clock % WRAP) + WRAP) % WRAP
    bytes[next] = Math.floor(base / 2 ** 25)
    bytes[next + 1] = Math.floor(base / 2 ** 17) & 0xff
    bytes[next + 2] = Math.floor(base / 2 ** 9) & 0xff
    bytes[next + 3] = Math.floor(base / 2) & 0xff
    bytes[next + 4] = ((base % 2) << 7) | 0x7e
    bytes[next + 5] = 0
    next += 6
  }
  bytes.fill(0xff, next, at + length)
}
