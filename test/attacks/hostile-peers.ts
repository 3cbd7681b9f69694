// What strangers send to the ports for peers: conversations, floods of connections, datagrams.

import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { framed, validHandshake } from '../kit/peers/raw-peer.ts'
import { bencoded, type Ground } from './ground.ts'
import { ask, sendBytes } from './raw-request.ts'

/** One conversation of a peer that says wrong things. */
export async function peer({ tally, node, fuzz, film, peerPort }: Ground): Promise<void> {
  const start = Buffer.from(validHandshake(film.infoHash, `-AT0001-${fuzz.below(1e9)}`))
  const extended = (id: number, payload: Uint8Array) => framed(20, Buffer.concat([Uint8Array.of(id), payload]))
  const hello = Buffer.concat([
    Buffer.from('d1:md11:ut_metadatai1e6:ut_pexi2ee13:metadata_sizei'),
    Buffer.from(String(fuzz.pick([-1, 0, 1e9, 1e15]))),
    Buffer.from('e1:v3:xxxe'),
  ])
  const length = Buffer.alloc(4)
  const sizes = [0xffffffff, 0x7fffffff, 16_777_216, 131_085]
  length.writeUInt32BE(fuzz.pick(sizes))
  const request = Buffer.alloc(12)
  for (const at of [0, 4, 8]) request.writeUInt32BE(fuzz.pick([0, 1, 0xffffffff, 0x7fffffff, 16_384, 131_072]), at)
  const says = [
    () => framed(fuzz.below(30), fuzz.bytes(400)),
    () => framed(6, request),
    () => framed(7, Buffer.concat([request.subarray(0, 8), fuzz.bytes(16_384)])),
    () => framed(5, fuzz.bytes(5000)),
    () => framed(4, request.subarray(0, 4)),
    () => extended(0, fuzz.mutate(hello)),
    () =>
      extended(
        fuzz.below(6),
        Buffer.concat([Buffer.from('d8:msg_typei1e5:piecei0e10:total_sizei1000000000ee'), fuzz.bytes(16_384)]),
      ),
    () => extended(2, Buffer.concat([Buffer.from('d5:added'), bencoded(fuzz.bytes(3000)), Buffer.from('e')])),
    () => extended(fuzz.below(6), Buffer.from('l'.repeat(60_000))),
    () => length,
    () => fuzz.bytes(2000),
  ]
  const first = fuzz.below(6) === 0 ? fuzz.mutate(start) : fuzz.below(6) === 0 ? fuzz.bytes(600) : start
  const parts = [first, ...Array.from({ length: fuzz.below(40) }, () => fuzz.pick(says)())]
  await sendBytes(peerPort, Buffer.concat(parts), 120)
  tally.check('a hostile peer is lived through', node.process.exitCode === null)
}

/** Many connections at once, silent or half greeting; all closed again. */
export async function flood({ tally, node, film, peerPort }: Ground): Promise<void> {
  const start = validHandshake(film.infoHash, '-AT0001-flood')
  const ports = [peerPort, node.port]
  const sockets = Array.from({ length: 600 }, (_, at) => {
    const socket = connect({
      port: ports[at % 2] ?? peerPort,
      host: '127.0.0.1',
      localAddress: `127.0.0.${2 + (at % 200)}`,
    })
    socket.on('error', () => undefined).on('connect', () => socket.write(start.subarray(0, at % 69)))
    return socket
  })
  await new Promise(resolve => setTimeout(resolve, 400))
  const answer = await ask(node.port, 'GET', '/state', { headers: { 'x-api-key': node.key } })
  tally.check('the owner is answered in a flood of connections', answer.status === 200, () => answer.status)
  for (const socket of sockets) socket.destroy()
}

/** Datagrams for the port that DHT and uTP share. */
export async function datagrams({ tally, node, fuzz, film, peerPort }: Ground): Promise<void> {
  const socket = createSocket('udp4')
  socket.on('error', () => undefined)
  const id = 'abcdefghij0123456789'
  const queries = [
    `d1:ad2:id20:${id}e1:q4:ping1:t2:aa1:y1:qe`,
    `d1:ad2:id20:${id}9:info_hash20:mnopqrstuvwxyz123456e1:q9:get_peers1:t2:aa1:y1:qe`,
    `d1:ad2:id20:${id}4:porti0e5:token8:aoeusnthe1:q13:announce_peer1:t2:aa1:y1:qe`,
    `d1:rd2:id20:${id}5:nodes26:${'n'.repeat(26)}e1:t2:aa1:y1:re`,
    `d1:ad2:id20:${id}1:v1000:${'v'.repeat(1000)}e1:q3:put1:t2:aa1:y1:qe`,
    'l'.repeat(1400),
  ]
  const utp = () =>
    Buffer.concat([
      Uint8Array.of((fuzz.below(6) << 4) | 1, fuzz.below(3)),
      Buffer.from(fuzz.bytes(40)),
      Buffer.from(validHandshake(film.infoHash, 'x')),
    ])
  for (let sent = 0; sent < 400; sent++) {
    const datagram =
      fuzz.below(3) === 0
        ? utp()
        : fuzz.below(3) === 0
          ? fuzz.bytes(1400)
          : fuzz.mutate(Buffer.from(fuzz.pick(queries)))
    socket.send(datagram, peerPort, '127.0.0.1')
    if (sent % 50 === 0) await new Promise(setImmediate)
  }
  await new Promise<void>(resolve => socket.close(() => resolve()))
  tally.check('datagrams are lived through', node.process.exitCode === null)
}
