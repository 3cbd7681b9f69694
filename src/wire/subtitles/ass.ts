// ASS and SSA (Sub Station Alpha): texts and times; styles, places and drawings are left out. Pure.

import { type Cue, cueOf, MAX_CUES } from './cue.ts'

/** Fields of a format that are looked at; ASS has ten. */
const MAX_FIELDS = 32
const FIELDS = ['layer', 'start', 'end', 'style', 'name', 'marginl', 'marginr', 'marginv', 'effect', 'text']
const TIME = /^(\d{1,3}):(\d{1,2}):(\d{1,2})[.:,](\d{1,3})$/

/** Where the fields of a dialogue stand that are shown; -1 = nowhere. */
interface Places {
  readonly start: number
  readonly end: number
  readonly text: number
  /** The last field has all that follows, commas too. */
  readonly last: number
}

function placesOf(fields: readonly string[]): Places {
  const [start = -1, end = -1, text = -1] = ['start', 'end', 'text'].map(name => fields.indexOf(name))
  return { start, end, text, last: fields.length - 1 }
}

function fieldsOf(format: string): string[] {
  return format.split(',', MAX_FIELDS).map(name => name.trim().toLowerCase())
}

/** Cues of the section `[Events]`. */
export function assCues(lines: Iterable<string>): Cue[] {
  const cues: Cue[] = []
  const seen = new Set<string>()
  let places = placesOf(FIELDS)
  for (const line of lines) {
    const found = /^(Format|Dialogue):/i.exec(line)?.[1]?.toLowerCase()
    const rest = line.slice(line.indexOf(':') + 1).slice(0, 8000)
    // The styles have a format too, of other fields.
    if (found === 'format' && /\bstart\b/i.test(rest)) places = placesOf(fieldsOf(rest))
    if (found !== 'dialogue') continue
    const cue = dialogueOf(rest, places)
    // Outlines and karaoke say one text in many layers.
    const key = cue === null ? '' : `${cue.startMs} ${cue.endMs} ${cue.text}`
    if (cue === null || seen.has(key)) continue
    seen.add(key)
    cues.push(cue)
    if (cues.length >= MAX_CUES) break
  }
  return cues
}

function dialogueOf(rest: string, { start, end, text, last }: Places): Cue | null {
  const values = rest.split(',')
  const value = (at: number): string => (at === last ? values.slice(at).join(',') : (values[at] ?? '').trim())
  const [startMs, endMs] = [msOf(value(start)), msOf(value(end))]
  return startMs === null || endMs === null ? null : cueOf(startMs, endMs, assText(value(text)))
}

function msOf(text: string): number | null {
  const match = TIME.exec(text)
  if (match === null) return null
  const [hours = 0, minutes = 0, seconds = 0] = match.slice(1, 4).map(Number)
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + Number((match[4] ?? '').padEnd(3, '0'))
}

/** The text of a dialogue without its override codes; '' for a drawing. */
export function assText(text: string): string {
  // `\p1`: what follows draws a shape.
  if (/\{[^{}]{0,400}\\p[1-9]/.test(text)) return ''
  return text
    .replace(/\{[^{}]{0,4000}\}/g, '')
    .replace(/\\[Nn]/g, '\n')
    .replace(/\\h/g, ' ')
}
