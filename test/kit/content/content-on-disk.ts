// A made torrent on disk: its content in a folder, its metainfo in a file, and a byte for byte comparison of a
// download.

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import { dirname, join } from 'node:path'
import type { MadeTorrent } from './make-torrent.ts'

/** A temporary folder of one test. */
export interface TestFolder {
  readonly path: string
  /** A folder below it, made when missing. */
  sub(name: string): Promise<string>
  remove(): Promise<void>
}

/** Makes a temporary folder. */
export async function makeTestFolder(): Promise<TestFolder> {
  const path = await mkdtemp(join(os.tmpdir(), 'tributary-test-'))
  return {
    path,
    async sub(name) {
      await mkdir(join(path, name), { recursive: true })
      return join(path, name)
    },
    remove: () => rm(path, { recursive: true, force: true }),
  }
}

/** Path of a file of a torrent below its destination: multi-file torrents have a folder of their own. */
function fileBelow(made: MadeTorrent, destination: string, path: string, name: string): string {
  return made.files.length === 1 ? join(destination, path) : join(destination, name, path)
}

/** Writes the content below `destination`, as a finished download of the torrent `name` would lie there. */
export async function writeContent(made: MadeTorrent, destination: string, name: string): Promise<void> {
  for (const file of made.files) {
    if (file.padding) continue
    const target = fileBelow(made, destination, file.path, name)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, file.content)
  }
}

/** Writes the metainfo; answers its path. */
export async function writeTorrent(made: MadeTorrent, folder: string): Promise<string> {
  const path = join(folder, `${made.infoHash}.torrent`)
  await writeFile(path, made.torrent)
  return path
}

/** SHA-256 of a file in hexadecimal. */
async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/**
 * Names of the torrent's files that differ below `destination` from what they should be; [] when all are identical.
 * `emptyOptional`: files of no bytes may be absent.
 */
export async function differences(
  made: MadeTorrent,
  destination: string,
  name: string,
  emptyOptional = false,
): Promise<string[]> {
  const wrong: string[] = []
  for (const file of made.files) {
    if (file.padding || (emptyOptional && file.content.length === 0)) continue
    const path = fileBelow(made, destination, file.path, name)
    const size = await stat(path).then(
      facts => facts.size,
      () => -1,
    )
    const expected = createHash('sha256').update(file.content).digest('hex')
    if (size !== file.content.length || (await fileDigest(path)) !== expected)
      wrong.push(`${file.path} (${size} bytes)`)
  }
  return wrong
}
