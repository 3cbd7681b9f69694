// The container image, built by buildah, and the Debian package, each upon a Debian that mmdebstrap makes: they are
// made, put in place, started as users of their own, answer /healthz, and stop when asked to.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { makeTestFolder, type TestFolder } from '../kit/content/content-on-disk.ts'
import type { DaemonProcess } from '../kit/nodes/daemon-process.ts'
import { ImageStore } from './container-images.ts'
import { copyNode, makeDebianRoot, runBeside, startWithin, type Within } from './debian-root.ts'
import { packProject } from '../kit/nodes/npm-package.ts'
import { projectRoot } from '../kit/project-root.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const run = promisify(execFile)
const MIB = 1024 * 1024
const DEPLOY = join(projectRoot, 'src/deploy')
const HEALTHZ = "fetch('http://127.0.0.1:52194/healthz').then(async a => console.log(a.status, await a.text()))"

/** The commands answer at once, /healthz says that it is well, and SIGTERM ends the node with 0. */
async function livesAndStops(daemon: DaemonProcess, within: Within, health: readonly string[]): Promise<void> {
  const pid = daemon.child.pid ?? 0
  await waitFor(
    'the node',
    () => (daemon.assertRunning(), daemon.output().includes('\nReady.\n')),
    60_000,
    daemon.output,
  )
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  assert.match(status, new RegExp(`^Uid:\\s+${within.user.split(':')[0]}\\s`, 'm'))
  assert.match(status, /^Name:\s+node$/m)
  assert.match(await runBeside(pid, within, ['node', '-e', HEALTHZ]), /^200 /)
  await runBeside(pid, within, health)
  daemon.child.kill('SIGTERM')
  if (daemon.child.exitCode === null) await once(daemon.child, 'exit')
  assert.equal(daemon.child.exitCode, 0, daemon.output())
}

/** sodium-native loads from these modules, and lies there once: for this machine. */
async function hasSodium(modules: string): Promise<void> {
  const sodium = join(modules, 'sodium-native')
  const script = `process.stdout.write(String(require(${JSON.stringify(sodium)}).crypto_sign_BYTES))`
  assert.equal((await run('node', ['-e', script])).stdout, '64')
  const { stdout: found } = await run('find', [modules, '-path', '*sodium-native/prebuilds/*/*', '-printf', '%P\n'])
  assert.equal(found.trim(), `sodium-native/prebuilds/linux-${process.arch}/sodium-native.node`)
  const { stdout: size } = await run('du', [
    '-ksc',
    sodium,
    ...['which-runtime', 'require-addon'].map(n => join(modules, n)),
  ])
  assert.ok(Number.parseInt(size.trim().split('\n').at(-1) ?? '', 10) < 2048, size)
  await assert.rejects(stat(join(modules, 'bare-fs')), /ENOENT/)
}

