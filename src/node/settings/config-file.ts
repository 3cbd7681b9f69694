// The configuration file: YAML whose comments and unknown keys survive every change. It knows text and nodes, not what
// the options mean. Invariant: on disk there is always a whole file, old or new, readable only by its owner.

import { constants } from 'node:fs'
import { chmod, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError, errorText } from '../../base/errors.ts'
import { type FileEntry, plainEntries } from './plain-config.ts'
import { type Document, isMap, isNode, LineCounter, parseDocument } from './yaml.ts'

/** Name of the file in the state directory. */
const CONFIG_FILE_NAME = 'tributary.yaml'

/** A configuration of this size is a mistake; reading it whole would be another. */
const MAX_CONFIG_BYTES = 1024 * 1024

const HEADER = ` Settings of this Tributary node. Comments and the order of lines are kept when the node writes here.
 Lines look like
   libtorrent:
     max_upload_rate: 500000
 The README lists every option.
`

interface Parsed {
  readonly document: Document
  readonly lines: LineCounter
}

/** One open configuration file. Methods are not to be called at the same time (the settings store queues them). */
export class ConfigFile {
  readonly path: string
  /** Null when it is forgotten; its options alone where there is no file, or a plain one. */
  #parsed: Parsed | readonly FileEntry[] | null
  #forgetful = false

  private constructor(path: string, text: string | null) {
    this.path = path
    this.#parsed = text === null ? [] : (plainEntries(text) ?? parseConfig(path, text))
  }

  /**
   * Reads the file at `path`; one that does not exist counts as empty and is made by the first write().
   * Closes it to other users, unless told not to. AppError BadConfiguration names the line of what cannot be read.
   */
  static async open(path: string, close = true): Promise<ConfigFile> {
    // A link to a file elsewhere stays a link: the file it leads to is the one replaced.
    const target = await realpath(path).catch(() => path)
    const text = await readConfig(target)
    const file = new ConfigFile(target, text)
    if (text !== null && close && ((await stat(target)).mode & 0o077) !== 0)
      await chmod(target, 0o600).catch(() => undefined)
    return file
  }

  /** Every option of every section, in file order. AppError BadConfiguration when a section is not a map. */
  entries(): FileEntry[] {
    if (this.#parsed === null) throw new Error('the configuration file was forgotten')
    if (!('document' in this.#parsed)) return [...this.#parsed]
    const { document, lines } = this.#parsed
    const lineOf = (node: unknown): number => (isNode(node) && node.range ? lines.linePos(node.range[0]).line : 1)
    const root = document.contents
    if (root === null || !isMap(root)) return []
    const entries: FileEntry[] = []
    for (const section of root.items) {
      if (section.value === null || (isNode(section.value) && section.value.toJSON() === null)) continue
      if (!isMap(section.value)) {
        throw new AppError(
          'BadConfiguration',
          `${this.path}, line ${lineOf(section.key)}: section ${String(section.key)} must hold options.`,
        )
      }
      for (const pair of section.value.items) {
        entries.push({
          section: String(section.key),
          option: String(pair.key),
          value: this.#valueOf(document, pair.value, lineOf),
          line: lineOf(pair.key),
        })
      }
    }
    return entries
  }

  /** Keeps nothing of what the file holds in memory from now on: the key is in it. Then entries() throws. */
  forget(): void {
    this.#forgetful = true
    this.#parsed = null
  }

  /**
   * Sets options and replaces the file; durable when settled. Edits that others made meanwhile are kept. AppErrors:
   * BadConfiguration (those edits cannot be read), DiskFull, DiskError.
   */
  async write(changes: readonly (readonly [section: string, option: string, value: unknown])[]): Promise<void> {
    const present = (await readConfig(this.path)) ?? ''
    const base = parseConfig(this.path, present).document
    if (base.contents === null || !isMap(base.contents)) {
      base.contents = base.createNode({}) as Document['contents']
      if (base.commentBefore === null) base.commentBefore = HEADER
    }
    for (const [section, option, value] of changes) {
      if (!isMap(base.get(section, true))) base.set(section, base.createNode({}))
      base.setIn([section, option], value)
    }
    const text = base.toString()
    await replaceFile(this.path, text)
    this.#parsed = this.#forgetful ? null : parseConfig(this.path, text)
  }

  #valueOf(document: Document, node: unknown, lineOf: (node: unknown) => number): unknown {
    if (!isNode(node)) return node
    try {
      return node.toJS(document, { maxAliasCount: 100 })
    } catch (error) {
      throw new AppError('BadConfiguration', `${this.path}, line ${lineOf(node)}: ${errorText(error)}.`)
    }
  }
}

/** Writes a whole new file beside `path` and puts it in its place: readers see the old or the new one, never a part. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`
  try {
    await rm(temporary, { force: true })
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
    const file = await open(temporary, flags, 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
    await syncDirectory(dirname(path))
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    const code = (error as NodeJS.ErrnoException).code === 'ENOSPC' ? 'DiskFull' : 'DiskError'
    throw new AppError(code, `${path} cannot be written: ${errorText(error)}`, { cause: error })
  }
}

/** Path of the configuration file of a state directory. */
export function configPath(stateDir: string): string {
  return join(stateDir, CONFIG_FILE_NAME)
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY)
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

async function readConfig(path: string): Promise<string | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const facts = await file.stat()
      if (!facts.isFile()) throw new Error('it is not a file')
      if (facts.size > MAX_CONFIG_BYTES) throw new Error(`it is larger than ${MAX_CONFIG_BYTES} bytes`)
      return await file.readFile('utf8')
    } finally {
      await file.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new AppError('BadConfiguration', `${path} cannot be read: ${errorText(error)}`, { cause: error })
  }
}

function parseConfig(path: string, text: string): Parsed {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false }) as unknown as Document
  const error = document.errors[0]
  if (error !== undefined) {
    const line = lines.linePos(error.pos[0]).line
    throw new AppError('BadConfiguration', `${path}, line ${line}: ${error.message}.`)
  }
  const root = document.contents
  if (root !== null && !isMap(root) && root.toJSON() !== null) {
    throw new AppError('BadConfiguration', `${path}, line 1: the file must hold sections with options.`)
  }
  return { document, lines }
}
