// SubRip and WebVTT: lines of times, each with the lines of its text. Pure.

import { type Cue, cueOf, MAX_CUES } from './cue.ts'

// Hours may be missing, the comma may be a point; what follows the times are settings.
const TIME = '(?:(\\d{1,3}):)?(\\d{1,2}):(\\d{1,2})[.,:](\\d{1,3})'
const TIMES = new RegExp(`^\\s{0,8}${TIME}\\s{0,8}-->\\s{0,8}${TIME}`)

interface Times {
  readonly startMs: number
  readonly endMs: number
}

function timesOf(line: string): Times | null {
  // Others cannot be one, and need no expression to say so.
  const match = line.includes('-->') ? TIMES.exec(line) : null
  return match === null ? null : { startMs: msOf(match, 1), endMs: msOf(match, 5) }
}

function msOf(match: RegExpExecArray, from: number): number {
  const [hours = 0, minutes = 0, seconds = 0] = [0, 1, 2].map(at => Number(match[from + at] ?? 0))
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + Number((match[from + 3] ?? '').padEnd(3, '0'))
}

/** Cues of a SubRip or WebVTT text. `vtt`: a blank line ends a text; else a line of times does, with its number. */
export function timedText(lines: Iterable<string>, vtt: boolean): Cue[] {
  const cues: Cue[] = []
  let times: Times | null = null
  let text: string[] = []
  const end = (): void => {
    const cue = times === null ? null : cueOf(times.startMs, times.endMs, untagged(textOf(text, vtt), vtt))
    if (cue !== null) cues.push(cue)
    text = []
  }
  for (const line of lines) {
    const found = timesOf(line)
    if (found !== null) {
      end()
      times = found
    } else if (vtt && line.trim() === '') {
      end()
      times = null
    } else if (times !== null && text.length < 64) text.push(line.slice(0, 4000))
    if (cues.length >= MAX_CUES) return cues
  }
  end()
  return cues
}

/** Without the number of the cue that follows. */
function textOf(lines: readonly string[], vtt: boolean): string {
  if (vtt) return lines.join('\n')
  let count = lines.length
  while (count > 0 && (lines[count - 1] ?? '').trim() === '') count--
  const numbered = count > 1 && /^\s*\d{1,6}\s*$/.test(lines[count - 1] ?? '') && (lines[count - 2] ?? '').trim() === ''
  return lines.slice(0, numbered ? count - 1 : count).join('\n')
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', nbsp: ' ', lrm: '', rlm: '' }

/**
 * A text without the tags of SubRip and WebVTT, and without what SubRip borrows of ASS; a `<` that begins no tag is a
 * text. `vtt`: it has entities.
 */
export function untagged(text: string, vtt: boolean): string {
  const without = text.replace(/<\/?[a-z][^<>]{0,200}>|<\d[\d:.]{0,20}>|\{\\[^{}]{0,200}\}|\{[yY]:[a-z]\}/gi, '')
  return vtt ? without.replace(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => ENTITIES[name] ?? '') : without
}
