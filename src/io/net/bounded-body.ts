// Reads the body of an answer into memory up to a bound that counts bytes as sent and as decoded: a gzip bomb ends at
// the bound like any other body that is too long.

import type { Readable } from 'node:stream'
import { createGunzip, createInflate } from 'node:zlib'
import { AppError } from '../../base/errors.ts'

function decoderFor(encoding: string): ReturnType<typeof createGunzip> | ReturnType<typeof createInflate> | null {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity') return null
  if (name === 'gzip' || name === 'x-gzip') return createGunzip()
  if (name === 'deflate') return createInflate()
  throw new AppError('SourceFailed', 'the answer is packed in a way that is not supported')
}

/** Gathers `source`, decoded by `encoding` (Content-Encoding, '' for none). Rejects with AppError SourceFailed. */
export function readBoundedBody(source: Readable, encoding: string, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let sentBytes = 0
    let decodedBytes = 0
    const fail = (error: Error): void => {
      // Both ends go: a decoder without an end would keep its memory, a source its connection.
      source.destroy()
      decoder?.destroy()
      chunks.length = 0
      reject(error)
    }
    const tooLong = (): void => fail(new AppError('SourceFailed', `the answer is longer than ${maxBytes} bytes`))
    const keep = (chunk: Buffer): void => {
      decodedBytes += chunk.length
      if (decodedBytes > maxBytes) tooLong()
      else chunks.push(chunk)
    }
    const finish = (): void => resolve(Buffer.concat(chunks))
    let decoder: ReturnType<typeof decoderFor> = null
    source.on('error', fail)
    try {
      decoder = decoderFor(encoding)
    } catch (error) {
      fail(error as Error)
      return
    }
    if (decoder === null) {
      source.on('data', keep)
      source.on('end', finish)
      return
    }
    source.on('data', (chunk: Buffer) => {
      sentBytes += chunk.length
      if (sentBytes > maxBytes) tooLong()
    })
    decoder.on('data', keep)
    decoder.on('end', finish)
    decoder.on('error', () => fail(new AppError('SourceFailed', 'the answer cannot be unpacked')))
    source.pipe(decoder)
  })
}
