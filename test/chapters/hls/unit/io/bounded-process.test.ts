// Programs that do not do as they should: what hangs, writes without end, stays, or leaves others behind is killed, and
// a program sees neither the environment nor files, nor, inside its fence, a network.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { BoundedProcesses, type ProgramStart } from '../../../../../src/chapters/hls/io/bounded-process.ts'
import { FfmpegConverter } from '../../../../../src/chapters/hls/io/ffmpeg-converter.ts'
import { fencedProgram } from '../../../../../src/chapters/hls/io/ffmpeg-fence.ts'
import { checkFfmpeg } from '../../../../../src/chapters/hls/wiring/hls-doctor.ts'
import { SystemClock } from '../../../../../src/io/clock.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { needs } from '../../../../kit/requirements.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'
import { waitFor } from '../../../../kit/wait-for.ts'
import { ffmpegPath } from '../../kit/converted-films.ts'

const clock = new SystemClock()
const never = new AbortController().signal
const LIMITS = { wallMs: 10_000, cpuSeconds: 10, memoryKib: 524_288 }

describe('a program that is run once', () => {
  let folder: string
  const processes = new BoundedProcesses()
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-program-'))
  })
  after(async () => {
    await processes.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** A program of a shell's lines, which says of itself that it is ffmpeg. */
  async function program(name: string, ...lines: string[]): Promise<string> {
    const path = join(folder, name)
    const asked =
      'case "$*" in *-version) echo "ffmpeg version 9.9"; exit 0;; *-encoders) echo " A..... aac  AAC"; exit 0;; esac'
    await writeFile(path, ['#!/bin/sh', asked, ...lines, ''].join('\n'))
    await chmod(path, 0o755)
    return path
  }
  const run = (
    script: string,
    more: { wallMs?: number; maxOutputBytes?: number; said?: string[] } = {},
    signal = never,
  ): Promise<Uint8Array> => {
    const { wallMs = 10_000, maxOutputBytes = 3_500_000, said = [] } = more
    const command = ['/bin/sh', '-c', script]
    const failed = (text: string): void => void said.push(text)
    return processes.run({ clock, command, input: Buffer.from('in'), wallMs, maxOutputBytes, failed }, signal)
  }
  /** Starts what `changed` makes of the arguments; null: there is no room for it. */
  const startOf =
    (changed: (args: readonly string[]) => readonly string[] | null, asked: string[][] = []): ProgramStart =>
    (path, args) => {
      asked.push([...args])
      const now = changed(args)
      if (now === null) throw new Error('spawn EAGAIN')
      return spawn(path, now, { env: {}, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    }
  const isGone = (pid: number): boolean => {
    try {
      process.kill(pid, 0)
      return false
    } catch {
      return true
    }
  }
  const pidIn = (name: string): Promise<number> =>
    waitFor('it has begun', async () => {
      const text = await readFile(join(folder, name), 'utf8').catch(() => '')
      return text.endsWith('\n') ? Number(text) : null
    })

  test('is given bytes and gives bytes, and has no environment', async () => {
    assert.equal(Buffer.from(await run('cat')).toString(), 'in')
    const shown = Buffer.from(await run('export -p; pwd')).toString()
    assert.doesNotMatch(shown, /HOME|USER|TRIBUTARY|NODE/)
    assert.match(shown, /^\/$/m)
  })

  test('what hangs is killed with all that it has started', async () => {
    await assert.rejects(run(`sleep 1000 & echo $! > ${folder}/hangs; wait`, { wallMs: 300 }), /takes too long/)
    const pid = await pidIn('hangs')
    await waitFor('what it has started is gone', () => isGone(pid))
    await waitFor('none runs', () => processes.running === 0)
  })

  test('what is too late is told once, and not again when it has ended', async () => {
    const closed: Promise<unknown>[] = []
    const late = new BoundedProcesses((path, args) => {
      const child = spawn(path, args, { env: {}, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
      closed.push(once(child, 'close'))
      return child
    })
    const said: string[] = []
    const options = { clock, command: ['/bin/sh', '-c', 'sleep 1000'], input: Buffer.from('in'), wallMs: 100 }
    const failed = (text: string): void => void said.push(text)
    await assert.rejects(late.run({ ...options, maxOutputBytes: 10, failed }, never), { kind: 'late' })
    await Promise.all(closed)
    assert.equal(said.length, 1)
  })

  test('what is not wanted any more is killed at once', async () => {
    const controller = new AbortController()
    const running = run(`echo $$ > ${folder}/unwanted; while :; do :; done`, {}, controller.signal)
    const pid = await pidIn('unwanted')
    const since = performance.now()
    controller.abort()
    await assert.rejects(running, { code: 'Aborted' })
    await waitFor('it is gone', () => isGone(pid))
    assert.ok(performance.now() - since < 100, `${performance.now() - since} ms`)
    await assert.rejects(run('true', {}, controller.signal), { code: 'Aborted' })
  })

  test('what writes without end is stopped, on both its ways', async () => {
    await assert.rejects(run('exec yes', { maxOutputBytes: 100_000 }), /too much comes/)
    const said: string[] = []
    await assert.rejects(run('(yes no | head -c 10000000) >&2; exit 3', { said }), /refuses/)
    assert.deepEqual([said.length, said[0]?.length], [1, 2048])
  })

  test('what it writes lies in memory that threads share, which is posted without a copy', async () => {
    const much = await run('head -c 3000000 /dev/zero; echo end')
    assert.equal(much.length, 3_000_004)
    assert.equal(Buffer.from(much.subarray(-4)).toString(), 'end\n')
    assert.ok(much.buffer instanceof SharedArrayBuffer)
    assert.equal(structuredClone(much).buffer instanceof SharedArrayBuffer, true)
  })

  test('why it failed is told by kind, never in its own words', async () => {
    await assert.rejects(run('echo secret >&2; exit 1'), { message: 'the program refuses it' })
    await assert.rejects(run('kill -SEGV $$'), { message: 'the program broke down' })
  })

  test('a system without room for it is said to be busy, and nothing happens later', async () => {
    const time = new VirtualClock()
    // As spawn() without descriptors: no streams, then an error; and without memory.
    const without = Object.assign(new EventEmitter(), { pid: undefined, stdin: undefined })
    const starts: readonly (() => never)[] = [
      () => without as never,
      () => {
        throw new Error('spawn ENOMEM')
      },
    ]
    for (const start of starts) {
      const none = new BoundedProcesses(start)
      const options = { clock: time, command: ['/bin/true'], input: Buffer.from('in'), wallMs: 1000 }
      await assert.rejects(none.run({ ...options, maxOutputBytes: 10 }, never), { kind: 'busy', message: /started/ })
      assert.deepEqual([none.running, time.pending], [0, 0])
    }
    without.emit('error', new Error('spawn EMFILE'))
    await time.advance(60_000)
  })

  test('what the system kills is no fault of the film; what its limit ends is', async () => {
    await assert.rejects(run('kill -KILL $$'), { kind: 'busy' })
    for (const limited of ['kill -XCPU $$', `exit ${128 + constants.signals.SIGXCPU}`, 'exit 255'])
      await assert.rejects(run(limited), { kind: 'refused', message: /too much of the processor/ })
    await assert.rejects(run(`exit ${128 + constants.signals.SIGKILL}`), { kind: 'busy' })
  })

  test('none begins behind the end', async () => {
    const ended = new BoundedProcesses()
    await ended.stop()
    const options = { clock, command: ['/bin/true'], input: new Uint8Array(0), wallMs: 1000, maxOutputBytes: 10 }
    await assert.rejects(ended.run(options, never), { code: 'Aborted' })
  })

  test('the fence does not fall away because the program fails, and it is looked at again', async () => {
    const time = new VirtualClock()
    const path = await program('fails')
    // It fails once, as one for which there is no memory at that moment.
    await writeFile(path, `#!/bin/sh\nexit 1\n`)
    const converter = new FfmpegConverter({ path, clock: time, log: silentLog })
    assert.equal((await converter.abilities()).sound, false)
    const whole = await fencedProgram(await program('whole'), processes, clock)
    await program('fails')
    assert.equal((await converter.abilities()).sound, false, 'not at once')
    await time.advance(60_000)
    assert.equal((await converter.abilities()).sound, true)
    await converter.stop()
    const again = await fencedProgram(path, processes, clock)
    assert.ok(typeof whole !== 'string' && typeof again !== 'string')
    assert.equal(again.hasOwnNetwork, whole.hasOwnNetwork)
  })

  test('a program whose look finds no room is looked at again, and rejects nobody', async () => {
    const stopped = new BoundedProcesses(() => {
      throw new Error('spawn EAGAIN')
    })
    const why = await fencedProgram(await program('there'), stopped, clock)
    assert.match(typeof why === 'string' ? why : '', /cannot be started/)
    await stopped.stop()
    assert.equal(typeof (await fencedProgram(await program('there'), stopped, clock)), 'string')
  })

  test('no room for a moment takes nothing of the fence away', async () => {
    const path = await program('roomless')
    const roomless = new BoundedProcesses(startOf(args => (args.includes('--net') ? null : args)))
    const why = await fencedProgram(path, roomless, clock)
    assert.match(typeof why === 'string' ? why : 'it runs without its network', /cannot be started/)
    await roomless.stop()
  })

  test('a fence that is less than whole is looked at again', async () => {
    const time = new VirtualClock()
    const path = await program('lessened', 'cat')
    let lets = false
    const asked: string[][] = []
    const start = startOf(args => (args.includes('--net') && !lets ? ['-c', 'exit 1'] : args), asked)
    const converter = new FfmpegConverter({
      path,
      clock: time,
      log: silentLog,
      processes: new BoundedProcesses(start),
    })
    const isApart = async (): Promise<boolean> => {
      await converter.convert([], Buffer.from('in'), LIMITS, never)
      return asked.at(-1)?.includes('--net') ?? false
    }
    assert.equal(await isApart(), false)
    lets = true
    assert.equal(await isApart(), false, 'not at once')
    await time.advance(60_000)
    const whole = await fencedProgram(path, processes, clock)
    assert.equal(await isApart(), typeof whole !== 'string' && whole.hasOwnNetwork)
    await converter.stop()
  })

  test('what does not read what it is given does no harm', async () => {
    const input = new Uint8Array(5_000_000)
    const command = ['/bin/sh', '-c', 'exec true']
    assert.equal((await processes.run({ clock, command, input, wallMs: 5000, maxOutputBytes: 10 }, never)).length, 0)
  })

  test('the fence: no file is written, memory and processor are bounded, and there is no network', async () => {
    const server = createServer(socket => socket.destroy())
    let calls = 0
    server.on('connection', () => (calls += 1))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const call = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}' && echo called`
    const fenced = await fencedProgram(await program('inside', 'eval "$1"'), processes, clock)
    assert.ok(typeof fenced !== 'string', typeof fenced === 'string' ? fenced : '')
    const inside = async (script: string): Promise<string> => {
      const command = fenced.command([script], { cpuSeconds: 1, memoryKib: 524_288 })
      const options = {
        clock,
        command,
        input: new Uint8Array(0),
        wallMs: 60_000,
        cpuSeconds: 1,
        maxOutputBytes: 1_000_000,
      }
      return Buffer.from(await processes.run(options, never)).toString()
    }
    try {
      assert.equal(Buffer.from(await run(call)).toString(), 'called\n', 'without the fence it is reached')
      if (fenced.hasOwnNetwork) await assert.rejects(inside(call))
      assert.equal(calls, 1)
      await assert.rejects(inside(`echo much > ${folder}/written`))
      assert.equal(await readFile(join(folder, 'written'), 'utf8').catch(() => ''), '')
      assert.match(await inside('ulimit -v; ulimit -n; ulimit -c'), /^524288\n64\n0\n$/)
      assert.equal(await inside('cat /proc/self/oom_score_adj'), '1000\n', 'the first to go without memory')
      assert.match(await inside('grep NoNewPrivs /proc/self/status'), /1/, 'and it gains no rights')
      if (fenced.hasOwnNetwork) assert.equal(await inside('echo $PPID'), '1\n', 'it has processes of its own')
      await assert.rejects(inside('while :; do :; done'), /too much of the processor/)
    } finally {
      server.close()
    }
  })

  test('a program that is missing, is no program, or hangs, is told by the doctor, and converts nothing', async () => {
    const silent = await program('other', 'exit 0')
    await writeFile(silent, '#!/bin/sh\necho hello\n')
    const plain = join(folder, 'plain')
    await writeFile(plain, 'no program')
    for (const [path, why] of [
      [join(folder, 'nothing'), /does not exist/],
      [plain, /is not executable/],
      [folder, /is no file/],
      [silent, /is not ffmpeg/],
    ] as const) {
      const [finding] = await checkFfmpeg(path)
      assert.equal(finding?.state, 'warning')
      assert.match(finding?.text ?? '', why)
      const converter = new FfmpegConverter({ path, clock, log: silentLog })
      const { sound, picture, without } = await converter.abilities()
      assert.deepEqual([sound, picture], [false, false])
      assert.match(without, /tributary doctor/)
      await assert.rejects(converter.convert([], new Uint8Array(0), LIMITS, never), /cannot be used/)
      await converter.stop()
    }
    assert.equal((await checkFfmpeg(''))[0]?.state, 'ok')
  })

  test('a node that stops ends what is converted', async () => {
    const path = await program('slow', 'sleep 1000')
    const converter = new FfmpegConverter({ path, clock, log: silentLog })
    assert.equal((await converter.abilities()).sound, true)
    const running = converter.convert([], new Uint8Array(0), LIMITS, never)
    const ended = assert.rejects(running)
    await waitFor('it runs', () => converter.running === 1)
    await converter.stop()
    await ended
    assert.equal(converter.running, 0)
  })

  test('what a killed node has started does not outlive it', { skip: needs('setpriv') }, async () => {
    const path = await program('orphan', 'exec sleep 54321')
    const from = (name: string): string => new URL(`../../../../../src/${name}.js`, import.meta.url).href
    const lines = [
      `const { FfmpegConverter } = await import('${from('chapters/hls/io/ffmpeg-converter')}')`,
      `const { SystemClock } = await import('${from('io/clock')}')`,
      `const log = { debug() {}, warn() {} }`,
      `const converter = new FfmpegConverter({ path: '${path}', clock: new SystemClock(), log })`,
      `const limits = { wallMs: 600_000, cpuSeconds: 10, memoryKib: 524_288 }`,
      `await converter.convert([], Buffer.from('in'), limits, new AbortController().signal)`,
    ]
    const node = spawn(process.execPath, ['--input-type=module', '-e', lines.join('\n')], { stdio: 'ignore' })
    const stays = async (): Promise<boolean> => (await wordsOfProcesses()).some(words => words.includes('54321'))
    try {
      await waitFor('it has begun', stays, 30_000)
    } finally {
      node.kill('SIGKILL')
    }
    await waitFor('it is gone', async () => !(await stays()))
  })

  test('the doctor says which ffmpeg it is, and what is round it', { skip: needs('ffmpeg') }, async () => {
    const [finding] = await checkFfmpeg(ffmpegPath())
    assert.match(
      finding?.text ?? '',
      /ffmpeg \(version \d.*\) converts films, as this command runs it with limits .* network .* its log says so/,
    )
  })
})

/** The words that each process of the system was started with. */
async function wordsOfProcesses(): Promise<string[][]> {
  const numbers = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const lines = await Promise.all(numbers.map(number => readFile(`/proc/${number}/cmdline`, 'latin1').catch(() => '')))
  return lines.map(line => line.split('\0'))
}
