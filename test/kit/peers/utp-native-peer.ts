// utp-native (libutp in C++, as WebTorrent has it) in a process of its own, one connection: it sends bytes by seed and
// reads what comes, then prints a line of JSON. Arguments: its entry file, `listen` or `connect`, ip, port, bytes to
// send, bytes to expect. Prints its port first. Bytes are those of someBytes(count, 2).

import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import type { Duplex } from 'node:stream'
import { someBytes } from '../sim/utp-link.ts'

/** What this file uses of utp-native, which comes without types. */
interface NativeUtp {
  bind(port: number, ip: string, done: () => void): void
  /** False: connections are taken. */
  firewall(closed: boolean): void
  address(): { port: number }
  connect(port: number, ip: string): Duplex
  on(event: 'connection', listener: (connection: Duplex) => void): void
  setRecvBufferSize(bytes: number): void
  setSendBufferSize(bytes: number): void
}

const BUFFER_BYTES = 2 * 1024 * 1024
const WRITE_BYTES = 64 * 1024

const [entry = '', what, ip = '', port, sending, expecting] = process.argv.slice(2)
const makeUtp = createRequire(import.meta.url)(entry) as () => NativeUtp

function print(facts: object): void {
  process.stdout.write(`${JSON.stringify(facts)}\n`)
}

function serve(connection: Duplex): void {
  const content = someBytes(Number(sending), 2)
  const hash = createHash('sha1')
  let received = 0
  let at = 0
  const more = (): void => {
    while (at < content.length) {
      const part = content.subarray(at, at + WRITE_BYTES)
      at += part.length
      if (!connection.write(part)) return void connection.once('drain', more)
    }
  }
  connection.on('data', (chunk: Buffer) => {
    hash.update(chunk)
    received += chunk.length
    if (received === Number(expecting)) print({ received, sha1: hash.digest('hex') })
  })
  connection.on('error', error => print({ error: error.message }))
  connection.on('end', () => connection.end())
  connection.on('close', () => process.exit(0))
  more()
}

const utp = makeUtp()
utp.bind(0, ip, () => {
  // With the system's buffers it does 2.6 MB/s.
  utp.setRecvBufferSize(BUFFER_BYTES)
  utp.setSendBufferSize(BUFFER_BYTES)
  utp.on('connection', serve)
  if (what === 'connect') serve(utp.connect(Number(port), ip))
  else utp.firewall(false)
  print({ port: utp.address().port })
})
