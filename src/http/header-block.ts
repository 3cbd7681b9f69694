// Headers as the lines of an answer's head. Those that go together and do not change are checked and joined once. A
// whole head goes to the native side in one call instead of one a header.

/** A header with its value. */
export type Header = readonly [string, string]

/** Headers of an answer, in their order. */
export type HeaderList = readonly (Header | HeaderBlock)[]

/** Headers, ready to be written. */
export class HeaderBlock {
  /** Each header as a line that begins with the break after the line before it. */
  readonly lines: string

  constructor(headers: readonly Header[]) {
    this.lines = headers.map(lineOf).join('')
  }
}

/** The head of an answer as the native side takes it for a status: what follows the version, without the last break. */
export function headText(statusLine: string, headers: HeaderList, more: HeaderList): string {
  let text = statusLine
  for (const header of headers) text += linesOf(header)
  for (const header of more) text += linesOf(header)
  return text
}

function linesOf(header: Header | HeaderBlock): string {
  return header instanceof HeaderBlock ? header.lines : lineOf(header)
}

// The native side writes values as they are: a line break in one would be a header of its own.
function lineOf([name, value]: Header): string {
  return `\r\n${name}: ${isOneLine(value) ? value : value.replace(BREAKS, ' ')}`
}

const BREAKS = /[\r\n\0]/g

// No regular expression: values of streams are new with each request.
function isOneLine(value: string): boolean {
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at)
    if (code === 0x0a || code === 0x0d || code === 0) return false
  }
  return true
}
