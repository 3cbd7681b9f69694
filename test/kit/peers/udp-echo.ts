// A UDP server of loopback that sends everything back.

import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** Its port, and what ends it. */
export interface UdpEcho {
  readonly port: number
  stop(): Promise<void>
}

/** Starts one on a free port. */
export async function startUdpEcho(): Promise<UdpEcho> {
  const socket = createSocket('udp4')
  socket.on('message', (bytes, from) => socket.send(bytes, from.port, from.address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    port: socket.address().port,
    async stop() {
      socket.close()
      await once(socket, 'close')
    },
  }
}
