// What records say, as bytes: a codec a kind. Strict: bytes that would not be written so are refused, so each content
// has one form. Texts are UTF-8 with a u16 length; numbers big endian.

import { DecodeError } from '../../../base/errors.ts'
import { infoHashBytes, infoHashFromBytes } from '../../../base/ids.ts'
import type { OverlayReader } from '../../overlay/wire/reader.ts'
import type { OverlayWriter } from '../../overlay/wire/writer.ts'
import { readText, writeText } from './fields.ts'
import { KEY_BYTES, RECORD_ID_BYTES, recordIdBytes, recordIdFromBytes } from './ids.ts'
import { isProse, isTitle } from './texts.ts'
import { readTorrent, writeTorrent } from './torrent-content.ts'
import type { ChannelMode, RecordContent, RecordId, RecordKind } from './types.ts'

/** Most targets of a deletion. */
export const MAX_TARGETS = 128

const MODES: readonly ChannelMode[] = ['closed', 'semi-open', 'open']
const ADD = 1
const MODERATE = 2
const NAME = 1
const DESCRIPTION = 2

/** Writes and reads the contents of one kind. `read` throws DecodeError. */
interface ContentCodec<C extends RecordContent> {
  write(content: C, to: OverlayWriter): void
  read(from: OverlayReader): C
}

type Of<K extends RecordKind> = Extract<RecordContent, { readonly kind: K }>

const readTitle = (from: OverlayReader): string => readText(from, isTitle, 'a name')
const readProse = (from: OverlayReader): string => readText(from, isProse, 'a description')
const readRecordId = (from: OverlayReader): RecordId => recordIdFromBytes(from.take(RECORD_ID_BYTES))

function readFlags(from: OverlayReader, least: number): number {
  const flags = from.u8()
  if (flags < least || flags > 3) throw new DecodeError(`flags ${flags}`)
  return flags
}

const channel: ContentCodec<Of<'channel'>> = {
  write(content, to) {
    writeText(content.name, to)
    writeText(content.description, to)
    to.u8(MODES.indexOf(content.mode))
  },
  read(from) {
    const name = readTitle(from)
    const description = readProse(from)
    const mode = MODES[from.u8()]
    if (mode === undefined) throw new DecodeError('a mode that is none')
    return { kind: 'channel', name, description, mode }
  },
}

const playlist: ContentCodec<Of<'playlist'>> = {
  write(content, to) {
    writeText(content.name, to)
    writeText(content.description, to)
  },
  read(from) {
    return { kind: 'playlist', name: readTitle(from), description: readProse(from) }
  },
}

const entry: ContentCodec<Of<'entry'>> = {
  write(content, to) {
    to.put(recordIdBytes(content.playlist))
    to.put(infoHashBytes(content.infoHash))
  },
  read(from) {
    return { kind: 'entry', playlist: readRecordId(from), infoHash: infoHashFromBytes(from.take(20)) }
  },
}

const edit: ContentCodec<Of<'edit'>> = {
  write(content, to) {
    to.put(recordIdBytes(content.target))
    to.u8((content.name === null ? 0 : NAME) | (content.description === null ? 0 : DESCRIPTION))
    if (content.name !== null) writeText(content.name, to)
    if (content.description !== null) writeText(content.description, to)
  },
  read(from) {
    const target = readRecordId(from)
    const flags = readFlags(from, 1)
    const name = (flags & NAME) === 0 ? null : readTitle(from)
    const description = (flags & DESCRIPTION) === 0 ? null : readProse(from)
    return { kind: 'edit', target, name, description }
  },
}

const deletion: ContentCodec<Of<'deletion'>> = {
  write(content, to) {
    const targets = [...new Set(content.targets)].sort()
    if (targets.length < 1 || targets.length > MAX_TARGETS) throw new RangeError(`${targets.length} targets`)
    to.u8(targets.length)
    for (const target of targets) to.put(recordIdBytes(target))
  },
  read(from) {
    const count = from.u8()
    if (count < 1 || count > MAX_TARGETS) throw new DecodeError(`${count} targets`)
    const targets: RecordId[] = []
    for (let at = 0; at < count; at++) {
      const target = readRecordId(from)
      if (at > 0 && target <= (targets[at - 1] as RecordId)) throw new DecodeError('targets out of order')
      targets.push(target)
    }
    return { kind: 'deletion', targets }
  },
}

const grant: ContentCodec<Of<'grant'>> = {
  write(content, to) {
    to.put(content.contributor)
    to.u8((content.add ? ADD : 0) | (content.moderate ? MODERATE : 0))
  },
  read(from) {
    const contributor = Uint8Array.from(from.take(KEY_BYTES))
    const flags = readFlags(from, 0)
    return { kind: 'grant', contributor, add: (flags & ADD) !== 0, moderate: (flags & MODERATE) !== 0 }
  },
}

const comment: ContentCodec<Of<'comment'>> = {
  write(content, to) {
    to.u8(content.target === null ? 0 : 1)
    if (content.target !== null) to.put(recordIdBytes(content.target))
    writeText(content.text, to)
  },
  read(from) {
    const aimed = from.u8()
    if (aimed > 1) throw new DecodeError('a flag that is none')
    const target = aimed === 1 ? readRecordId(from) : null
    return { kind: 'comment', target, text: readText(from, text => text.trim() !== '' && isProse(text), 'a comment') }
  },
}

const torrent: ContentCodec<Of<'torrent'>> = { write: writeTorrent, read: readTorrent }

const codecs: { readonly [K in RecordKind]: ContentCodec<Of<K>> } = {
  channel,
  torrent,
  playlist,
  entry,
  edit,
  deletion,
  grant,
  comment,
}

/** Kinds in the order of their numbers in encodings, from 1. */
export const RECORD_KINDS: readonly RecordKind[] = [
  'channel',
  'torrent',
  'playlist',
  'entry',
  'edit',
  'deletion',
  'grant',
  'comment',
]

/** Writes `content`. Throws RangeError for numbers that do not fit. */
export function writeContent<K extends RecordKind>(content: Of<K>, to: OverlayWriter): void {
  codecs[content.kind].write(content, to)
}

/** Reads content of `kind`. Throws DecodeError. */
export function readContent(kind: RecordKind, from: OverlayReader): RecordContent {
  return codecs[kind].read(from)
}
