// Events over node:http, a connection each: to a literal address, no redirection, nothing of the answer is read.

import { request } from 'node:http'
import type { EventMessage } from '../ports/event-post.ts'

const TIMEOUT_MS = 5_000

/** See EventPost. */
export function postEvent({ ip, port, path, headers, body, localIp }: EventMessage, stop: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)])
  const bytes = Buffer.from(body)
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: ip,
        port,
        path,
        method: 'NOTIFY',
        headers: { ...headers, 'Content-Length': bytes.length, Connection: 'close' },
        localAddress: localIp,
        family: 4,
        agent: false,
        maxHeaderSize: 16 * 1024,
        signal,
      },
      answer => {
        const { statusCode = 0 } = answer
        answer.destroy()
        if (statusCode >= 200 && statusCode < 300) resolve()
        else reject(new Error(`the event was answered with ${statusCode}`))
      },
    )
    sent.on('error', reject)
    sent.end(bytes)
  })
}
