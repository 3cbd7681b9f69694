// Torrents made and read by Debian's libtorrent, in a Python process each (libtorrent-create.py).

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../project-root.ts'
import { PYTHON } from '../requirements.ts'

const run = promisify(execFile)

/** What libtorrent says of a torrent. */
export interface LibtorrentInfo {
  readonly v1: string | null
  readonly v2: string | null
  readonly name: string
  readonly piece_length: number
  readonly pieces: number
  readonly files: readonly (readonly [path: string, size: number, padding: boolean])[]
  readonly tiers: readonly (readonly string[])[]
  readonly web_seeds: readonly string[]
  readonly private: boolean
  readonly comment: string
  readonly creator: string
}

/** What is made; `files` below `parent`. */
export interface LibtorrentMake {
  readonly parent: string
  readonly files: readonly string[]
  readonly format: 'v1' | 'v2' | 'hybrid'
  /** 0 = libtorrent chooses. */
  readonly piece_length: number
  readonly out: string
  readonly private?: boolean
  readonly tiers?: readonly (readonly string[])[]
  readonly web_seeds?: readonly string[]
  readonly comment?: string
  readonly creator?: string
}

async function ask(command: object): Promise<LibtorrentInfo> {
  const script = join(projectRoot, 'test/kit/peers/libtorrent-create.py')
  const { stdout } = await run(PYTHON, [script, JSON.stringify(command)])
  return JSON.parse(stdout) as LibtorrentInfo
}

/** Makes a torrent; what it reads as. */
export function libtorrentMake(what: LibtorrentMake): Promise<LibtorrentInfo> {
  return ask({ op: 'make', ...what })
}

/** Reads a torrent file. Rejects when libtorrent refuses it. */
export function libtorrentRead(torrent: string): Promise<LibtorrentInfo> {
  return ask({ op: 'read', torrent })
}
