// Makes a connected socket lead through a proxy: drives a handshake over it and leaves it as if nothing had been read,
// so that an HTTP agent or TLS can take it over.

import type { Socket } from 'node:net'
import { AppError } from '../../base/errors.ts'
import type { HandshakeStep, ProxyHandshake } from './proxy-handshake.ts'

/**
 * Resolves when `socket`, connected to the proxy, leads to the target. Rejects with AppError SourceFailed or
 * DecodeError; the socket is the caller's to destroy. The time is the caller's to limit, by destroying the socket.
 */
export function tunnel(socket: Socket, handshake: ProxyHandshake): Promise<void> {
  return new Promise((resolve, reject) => {
    // Read on 'readable' and never on 'data': only so the socket is neither flowing nor paused for its next user.
    const leave = (): void => {
      socket.off('readable', read)
      socket.off('error', fail)
      socket.off('close', ended)
    }
    const fail = (error: Error): void => {
      leave()
      reject(error)
    }
    const ended = (): void => fail(new AppError('SourceFailed', 'the proxy closed the connection'))
    const read = (): void => {
      for (let chunk = nextChunk(socket); chunk !== null; chunk = nextChunk(socket)) {
        let step: HandshakeStep
        try {
          step = handshake.receive(chunk)
        } catch (error) {
          return fail(error as Error)
        }
        if (!step.done) {
          if (step.send !== null) socket.write(step.send)
          continue
        }
        leave()
        if (step.rest.length > 0) socket.unshift(step.rest)
        // The stream forgets its 'readable' listener in the next tick.
        setImmediate(resolve)
        return
      }
    }
    socket.on('readable', read)
    socket.on('error', fail)
    socket.on('close', ended)
    try {
      socket.write(handshake.begin())
    } catch (error) {
      fail(error as Error)
    }
  })
}

function nextChunk(socket: Socket): Uint8Array | null {
  return socket.read() as Uint8Array | null
}
