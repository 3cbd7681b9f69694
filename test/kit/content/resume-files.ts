// Folders as other clients keep them, made up: a torrent, its content and resume data that says it is whole.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BencodeInput, encodeBencode } from '../../../src/wire/bencode.ts'
import type { MadeTorrent } from './make-torrent.ts'

/** Resume data of libtorrent for a whole torrent at `folder`; `more` is added or replaces. */
export function libtorrentResumeOf(
  made: MadeTorrent,
  folder: string,
  more: { readonly [key: string]: BencodeInput } = {},
): Uint8Array {
  const pieces = Math.ceil(made.content.length / made.pieceLength)
  return encodeBencode({
    'file-format': 'libtorrent resume file',
    'info-hash': Buffer.from(made.infoHash, 'hex'),
    pieces: new Uint8Array(pieces).fill(1),
    save_path: folder,
    ...more,
  })
}

/** Writes torrent and resume data into `backup` under the info hash, and answers that name. */
export async function putResume(backup: string, made: MadeTorrent, resume: Uint8Array): Promise<string> {
  await mkdir(backup, { recursive: true })
  await writeFile(join(backup, `${made.infoHash}.torrent`), made.torrent)
  await writeFile(join(backup, `${made.infoHash}.fastresume`), resume)
  return made.infoHash
}
