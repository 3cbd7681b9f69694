// ID3v2 tags before the sound: passed over by their length, however large the cover in them is.

import type { FieldBytes } from './field-bytes.ts'

/** The head of a tag, bytes. */
export const TAG_HEAD_BYTES = 10

/** Length of the tag that begins `head`, with its head; 0 = there is none. */
export function tagLength(head: FieldBytes): number {
  if (head.length < TAG_HEAD_BYTES || head.latin(0, 3) !== 'ID3') return 0
  const footer = (head.u8(5) & 0x10) === 0 ? 0 : TAG_HEAD_BYTES
  let length = 0
  for (let at = 6; at < TAG_HEAD_BYTES; at += 1) length = length * 128 + (head.u8(at) & 0x7f)
  return TAG_HEAD_BYTES + length + footer
}
