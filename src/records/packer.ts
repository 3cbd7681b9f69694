// Messages between the main thread and the database thread as one run of bytes each; long runs of bytes in a job travel
// beside it, so that an info dictionary of 16 MiB is copied once and not three times.

import { addExtension, Packr } from 'msgpackr'

/** Byte arrays from this length on travel beside the message. */
const LONG_BYTES = 256 * 1024
/** Of the places of long byte arrays in a message. */
const EXTENSION = 0x41

/** What messages are packed in at first, as msgpackr's own. */
const ROOM_BYTES = 8192

/** A message on its way; `long` are the byte arrays that it names by their place. */
export interface PackedMessage {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly long: readonly Uint8Array<ArrayBuffer>[]
}

/** Takes the place of a long byte array while a message is packed. */
class LongBytes {
  readonly place: number
  constructor(place: number) {
    this.place = place
  }
}

// copyBuffers: an unpacked `have` or info dictionary must not keep its whole message in memory.
const packr = new Packr({ useRecords: false, copyBuffers: true })

/** Those of the message that is being unpacked. */
let arrived: readonly Uint8Array[] = []
addExtension({
  Class: LongBytes,
  type: EXTENSION,
  pack: (long: LongBytes) => Buffer.from(Uint32Array.of(long.place).buffer),
  unpack: (bytes: Uint8Array) => arrived[new Uint32Array(new Uint8Array(bytes).buffer)[0] ?? -1],
})

/** Packs a message into memory of its own, so that it may be transferred (msgpackr's own result shares a slab). */
export function packMessage(message: unknown): PackedMessage {
  const long: Uint8Array<ArrayBuffer>[] = []
  const bytes = Uint8Array.from(packr.pack(lifted(message, long, LEVELS)))
  return { bytes, long }
}

/** Lets go of the memory in which messages are packed, which grows with the longest of them. */
export function dropPackingRoom(): void {
  packr.useBuffer(Buffer.allocUnsafeSlow(ROOM_BYTES))
}

/** What may be given away with a message that is posted. */
export function transferred({ bytes, long }: PackedMessage): ArrayBuffer[] {
  return [bytes.buffer, ...long.map(each => each.buffer)]
}

/** Unpacks what packMessage made at the other end; each end knows which type of message comes. */
export function unpackMessage({ bytes, long }: PackedMessage): unknown {
  arrived = long
  try {
    return packr.unpack(bytes)
  } finally {
    arrived = []
  }
}

/** How deep long byte arrays are looked for: message, answers, answer, page, row, what is stored, its bytes. */
const LEVELS = 6

/** Longer lists are of one kind. */
const MAX_MIXED = 8

/** `value` with its long byte arrays put into `long`; what holds none is the same object. */
function lifted(value: unknown, long: Uint8Array<ArrayBuffer>[], levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) {
    if (value.length < LONG_BYTES) return value
    long.push(new Uint8Array(value))
    return new LongBytes(long.length - 1)
  }
  if (levels === 0) return value
  if (Array.isArray(value)) {
    // Numbers and texts, perhaps very many; arguments of a job are few.
    if (value.length > MAX_MIXED && typeof value[0] !== 'object') return value
    const members = value.map(member => lifted(member, long, levels - 1))
    return members.some((member, at) => member !== value[at]) ? members : value
  }
  return Object.getPrototypeOf(value) === Object.prototype ? liftedMembers(value, long, levels) : value
}

function liftedMembers(value: object, long: Uint8Array<ArrayBuffer>[], levels: number): object {
  let changed: Record<string, unknown> | null = null
  for (const [name, member] of Object.entries(value)) {
    // Not asked of each number and text: a job has five of them, an answer two.
    const other = typeof member === 'object' ? lifted(member, long, levels - 1) : member
    if (other === member) continue
    changed ??= { ...value }
    changed[name] = other
  }
  return changed ?? value
}
