// A process that is everything HTTP which a swarm has: tracker (BEP 3, compact peers as its arguments name them) and
// file server with ranges. Run in a namespace: `node outside-server.js ip port folder peer,peer`. Writes one JSON line
// a request: {ip, host, path}, the query left out; and `ready` first.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { readFile } from 'node:fs/promises'
import { join, normalize } from 'node:path'

const [ip = '', port = '', folder = '', peers = ''] = process.argv.slice(2)

const compact = Buffer.concat(
  peers.split(',').map(text => {
    const [host = '', at = ''] = text.split(':')
    return Buffer.from([...host.split('.').map(Number), Number(at) >> 8, Number(at) & 255])
  }),
)

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://x/').pathname
  const from = (request.socket.remoteAddress ?? '').replace('::ffff:', '')
  process.stdout.write(`${JSON.stringify({ ip: from, host: request.headers.host ?? '', path })}\n`)
  if (path === '/announce') {
    const head = `d8:completei1e8:intervali60e5:peers${compact.length}:`
    response.end(Buffer.concat([Buffer.from(head), compact, Buffer.from('e')]))
    return
  }
  const bytes = await readFile(join(folder, normalize(decodeURIComponent(path)))).catch(() => null)
  if (bytes === null) {
    response.writeHead(404).end()
    return
  }
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
  if (range === null) {
    response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
    return
  }
  const part = bytes.subarray(Number(range[1]), Number(range[2]) + 1)
  const fields = {
    'content-length': part.length,
    'content-range': `bytes ${range[1]}-${range[2]}/${bytes.length}`,
  }
  response.writeHead(206, fields).end(part)
}

createServer((request, response) => void serve(request, response)).listen(Number(port), ip, () => {
  process.stdout.write('ready\n')
})
