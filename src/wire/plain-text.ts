// Text from outside made fit for showing and storing: no control characters, bounded, cut between characters.

/** `text` cut to `maxBytes` of UTF-8 between two characters. */
export function cutText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length <= maxBytes) return text
  let end = maxBytes
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

/** `text` as one line of at most `maxBytes` of UTF-8, control characters as spaces; null when nothing is left. */
export function plainLine(text: string, maxBytes: number): string | null {
  return cutText(text.replace(/\p{Cc}/gu, ' ').trim(), maxBytes) || null
}
