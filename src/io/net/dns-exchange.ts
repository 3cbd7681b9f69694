// One question to one name server: by UDP, and by TCP when the answer does not fit into a datagram (RFC 7766). What is
// not an answer to this very question is passed over, as anybody can send datagrams. Each question has a socket of its
// own, so that its port cannot be guessed.

import { AppError, DecodeError } from '../../base/errors.ts'
import { addressKey, type PeerAddress } from '../../base/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { TcpNetwork, TcpStream } from '../../ports/tcp.ts'
import type { UdpNetwork } from '../../ports/udp.ts'
import { type DnsAnswer, type DnsQuestion, decodeDnsAnswer, encodeDnsQuestion } from '../../wire/net/dns-message.ts'

/** What a question goes through. */
export interface DnsExchangeDeps {
  readonly udp: UdpNetwork
  readonly tcp: TcpNetwork
  readonly clock: Pick<Clock, 'after'>
}

/** Where and for how long it is asked. */
export interface DnsOrder {
  readonly server: PeerAddress
  /** The local address of the UDP socket; null = that of the network's place. */
  readonly localIp: string | null
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const silent = (): AppError => new AppError('SourceFailed', 'the name server does not answer')

/** Null for what is no answer to the question. */
function readAnswer(bytes: Uint8Array, question: DnsQuestion): DnsAnswer | null {
  try {
    return decodeDnsAnswer(bytes, question)
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

/** The answer. Rejects with AppError SourceFailed, or as `signal` says; `timeoutMs` counts for UDP and TCP each. */
export async function askNameServer(question: DnsQuestion, order: DnsOrder, deps: DnsExchangeDeps): Promise<DnsAnswer> {
  const query = encodeDnsQuestion(question)
  const answer = await within(order, deps.clock, done => askByUdp(query, question, order, deps, done))
  if (!answer.truncated) return answer
  return await within(order, deps.clock, done => askByTcp(query, question, order, deps, done))
}

type Done = (outcome: DnsAnswer | Error) => void

/** Runs `start`, which answers how it is ended, until it is done, time is up, or the signal comes. */
function within(order: DnsOrder, clock: Pick<Clock, 'after'>, start: (done: Done) => () => void): Promise<DnsAnswer> {
  const { signal, timeoutMs } = order
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    let end: (() => void) | null = null
    let settled = false
    const done: Done = outcome => {
      if (settled) return
      settled = true
      timer.cancel()
      signal.removeEventListener('abort', aborted)
      end?.()
      if (outcome instanceof Error) reject(outcome)
      else resolve(outcome)
    }
    const aborted = (): void => done(signal.reason as Error)
    const timer = clock.after(timeoutMs, () => done(silent()))
    signal.addEventListener('abort', aborted, { once: true })
    end = start(done)
    if (settled) end()
  })
}

function askByUdp(
  query: Uint8Array,
  question: DnsQuestion,
  { server, localIp }: DnsOrder,
  { udp }: DnsExchangeDeps,
  done: Done,
): () => void {
  const family = server.ip.includes(':') ? 6 : 4
  const bound = udp.bind({ family, ip: localIp, port: 0 }, (bytes, from) => {
    const answer = addressKey(from) === addressKey(server) ? readAnswer(bytes, question) : null
    if (answer !== null) done(answer)
  })
  bound.then(
    socket => socket.send(query, server),
    (error: Error) => done(error),
  )
  return () =>
    void bound.then(
      socket => socket.close(),
      () => undefined,
    )
}

function askByTcp(
  query: Uint8Array,
  question: DnsQuestion,
  { server, localIp, timeoutMs }: DnsOrder,
  { tcp }: DnsExchangeDeps,
  done: Done,
): () => void {
  let came = Buffer.alloc(0)
  const stream: TcpStream = tcp.connect(
    server,
    { localIp, timeoutMs },
    {
      open: () => {
        const length = Buffer.alloc(2)
        length.writeUInt16BE(query.length)
        stream.write(Buffer.concat([length, query]))
      },
      data: chunk => {
        came = Buffer.concat([came, chunk])
        if (came.length < 2 || came.length < 2 + came.readUInt16BE(0)) return
        done(readAnswer(came.subarray(2, 2 + came.readUInt16BE(0)), question) ?? silent())
      },
      drain: () => undefined,
      close: error => done(error ?? silent()),
    },
  )
  return () => stream.destroy()
}