describe('on a small Debian', {
  skip: needs('mmdebstrap', 'npm-registry', 'real-root', 'mounts'),
  concurrency: 1,
}, () => {
  let folder: TestFolder
  let tarball = ''
  let debian = ''
  before(
    async () => {
      folder = await makeTestFolder()
      debian = join(folder.path, 'debian')
      const [packed] = await Promise.all([packProject(folder.path), makeDebianRoot(debian)])
      tarball = packed
    },
    { timeout: 300_000 },
  )
  after(() => folder.remove())

  describe('the container image', { skip: needs('buildah') }, () => {
    let images: ImageStore
    let root = ''
    before(
      async () => {
        images = await ImageStore.open(await folder.sub('images'))
        const node = await folder.sub('node')
        await copyNode(node, true)
        await images.makeBase('localhost/base', [debian, node])
        const context = await folder.sub('context')
        await cp(tarball, join(context, 'tributary.tgz'))
        await cp(join(projectRoot, 'package-lock.json'), join(context, 'package-lock.json'))
        await images.build('localhost/tributary', join(DEPLOY, 'Dockerfile'), context, 'localhost/base')
        root = await images.mount('localhost/tributary')
      },
      { timeout: 400_000 },
    )
    after(() => images?.close())

    test('runs as a user of its own, with a read-only root', { timeout: 120_000 }, async () => {
      const config = await images.config('localhost/tributary')
      assert.match(config.User, /^[1-9]\d*:[1-9]\d*$/)
      assert.equal(config.StopSignal, 'SIGTERM')
      assert.deepEqual(Object.keys(config.Volumes), ['/var/lib/tributary'])
      const variables = config.Env.map(text => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)])
      const within: Within = {
        root,
        user: config.User,
        env: Object.fromEntries(variables) as Record<string, string>,
        writable: ['/var/lib/tributary', '/dev'],
        command: [...config.Entrypoint, ...config.Cmd],
      }
      const daemon = startWithin(within)
      try {
        const pid = daemon.child.pid ?? 0
        await waitFor('the node', () => (daemon.assertRunning(), daemon.output().includes(' listens at ')), 60_000)
        assert.match(await readFile(`/proc/${pid}/mounts`, 'utf8'), /^\S+ \/ \S+ ro[, ]/m)
        const touch = (path: string): Promise<string> => runBeside(pid, within, ['touch', path])
        await assert.rejects(touch('/tmp/x'), /Read-only file system/)
        await touch('/var/lib/tributary/x')
        const [kind, ...health] = config.Healthcheck.Test
        assert.equal(kind, 'CMD')
        await livesAndStops(daemon, within, health)
        await assert.rejects(runHealthAlone(within, health))
        assert.ok((await stat(join(root, 'var/lib/tributary/tributary.yaml'))).isFile())
      } finally {
        await daemon.stop()
      }
    })

    /** The health check where no node runs. */
    async function runHealthAlone(within: Within, command: readonly string[]): Promise<void> {
      const alone = startWithin({ ...within, command })
      if (alone.child.exitCode === null) await once(alone.child, 'exit')
      assert.equal(alone.child.exitCode, 0)
    }

    test('holds no compiler, no cache, and of the native server one build', async () => {
      const { stdout } = await run('find', [join(root, 'opt/tributary'), '-name', 'uws_*.node', '-printf', '%f\n'])
      assert.equal(stdout.trim(), `uws_linux_${process.arch}_${process.versions.modules}.node`)
      const { stdout: size } = await run('du', ['-sm', join(root, 'opt/tributary')])
      assert.ok(Number.parseInt(size, 10) < 60, size)
      await hasSodium(join(root, 'opt/tributary/node_modules'))
      await assert.rejects(stat(join(root, 'tmp/tributary.tgz')), /ENOENT/)
      await assert.rejects(stat(join(root, 'root/.npm')), /ENOENT/)
    })
  })

  describe('the Debian package', { skip: needs('dpkg-deb') }, () => {
    let root = ''
    let deb = ''
    const dpkg = (...args: string[]): Promise<{ stdout: string }> =>
      run('dpkg', [`--root=${root}`, '--force-not-root', ...args], {
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
      })

    /** What a package `nodejs` of this machine's Node would be. */
    const nodePackage = async (): Promise<string> => {
      const made = await folder.sub('nodejs')
      await copyNode(made, false)
      await mkdir(join(made, 'DEBIAN'))
      const { stdout: arch } = await run('dpkg', ['--print-architecture'])
      const fields = ['Package: nodejs', `Version: ${process.versions.node}`, `Architecture: ${arch.trim()}`]
      await writeFile(
        join(made, 'DEBIAN/control'),
        [...fields, 'Maintainer: a test <nobody@localhost>', 'Description: Node', ''].join('\n'),
      )
      await run('dpkg-deb', ['--root-owner-group', '-Znone', '--build', made, `${made}.deb`])
      return `${made}.deb`
    }

    before(
      async () => {
        const build = [join(DEPLOY, 'deb/build'), tarball, await folder.sub('made')]
        const { stdout } = await run('bash', build, {
          env: { ...process.env, DEB_COMPRESSION: '1' },
          maxBuffer: 64 * MIB,
        })
        deb = stdout.trim()
        root = join(folder.path, 'root')
        await run('cp', ['-a', debian, root])
      },
      { timeout: 280_000 },
    )

    test('holds the program, the unit and a file of options, all owned by root', async () => {
      const { stdout: list } = await run('dpkg-deb', ['--contents', deb], { maxBuffer: 64 * MIB })
      for (const name of [
        'usr/bin/tributary -> ../lib/tributary/dist/src/bundle/tributary.cjs',
        'usr/lib/systemd/system/tributary.service',
        'usr/share/bash-completion/completions/tributary',
        'usr/share/doc/tributary/copyright',
        'usr/share/man/man1/tributary.1.gz',
        'etc/default/tributary',
      ])
        assert.match(list, new RegExp(` \\./${name.replaceAll('.', '\\.')}$`, 'm'))
      for (const line of list.trim().split('\n')) {
        assert.match(line, /^\S+ root\/root /)
        assert.doesNotMatch(line, /^-....w|^-.......w|\/(test|bench)\/|\.map$|\.ts$|[/_](darwin|win32|android)[-_]/)
      }
      const { stdout: info } = await run('dpkg-deb', ['--info', deb])
      assert.match(info, /Depends: nodejs \(>= 2\d[.\d]*\), nodejs \(<< 2\d\), /)
      assert.ok((await stat(deb)).size < 30 * MIB)
    })

    test('is installed, runs as its own user, and is purged without the downloads', { timeout: 180_000 }, async () => {
      await assert.rejects(dpkg('--install', deb), /depends on nodejs/)
      await dpkg('--install', await nodePackage(), deb)
      await hasSodium(join(root, 'usr/lib/tributary/node_modules'))
      const passwd = await readFile(join(root, 'etc/passwd'), 'utf8')
      const [, uid = '', gid = ''] = /^tributary:x:(\d+):(\d+):/m.exec(passwd) ?? []
      assert.ok(Number(uid) > 0 && Number(uid) < 1000, passwd)
      const state = join(root, 'var/lib/tributary')
      assert.equal((await stat(state)).uid, Number(uid))
      const unit = await readFile(join(root, 'usr/lib/systemd/system/tributary.service'), 'utf8')
      const [, start = ''] = /^ExecStart=(.*) \$TRIBUTARY_OPTIONS$/m.exec(unit) ?? []
      const variables =
        /^Environment=(.*)$/m
          .exec(unit)?.[1]
          ?.split(' ')
          .map(text => text.split('=')) ?? []
      const env = { ...(Object.fromEntries(variables) as Record<string, string>), PATH: '/usr/bin:/bin' }
      const within: Within = {
        root,
        user: `${uid}:${gid}`,
        env,
        writable: ['/var/lib/tributary', '/dev'],
        command: start.split(' '),
      }
      const daemon = startWithin(within)
      try {
        await livesAndStops(daemon, within, ['tributary', 'ls'])
      } finally {
        await daemon.stop()
      }
      await mkdir(join(state, 'downloads'), { recursive: true })
      await writeFile(join(state, 'downloads/kept'), 'kept')
      await dpkg('--purge', 'tributary')
      assert.equal(await readFile(join(state, 'downloads/kept'), 'utf8'), 'kept')
      await assert.rejects(stat(join(state, 'tributary.yaml')), /ENOENT/)
      for (const path of ['usr/lib/tributary', 'etc/default/tributary', 'usr/bin/tributary'])
        await assert.rejects(stat(join(root, path)), /ENOENT/, path)
    })
  })
})
