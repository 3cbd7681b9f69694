// XML-RPC over SCGI on a local socket, as rtorrent speaks it: strings, integers, bytes and lists; nothing more.

import { once } from 'node:events'
import { createConnection } from 'node:net'

/** What a call is given, and what it answers. */
export type XmlRpcValue = string | number | Buffer | readonly XmlRpcValue[]

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function valueXml(value: XmlRpcValue): string {
  if (typeof value === 'number') return `<value><i8>${value}</i8></value>`
  if (typeof value === 'string')
    return `<value><string>${value.replace(/[&<>]/g, c => escapes[c] ?? c)}</string></value>`
  if (Buffer.isBuffer(value)) return `<value><base64>${value.toString('base64')}</base64></value>`
  return `<value><array><data>${value.map(valueXml).join('')}</data></array></value>`
}

/** Reads the values of an answer in the order they stand in; lists are kept as lists. */
function readValues(xml: string): XmlRpcValue[] {
  const stack: XmlRpcValue[][] = [[]]
  const top = () => stack.at(-1) as XmlRpcValue[]
  for (const [token, kind, text = ''] of xml.matchAll(
    /<(string|i4|i8|int|boolean)>([^<]*)<\/\1>|<\/?data>|<string\/>/g,
  )) {
    if (token === '<data>') stack.push([])
    else if (token === '</data>') {
      const list = stack.pop() as XmlRpcValue[]
      top().push(list)
    } else if (kind === undefined) top().push('')
    else
      top().push(
        kind === 'string'
          ? text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
          : Number(text),
      )
  }
  return stack[0] as XmlRpcValue[]
}

/** Calls `method` at the socket `path`; rejects with the fault that is answered, and when nobody listens. */
export async function scgiCall(path: string, method: string, params: readonly XmlRpcValue[]): Promise<XmlRpcValue> {
  const list = params.map(value => `<param>${valueXml(value)}</param>`).join('')
  const body = Buffer.from(
    `<?xml version="1.0"?><methodCall><methodName>${method}</methodName><params>${list}</params></methodCall>`,
  )
  const head = Buffer.from(`CONTENT_LENGTH\0${body.length}\0SCGI\x001\0REQUEST_METHOD\0POST\0REQUEST_URI\0/RPC2\0`)
  const socket = createConnection(path)
  const parts: Buffer[] = []
  socket.on('data', part => parts.push(part))
  socket.write(Buffer.concat([Buffer.from(`${head.length}:`), head, Buffer.from(','), body]))
  await once(socket, 'close')
  const answer = Buffer.concat(parts).toString()
  const values = readValues(answer)
  if (!answer.includes('<methodResponse>')) throw new Error(`rtorrent ${method}: no answer`)
  if (answer.includes('<fault>')) throw new Error(`rtorrent ${method}: ${JSON.stringify(values)}`)
  return values[0] ?? ''
}
