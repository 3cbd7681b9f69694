// Headers that go together and do not change: checked once, and handed to the native side in one call instead of one
// each.

/** A header with its value. */
export type Header = readonly [string, string]

/** Headers of an answer, in their order. */
export type HeaderList = readonly (Header | HeaderBlock)[]

/** At least one header, ready to be written. */
export class HeaderBlock {
  /** Name of the first. */
  readonly name: string
  /** Value of the first, then the others as lines. */
  readonly text: string

  /** Throws RangeError for no header at all. */
  constructor(headers: readonly Header[]) {
    const [first, ...others] = headers
    if (first === undefined) throw new RangeError('a block has a header')
    this.name = first[0]
    this.text = [headerText(first[1]), ...others.map(([name, value]) => `${name}: ${headerText(value)}`)].join('\r\n')
  }
}

// The native side writes values as they are: a line break in one would be a header of its own.
const BREAK = /[\r\n\0]/
const BREAKS = /[\r\n\0]/g

/** A value that is one line. */
export function headerText(value: string): string {
  return BREAK.test(value) ? value.replace(BREAKS, ' ') : value
}
