// The systemd unit: no fault found by systemd-analyze, little exposed, and the node says to the socket of Type=notify
// when it is ready and when it stops.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeTestFolder, type TestFolder } from '../kit/content/content-on-disk.ts'
import { type DaemonProcess, startDaemon } from '../kit/nodes/daemon-process.ts'
import { startNode } from '../kit/nodes/node-process.ts'
import { projectRoot } from '../kit/project-root.ts'
import { needs, PYTHON } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const UNIT = join(projectRoot, 'src/deploy/tributary.service')
/** As systemd-analyze counts: 0 nothing, 10 everything. */
const MAX_EXPOSURE = 3

let folder: TestFolder
before(async () => {
  folder = await makeTestFolder()
})
after(() => folder.remove())

describe('the unit', { skip: needs('systemd-analyze') }, () => {
  const analyze = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
    assert.equal(status, 0, `${stdout}${stderr}`)
    return `${stdout}${stderr}`
  }

  test('has no fault', async () => {
    // The program is where the Debian package puts it, but for this machine, which may not have it.
    const text = await readFile(UNIT, 'utf8')
    const here = join(folder.path, 'tributary.service')
    await writeFile(here, text.replaceAll('/usr/bin/tributary', process.execPath))
    assert.equal(analyze('verify', here), '')
    assert.match(text, /^Type=notify$/m)
    assert.doesNotMatch(text, /\.socket/)
  })

  test('opens little of the machine', () => {
    const said = analyze('security', '--offline=true', '--no-pager', UNIT)
    const exposure = Number(/Overall exposure level for \S+: ([0-9.]+)/.exec(said)?.[1])
    assert.ok(exposure <= MAX_EXPOSURE, said)
  })
})

describe('the service manager', () => {
  let manager: DaemonProcess
  let socket = ''
  const told = (): string[] =>
    manager
      .output()
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as string)
  const lines = (start: string): string[] =>
    told().flatMap(text => text.split('\n').filter(line => line.startsWith(start)))

  const listen = async (): Promise<void> => {
    socket = join(folder.path, `notify-${process.hrtime.bigint()}`)
    manager = startDaemon(PYTHON, [join(projectRoot, 'test/kit/nodes/notify-socket.py'), socket])
    await waitFor('the socket', () => (manager.assertRunning(), manager.output().includes('listening')))
  }

  test('hears READY=1 when the node is STARTED, and STOPPING=1 when it stops', {
    skip: needs('systemd-notify', 'python3'),
  }, async () => {
    await listen()
    const node = await startNode({ env: { NOTIFY_SOCKET: socket } })
    try {
      await waitFor('READY=1', () => lines('READY=1').length > 0)
      assert.match(lines('STATUS=').join(), /^STATUS=tributary [0-9.]+ runs$/)
      assert.equal((await node.get<{ state: string }>('/state')).state, 'STARTED')
      assert.deepEqual(lines('STOPPING'), [])
      assert.equal((await node.stop()).code, 0)
      await waitFor('STOPPING=1', () => lines('STOPPING=1').length > 0)
      assert.deepEqual(lines('READY'), ['READY=1'])
    } finally {
      await node.stop()
      await manager.stop()
    }
  })

  test('that cannot be told, or does not listen, holds up nothing', { skip: needs('python3') }, async () => {
    const bin = await folder.sub('bin')
    const silent = join(bin, 'systemd-notify')
    // Neither its standard output nor its end tells anything.
    await writeFile(silent, '#!/bin/sh\nexec tail -f /dev/null\n')
    await chmod(silent, 0o755)
    for (const path of [`${bin}:/usr/bin:/bin`, '/nowhere']) {
      const node = await startNode({ env: { NOTIFY_SOCKET: join(folder.path, 'nobody'), PATH: path } })
      const { code, stderr } = await node.stop()
      assert.equal(code, 0, stderr)
      assert.match(stderr, /the service manager was not told/)
    }
  })

  test('is not looked for where there is none', async () => {
    // A program of that name would leave a trace.
    const bin = await folder.sub('trace')
    await mkdir(bin, { recursive: true })
    await writeFile(join(bin, 'systemd-notify'), `#!/bin/sh\ntouch ${join(bin, 'called')}\n`)
    await chmod(join(bin, 'systemd-notify'), 0o755)
    const node = await startNode({ env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` } })
    assert.equal((await node.stop()).code, 0)
    await assert.rejects(readFile(join(bin, 'called')), /ENOENT/)
  })
})
