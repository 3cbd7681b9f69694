// Debian's libtorrent as a DHT node that puts and gets mutable items: a small program (libtorrent-items.cpp), compiled
// at the first use and kept beside the built tests, and spoken to in lines.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { projectRoot } from '../project-root.ts'
import { waitFor } from '../wait-for.ts'

const SOURCE = join(projectRoot, 'test/kit/peers/libtorrent-items.cpp')
const PROGRAM = join(projectRoot, 'dist/test/kit/libtorrent-items')

function compiled(): string {
  if (existsSync(PROGRAM) && statSync(PROGRAM).mtimeMs > statSync(SOURCE).mtimeMs) return PROGRAM
  const made = `${PROGRAM}.${process.pid}`
  execFileSync('g++', ['-std=c++17', '-O0', SOURCE, '-o', made, '-ltorrent-rasterbar', '-lpthread'])
  renameSync(made, PROGRAM)
  return PROGRAM
}

/** An item as libtorrent found it. */
export interface ReadItem {
  readonly seq: number
  /** 40 hexadecimal digits. */
  readonly infoHash: string
}

/** One session. Keys, seeds and salts are hexadecimal. */
export class LibtorrentItems {
  readonly ip: string
  port = 0
  readonly #child: ChildProcess
  readonly #answers: ((line: string) => void)[] = []

  private constructor(ip: string) {
    this.ip = ip
    this.#child = spawn(compiled(), [ip], { stdio: ['pipe', 'pipe', 'inherit'] })
    const lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream })
    lines.on('line', line => this.#answers.shift()?.(line))
    this.#child.on('exit', () => {
      for (const answer of this.#answers.splice(0)) answer('error ended')
    })
  }

  /** A session at `ip`, which knows `others`. */
  static async start(ip: string, others: readonly LibtorrentItems[] = []): Promise<LibtorrentItems> {
    const items = new LibtorrentItems(ip)
    items.port = Number(await items.#ask('port'))
    for (const other of others) await items.#ask(`node ${other.ip} ${other.port}`)
    return items
  }

  /** Waits until its routing table has `count` nodes. */
  async knows(count: number): Promise<void> {
    let last = 0
    const look = async () => (last = Number(await this.#ask('nodes'))) >= count
    await waitFor('libtorrent knows DHT nodes', look, 30_000, () => last)
  }

  publicKey(seed: string): Promise<string> {
    return this.#ask(`keys ${seed}`)
  }

  /** Puts `{ih}` with the next sequence number: that number, and how many nodes took it. */
  async put(seed: string, salt: string, infoHash: string): Promise<{ seq: number; stored: number }> {
    return putAnswer(await this.#ask(`put ${seed} ${salt || '-'} ${infoHash}`))
  }

  /** The same with a plain text as value. */
  async putText(seed: string, salt: string, text: string): Promise<{ seq: number; stored: number }> {
    return putAnswer(await this.#ask(`putstring ${seed} ${salt || '-'} ${text}`))
  }

  /** The newest item; null when nobody has one. */
  async get(key: string, salt: string): Promise<ReadItem | null> {
    const answer = await this.#ask(`get ${key} ${salt || '-'}`)
    if (answer === 'none') return null
    const [seq, infoHash = ''] = answer.split(' ')
    return { seq: Number(seq), infoHash }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }

  async #ask(line: string): Promise<string> {
    const answered = new Promise<string>(resolve => this.#answers.push(resolve))
    this.#child.stdin?.write(`${line}\n`)
    const answer = await answered
    if (answer.startsWith('error')) throw new Error(`libtorrent ${line}: ${answer}`)
    return answer
  }
}

function putAnswer(line: string): { seq: number; stored: number } {
  const [seq, stored] = line.split(' ').map(Number)
  return { seq: seq ?? -1, stored: stored ?? -1 }
}
