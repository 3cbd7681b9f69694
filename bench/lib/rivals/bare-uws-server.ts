// One file by a bare uWebSockets.js server: what our native server can do at best. It reads with plain reads into one
// buffer and sends the headers that a stream of ours has, checks nothing, and counts nothing.
// Arguments: path of the file, address, port. Prints `listening`.

import { fstatSync, openSync, readSync } from 'node:fs'
import { App, type HttpRequest, type HttpResponse } from 'uWebSockets.js'

const CHUNK_BYTES = 2 ** 20
const [path = '', ip = '', port = '0'] = process.argv.slice(2)
const file = openSync(path, 'r')
const size = fstatSync(file).size
// Memory of a resizable buffer begins on a page, as that of our node.
const Resizable = ArrayBuffer as new (bytes: number, options: { maxByteLength: number }) => ArrayBuffer
const buffer = new Uint8Array(new Resizable(CHUNK_BYTES, { maxByteLength: CHUNK_BYTES }), 0, CHUNK_BYTES)
/** As one value: lines that follow the first header. */
const headers = [
  'no-referrer',
  'X-Content-Type-Options: nosniff',
  'Accept-Ranges: bytes',
  `ETag: "${'0'.repeat(40)}-0"`,
  'Content-Security-Policy: sandbox',
  'Content-Type: application/octet-stream',
  'Content-Range: ',
].join('\r\n')

function rangeOf(req: HttpRequest): { readonly start: number; readonly end: number } {
  const match = /^bytes=([0-9]+)-([0-9]*)$/.exec(req.getHeader('range'))
  if (match === null) return { start: 0, end: size }
  return { start: Number(match[1]), end: match[2] ? Math.min(size, Number(match[2]) + 1) : size }
}

/** Writes from where the answer is; true when the last byte is taken. */
function writeOn(res: HttpResponse, start: number, length: number): boolean {
  for (;;) {
    const offset = res.getWriteOffset()
    const count = readSync(file, buffer, 0, Math.min(CHUNK_BYTES, length - offset), start + offset)
    const [accepted, done] = res.tryEnd(count === CHUNK_BYTES ? buffer : buffer.subarray(0, count), length)
    if (done || !accepted) return done
  }
}

function answer(res: HttpResponse, req: HttpRequest): void {
  const { start, end } = rangeOf(req)
  const length = end - start
  res.writeStatus('206 Partial Content')
  res.writeHeader('Referrer-Policy', `${headers}bytes ${start}-${end - 1}/${size}`)
  if (writeOn(res, start, length)) return
  let gone = false
  res.onAborted(() => {
    gone = true
  })
  res.onWritable(() => gone || writeOn(res, start, length))
}

App()
  .get('/file', answer)
  .any('/*', res => void res.writeStatus('404 Not Found').end())
  .listen(ip, Number(port), socket => {
    if (socket === false) throw new Error(`cannot listen at ${ip} port ${port}`)
    console.log('listening')
  })
