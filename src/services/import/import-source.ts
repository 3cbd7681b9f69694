// One torrent of another client's folder, read: the torrent itself, or the link to one whose metadata never came, and
// what that client knew of it. Nothing is looked up or added.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import type { OtherClient, ResumeFiles } from '../../ports/resume-folder.ts'
import { formatMagnet, parseMagnet } from '../../wire/metainfo/magnet.ts'
import { decodeMetainfoInTurns, encodeMetainfo, swarmHashes } from '../../wire/metainfo/metainfo.ts'
import { type LibtorrentResume, libtorrentState, openLibtorrentResume } from '../../wire/resume/libtorrent-resume.ts'
import type { OtherState, ResumeShape } from '../../wire/resume/other-state.ts'
import { transmissionResume } from '../../wire/resume/transmission-resume.ts'
import { runStepsInTurns } from '../../wire/steps.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'

/** What was read. */
export type ImportSource = {
  readonly infoHash: InfoHash
  readonly name: string
  readonly state: OtherState
} & ({ readonly metainfo: Metainfo; readonly bytes: Uint8Array } | { readonly metainfo: null; readonly magnet: string })

/** Reads it. AppErrors TorrentUnreadable, BadMagnet; DecodeError. */
export function readImport(files: ResumeFiles, client: OtherClient): Promise<ImportSource> {
  return client === 'transmission' ? ofTransmission(files) : ofLibtorrent(files)
}

async function ofTransmission({ torrent, resume, magnet }: ResumeFiles): Promise<ImportSource> {
  if (resume === null)
    throw new AppError('TorrentUnreadable', 'There is no resume file of it: nobody says where its files lie.')
  if (torrent !== null) {
    const metainfo = await decodeMetainfoInTurns(torrent, nextTurn)
    const state = await runStepsInTurns(transmissionResume(resume, shapeOf(metainfo)), nextTurn)
    return { infoHash: metainfo.infoHash, name: metainfo.name, state, metainfo, bytes: torrent }
  }
  if (magnet === null) throw new AppError('TorrentUnreadable', 'There is no torrent file of it.')
  const { infoHash, name } = parseMagnet(magnet)
  const none = { totalLength: 0, pieceLength: 1, pieceCount: 0, fileCount: 0 }
  const state = await runStepsInTurns(transmissionResume(resume, none), nextTurn)
  return { infoHash, name: name ?? infoHash, state, metainfo: null, magnet }
}

async function ofLibtorrent({ torrent, resume }: ResumeFiles): Promise<ImportSource> {
  if (resume === null) throw new AppError('TorrentUnreadable', 'The resume file is gone.')
  const opened = await runStepsInTurns(openLibtorrentResume(resume), nextTurn)
  const bytes = torrent ?? torrentIn(opened)
  if (bytes !== null) {
    const metainfo = await decodeMetainfoInTurns(bytes, nextTurn)
    checkSame(metainfo, opened)
    const state = await runStepsInTurns(libtorrentState(opened, shapeOf(metainfo)), nextTurn)
    return { infoHash: metainfo.infoHash, name: metainfo.name, state, metainfo, bytes }
  }
  const state = await runStepsInTurns(libtorrentState(opened, null), nextTurn)
  const { infoHash, infoHashV2, name } = opened
  const trackers = (state.trackers ?? []).flat()
  const magnet = formatMagnet({ infoHash, infoHashV2, name, trackers, webSeeds: state.webSeeds ?? [] })
  return { infoHash, name: name ?? infoHash, state, metainfo: null, magnet }
}

/** The info dictionary that lies in the resume data itself. */
function torrentIn({ info }: LibtorrentResume): Uint8Array | null {
  return info === null ? null : encodeMetainfo({ infoBytes: info, announceTiers: [] })
}

function checkSame(metainfo: Metainfo, { infoHash, infoHashV2 }: LibtorrentResume): void {
  if (swarmHashes(metainfo).includes(infoHash) || (infoHashV2 !== null && metainfo.v2?.infoHash === infoHashV2)) return
  throw new AppError('TorrentUnreadable', 'The torrent file is that of another torrent than the resume data.')
}

function shapeOf({ totalLength, pieceLength, pieceCount, files }: Metainfo): ResumeShape {
  return { totalLength, pieceLength, pieceCount, fileCount: files.length }
}
