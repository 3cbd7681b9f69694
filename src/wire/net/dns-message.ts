// Questions for the addresses of a host name and their answers (RFC 1035, RFC 3596), as a client sends them to a
// resolver that does the rest. Pure. Names inside answers are passed over, never followed: all that is of interest are
// the addresses, and the resolver has put those at the end of whatever other names there are.

import { DecodeError } from '../../base/errors.ts'
import { formatIp } from './compact-address.ts'

/** Types of records: A and AAAA. */
export const DNS_TYPES = { 4: 1, 6: 28 } as const
/** Response codes that the look-up distinguishes. */
export const DNS_CODES = { fine: 0, noSuchName: 3 } as const

const HEAD_BYTES = 12
const CLASS_IN = 1
const RECURSION_DESIRED = 0x0100
const IS_ANSWER = 0x8000
const TRUNCATED = 0x0200
/** A length with these bits leads elsewhere. */
const POINTER = 0xc0
const MAX_LABEL_BYTES = 63
const MAX_NAME_BYTES = 255
/** Characters in names of hosts; a name with any other does not exist in the network. */
const LABEL = /^[A-Za-z0-9_-]+$/

/** A question: `id` 16 bits, drawn again each time. */
export interface DnsQuestion {
  readonly id: number
  /** ASCII, as it is in a url. */
  readonly host: string
  readonly family: 4 | 6
}

/** What of an answer is of use. */
export interface DnsAnswer {
  readonly id: number
  readonly code: number
  /** It did not fit into a datagram: ask by TCP. */
  readonly truncated: boolean
  /** Literals of the family that was asked for. */
  readonly ips: readonly string[]
}

function encodeName(host: string): Buffer {
  const labels = host.replace(/\.$/, '').split('.')
  const parts = labels.map(label => {
    if (!LABEL.test(label) || label.length > MAX_LABEL_BYTES) throw new DecodeError('not the name of a host')
    return Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1')
  })
  const name = Buffer.concat([...parts, Buffer.alloc(1)])
  if (name.length > MAX_NAME_BYTES) throw new DecodeError('the name of the host is too long')
  return name
}

function encodeQuestion({ host, family }: DnsQuestion): Buffer {
  const name = encodeName(host)
  const rest = Buffer.alloc(4)
  rest.writeUInt16BE(DNS_TYPES[family], 0)
  rest.writeUInt16BE(CLASS_IN, 2)
  return Buffer.concat([name, rest])
}

/** The datagram of a question. Throws DecodeError for a host that is no name of one. */
export function encodeDnsQuestion(question: DnsQuestion): Uint8Array {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt16BE(question.id, 0)
  head.writeUInt16BE(RECURSION_DESIRED, 2)
  head.writeUInt16BE(1, 4)
  return Buffer.concat([head, encodeQuestion(question)])
}

/** Reads one message; every read is checked. */
class Reader {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#at = at
  }

  u16(): number {
    return this.take(2).readUInt16BE(0)
  }

  take(count: number): Buffer {
    const end = this.#at + count
    if (end > this.#bytes.length) throw new DecodeError('the DNS answer is cut short')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  /** Passes over a name. */
  skipName(): void {
    for (let length = this.take(1)[0] ?? 0; length !== 0; length = this.take(1)[0] ?? 0) {
      if ((length & POINTER) === POINTER) {
        this.take(1)
        return
      }
      if (length > MAX_LABEL_BYTES) throw new DecodeError('a name of the DNS answer cannot be read')
      this.take(length)
    }
  }
}

/** The answer to `question`. Throws DecodeError for what is none, also for one to another question. */
export function decodeDnsAnswer(bytes: Uint8Array, question: DnsQuestion): DnsAnswer {
  const head = new Reader(bytes, 0)
  const [id, flags, questions, answers] = [head.u16(), head.u16(), head.u16(), head.u16()]
  if ((flags & IS_ANSWER) === 0 || id !== question.id) throw new DecodeError('not the answer to this question')
  const reader = new Reader(bytes, HEAD_BYTES)
  // Some servers leave the question away when they refuse it.
  if (questions === 1) {
    const asked = encodeQuestion(question)
    // Servers may write letters as they like.
    if (reader.take(asked.length).toString('latin1').toLowerCase() !== asked.toString('latin1').toLowerCase()) {
      throw new DecodeError('an answer to another question')
    }
  } else if (questions > 1 || answers > 0) throw new DecodeError('not the answer to this question')
  const truncated = (flags & TRUNCATED) !== 0
  return { id, code: flags & 0xf, truncated, ips: truncated ? [] : readAddresses(reader, answers, question.family) }
}

function readAddresses(reader: Reader, count: number, family: 4 | 6): string[] {
  const ips: string[] = []
  for (let record = 0; record < count; record += 1) {
    reader.skipName()
    const [type, space] = [reader.u16(), reader.u16()]
    // How long it may be kept: DnsResolver has its own time.
    reader.take(4)
    const data = reader.take(reader.u16())
    if (type !== DNS_TYPES[family] || space !== CLASS_IN) continue
    if (data.length !== (family === 4 ? 4 : 16)) throw new DecodeError('an address of the DNS answer cannot be read')
    const ip = formatIp(data)
    // An IPv4 address in the coat of an IPv6 one is judged as such.
    ips.push(family === 6 && !ip.includes(':') ? `::ffff:${ip}` : ip)
  }
  return ips
}
