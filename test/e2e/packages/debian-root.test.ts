// The archive, the container image, built by buildah, and the Debian package, each upon a Debian that mmdebstrap makes,
// in which no Node is: they are made, put in place, started as users of their own, answer /healthz, and stop when asked
// to. The Node that they bring is the one that runs this (for what is given away: test/kit/on-node22).

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { makeTestFolder, type TestFolder } from '../../kit/content/content-on-disk.ts'
import type { DaemonProcess } from '../../kit/nodes/daemon-process.ts'
import { ImageStore } from './container-images.ts'
import { makeDebianRoot, runBeside, startWithin, type Within } from './debian-root.ts'
import { packProject } from '../../kit/nodes/npm-package.ts'
import { projectRoot } from '../../kit/project-root.ts'
import { needs } from '../../kit/requirements.ts'
import { waitFor } from '../../kit/wait-for.ts'

const run = promisify(execFile)
const MIB = 1024 * 1024
const DEPLOY = join(projectRoot, 'src/deploy')
/** Packed quickly, for files that nobody keeps. */
const QUICK = { ...process.env, DEB_COMPRESSION: '1', GZIP_LEVEL: '1' }
/** All that the archive needs of a system: glibc, libstdc++, and what its start script calls. */
const BARE = [
  'libc.so.6',
  'libdl.so.2',
  'libm.so.6',
  'libpthread.so.0',
  'librt.so.1',
  'libgcc_s.so.1',
  'libstdc++.so.6',
]
const HEALTHZ = "fetch('http://127.0.0.1:52194/healthz').then(async a => console.log(a.status, await a.text()))"

/** The commands answer at once, /healthz says that it is well, and SIGTERM ends the node with 0. */
async function livesAndStops(
  daemon: DaemonProcess,
  within: Within,
  place: string,
  health: readonly string[],
): Promise<void> {
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
  const running = await readlink(`/proc/${pid}/exe`)
  assert.ok(running.endsWith(`${place}/runtime/node`), running)
  assert.match(await runBeside(pid, within, [`${place}/runtime/node`, '-e', HEALTHZ]), /^200 /)
  const looked = await runBeside(pid, within, [
    'sh',
    '-c',
    'command -v node nodejs npm cc g++ make python3 || echo none',
  ])
  assert.equal(looked, 'none\n')
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
  let archive = ''
  let debian = ''
  before(
    async () => {
      folder = await makeTestFolder()
      debian = join(folder.path, 'debian')
      const made = async (): Promise<void> => {
        const packed = await packProject(folder.path)
        const build = [join(DEPLOY, 'own-node/tarball'), packed, await folder.sub('archive')]
        archive = (await run('bash', build, { env: QUICK, maxBuffer: 64 * MIB })).stdout.trim()
      }
      await Promise.all([made(), makeDebianRoot(debian)])
    },
    { timeout: 300_000 },
  )
  after(() => folder.remove())

  describe('the archive', () => {
    /** A system of a few files: no coreutils, no package, no certificate. */
    async function bareRoot(): Promise<string> {
      const root = await folder.sub('bare')
      const { stdout: libraries } = await run('find', [
        debian,
        '-name',
        'ld-linux*',
        ...BARE.flatMap(n => ['-o', '-name', n]),
      ])
      const programs = ['usr/bin/sh', 'usr/bin/env', 'usr/bin/readlink'].map(path => join(debian, path))
      // Copied as files, whatever the links.
      for (const path of [...libraries.trim().split('\n'), ...programs]) {
        const to = join(root, path.slice(debian.length))
        await run('install', ['-D', '-m', '755', path, to])
      }
      for (const path of ['bin', 'lib', 'lib64']) await symlink(`usr/${path}`, join(root, path))
      for (const path of ['proc', 'dev', 'tmp', 'srv']) await mkdir(join(root, path))
      await run('chown', ['12345:12345', join(root, 'srv')])
      return root
    }

    test('is unpacked and started where nothing else is, through a link', { timeout: 120_000 }, async () => {
      const root = await bareRoot()
      await mkdir(join(root, 'opt'))
      await run('tar', ['-xzf', archive, '-C', join(root, 'opt'), '--no-same-owner'])
      const [name = ''] = await readdir(join(root, 'opt'))
      assert.match(name, new RegExp(`^tributary-[0-9.]+-linux-${process.arch}$`))
      await symlink(`../../opt/${name}/bin/tributary`, join(root, 'usr/bin/tributary'))
      const env = { PATH: '/usr/bin', HOME: '/srv', TRIBUTARY_STATE_DIR: '/srv/state' }
      const within: Within = { root, user: '12345:12345', env, writable: [], command: ['tributary', 'start'] }
      const daemon = startWithin(within)
      try {
        await livesAndStops(daemon, within, `/opt/${name}`, ['tributary', 'ls'])
        assert.doesNotMatch(daemon.output(), /node:crypto/)
      } finally {
        await daemon.stop()
      }
    })
  })

  describe('the container image', { skip: needs('buildah') }, () => {
    let images: ImageStore
    let root = ''
    before(
      async () => {
        images = await ImageStore.open(await folder.sub('images'))
        await images.makeBase('localhost/base', [debian])
        const context = await folder.sub('context')
        await cp(archive, join(context, 'tributary.tar.gz'))
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
        await livesAndStops(daemon, within, '/opt/tributary', health)
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
      assert.ok(Number.parseInt(size, 10) < 190, size)
      await hasSodium(join(root, 'opt/tributary/node_modules'))
      await assert.rejects(stat(join(root, 'tmp/tributary.tar.gz')), /ENOENT/)
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

    before(
      async () => {
        const build = [join(DEPLOY, 'deb/build'), archive, await folder.sub('made')]
        const { stdout } = await run('bash', build, { env: QUICK, maxBuffer: 64 * MIB })
        deb = stdout.trim()
        root = join(folder.path, 'root')
        await run('cp', ['-a', debian, root])
      },
      { timeout: 280_000 },
    )

    test('holds the program, the unit and a file of options, all owned by root', async () => {
      const { stdout: list } = await run('dpkg-deb', ['--contents', deb], { maxBuffer: 64 * MIB })
      for (const name of [
        'usr/bin/tributary -> ../lib/tributary/bin/tributary',
        'usr/lib/tributary/runtime/node',
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
      assert.doesNotMatch(info, /nodejs/)
      assert.ok((await stat(deb)).size < 70 * MIB)
    })

    test('is installed, runs as its own user, and is purged without the downloads', { timeout: 180_000 }, async () => {
      await dpkg('--install', deb)
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
        await livesAndStops(daemon, within, '/usr/lib/tributary', ['tributary', 'ls'])
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
