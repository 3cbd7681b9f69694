// The program of a transport stream (ISO 13818-1, 2.4.4): which streams there are, and their languages. Tables that go
// on in another packet are read as far as the first goes: films have two to ten streams.

import type { FieldBytes } from '../field-bytes.ts'
import { type FilmTrack, MAX_TRACKS, plainTrack, type TrackKind } from '../film-facts.ts'
import { packetsIn } from './packets.ts'

const MAP_TABLE = 2
/** Types of streams (2.4.4.9, and those registered since) -> what they are. */
const TYPES: Readonly<Record<number, readonly [kind: TrackKind, codec: string]>> = {
  0x01: ['video', 'mpeg1'],
  0x02: ['video', 'mpeg2'],
  0x03: ['audio', 'mp2'],
  0x04: ['audio', 'mp2'],
  0x0f: ['audio', 'aac'],
  0x10: ['video', 'mpeg4'],
  0x11: ['audio', 'aac'],
  0x1b: ['video', 'h264'],
  0x24: ['video', 'hevc'],
  0x81: ['audio', 'ac3'],
  0x82: ['audio', 'dts'],
  0x83: ['audio', 'truehd'],
  0x84: ['audio', 'eac3'],
  0x85: ['audio', 'dts'],
  0x86: ['audio', 'dts'],
  0x87: ['audio', 'eac3'],
  0x90: ['subtitle', 'pgs'],
  0xea: ['video', 'vc1'],
}
/** Descriptors that say what a private stream is (ETSI EN 300 468), and those with a language in front. */
const PRIVATE: Readonly<Record<number, readonly [kind: TrackKind, codec: string]>> = {
  0x56: ['subtitle', 'teletext'],
  0x59: ['subtitle', 'dvbsub'],
  0x6a: ['audio', 'ac3'],
  0x7a: ['audio', 'eac3'],
  0x7b: ['audio', 'dts'],
}
const LANGUAGE_FIRST: ReadonlySet<number> = new Set([0x0a, 0x56, 0x59])

/** The streams of the first program in `bytes`, ids are PIDs; none where its map is not in them. */
export function readProgram(bytes: FieldBytes): FilmTrack[] {
  let mapPid: number | null = null
  for (const { pid, starts, payload } of packetsIn(bytes)) {
    if (!starts || (pid !== 0 && pid !== mapPid)) continue
    const section = sectionOf(payload)
    if (section === null) continue
    if (pid === 0) mapPid ??= firstProgram(section)
    else if (section.u8(0) === MAP_TABLE) return streamsOf(section)
  }
  return []
}

/** The section that begins in a payload, as far as it lies there, without its checksum. */
function sectionOf(payload: FieldBytes): FieldBytes | null {
  const begin = 1 + payload.u8(0)
  if (begin + 12 > payload.length) return null
  const length = payload.u16(begin + 1) & 0x0f_ff
  return payload.part(begin, Math.min(payload.length, begin + Math.max(8, 3 + length - 4)))
}

/** The PID of the map of the first program that is one; 0 is the network's. */
function firstProgram(section: FieldBytes): number | null {
  for (let at = 8; at + 4 <= section.length; at += 4) {
    if (section.u16(at) !== 0) return section.u16(at + 2) & 0x1f_ff
  }
  return null
}

function streamsOf(section: FieldBytes): FilmTrack[] {
  const tracks: FilmTrack[] = []
  if (section.length < 12) return tracks
  let at = 12 + (section.u16(10) & 0x0f_ff)
  while (at + 5 <= section.length && tracks.length < MAX_TRACKS) {
    const end = Math.min(section.length, at + 5 + (section.u16(at + 3) & 0x0f_ff))
    const [type, id] = [section.u8(at), section.u16(at + 1) & 0x1f_ff]
    tracks.push(streamOf(id, type, section.part(at + 5, end)))
    at = end
  }
  return tracks
}

function streamOf(id: number, type: number, descriptors: FieldBytes): FilmTrack {
  let [kind, codec] = TYPES[type] ?? (['other', `stream type ${type}`] as const)
  let language = 'und'
  for (let at = 0; at + 2 <= descriptors.length; at += 2 + descriptors.u8(at + 1)) {
    const tag = descriptors.u8(at)
    if (type === 6) [kind, codec] = PRIVATE[tag] ?? [kind, codec]
    const code = LANGUAGE_FIRST.has(tag) && at + 5 <= descriptors.length ? descriptors.text(at + 2, 3) : ''
    if (/^[a-z]{3}$/i.test(code)) language = code.toLowerCase()
  }
  return { ...plainTrack, id, kind, codec, language }
}
