// The tables of a transport stream (ISO 13818-1, 2.4.4): one program with a picture and, where there is one, a sound.

import { crc32 } from './crc.ts'

/** These tell packets apart. */
export const PID = { association: 0, map: 0x1000, video: 0x100, sound: 0x101 } as const

/** Types of streams in a program map. */
export const STREAM_TYPE = { h264: 0x1b, aac: 0x0f, mp3: 0x03, mp3Low: 0x04 } as const

/** Names the one program. */
export function associationTable(): Uint8Array {
  return section(0, [0x00, 0x01, 0xe0 | (PID.map >> 8), PID.map & 0xff])
}

/** Names its streams; the clock is that of the picture. */
export function programMap(streams: readonly { readonly pid: number; readonly type: number }[]): Uint8Array {
  const rows = streams.flatMap(({ pid, type }) => [type, 0xe0 | (pid >> 8), pid & 0xff, 0xf0, 0x00])
  return section(2, [0xe0 | (PID.video >> 8), PID.video & 0xff, 0xf0, 0x00, ...rows])
}

/** A table in one section: its head, its body, and its check. */
function section(table: number, body: readonly number[]): Uint8Array {
  const length = 5 + body.length + 4
  const bytes = Uint8Array.from([
    table,
    0xb0 | (length >> 8),
    length & 0xff,
    0x00,
    0x01,
    0xc1,
    0,
    0,
    ...body,
    0,
    0,
    0,
    0,
  ])
  const view = new DataView(bytes.buffer)
  view.setUint32(bytes.length - 4, crc32(bytes.subarray(0, -4)))
  return bytes
}
