// The npm package: what it holds, and that a fresh user without a compiler installs it in an empty folder, starts the
// node, adds a torrent that libtorrent seeds and sees it in mpv, by the commands of the README.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { makeTestFolder, type TestFolder, writeTorrent } from '../../kit/content/content-on-disk.ts'
import { type DaemonProcess, startDaemon } from '../../kit/nodes/daemon-process.ts'
import { LibtorrentPeer } from '../../kit/peers/libtorrent-peer.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { makeFilm } from '../../kit/content/media-files.ts'
import { freshPlace, packProject } from '../../kit/nodes/npm-package.ts'
import { projectRoot } from '../../kit/project-root.ts'
import { needs } from '../../kit/requirements.ts'
import { waitFor } from '../../kit/wait-for.ts'

const run = promisify(execFile)
const MIB = 1024 * 1024
/** Loopback, and no other source of peers than the magnet. */
const ALONE = ['utp', 'dht', 'pex', 'lsd', 'upnp', 'natpmp'].flatMap(name => ['--set', `libtorrent.${name}=false`])
const START = [
  'start',
  '--port',
  '0',
  '--set',
  'libtorrent.interface=127.0.0.1',
  '--set',
  'libtorrent.port=0',
  ...ALONE,
]

interface Manifest {
  readonly dependencies: Record<string, string>
  readonly optionalDependencies: Record<string, string>
  readonly devDependencies: Record<string, string>
}

/** What npm notes of each installed package. */
interface Installed {
  readonly packages: Readonly<Record<string, { resolved?: string; hasInstallScript?: boolean; optional?: boolean }>>
}

describe('the npm package', { concurrency: 1 }, () => {
  let folder: TestFolder
  let tarball = ''
  before(async () => {
    folder = await makeTestFolder()
    tarball = await packProject(folder.path)
  })
  after(() => folder.remove())

  test('holds the program and its notes, and nothing of tests, sources or this machine', async () => {
    assert.ok((await stat(tarball)).size < 7.25 * MIB, `${(await stat(tarball)).size} bytes`)
    const opened = await folder.sub('opened')
    await run('tar', ['-xzf', tarball, '-C', opened])
    const { stdout } = await run('find', [opened, '-type', 'f', '-printf', '%P\n'])
    const paths = stdout.trim().split('\n')
    const known =
      /^package\/((README|CHANGELOG)\.md|LICENSE|package\.json|dist\/(src\/(bundle|web\/page)\/.+|src\/native\/tributary\.node|src\/cli\/main\.js|workers\/(catalogue|feed|hls|media|piece|records|seal)\.js)|src\/deploy\/(Dockerfile|compose\.yaml|tributary\.service)|src\/(docs|chapters\/[a-z]+\/docs)\/.+|src\/chapters\/market\/chains\/hash-time-lock\.sol|src\/web\/pictures\/.+)$/
    assert.deepEqual(
      paths.filter(path => !known.test(path) || /\.(map|ts|tsx)$/.test(path)),
      [],
    )
    for (const path of paths) {
      const bytes = await readFile(join(opened, path))
      for (const place of [projectRoot.replace(/\/$/, ''), `${homedir()}/`])
        if (place.length > 2) assert.ok(!bytes.includes(place), `${path} names ${place}`)
    }
  })

  test('is packed a second time into the same bytes', { timeout: 60_000 }, async () => {
    assert.ok((await readFile(await packProject(await folder.sub('second')))).equals(await readFile(tarball)))
  })

  describe('in an empty folder', { skip: needs('npm-registry', 'libtorrent', 'ffmpeg', 'mpv'), concurrency: 1 }, () => {
    let env: Record<string, string> = {}
    let place = ''
    let seeder: LibtorrentPeer
    let node: DaemonProcess | undefined
    const tributary = (...args: string[]): Promise<{ stdout: string }> =>
      run(join(place, 'node_modules/.bin/tributary'), args, { env, cwd: place, timeout: 60_000 })

    before(async () => {
      place = await folder.sub('empty')
      env = await freshPlace(await folder.sub('home'), ['node', 'npm', 'sh', 'env', 'mpv'])
      seeder = await LibtorrentPeer.start('127.0.0.1')
    })
    after(async () => {
      await node?.stop()
      await seeder?.stop()
    })

    test('it is installed from the registry alone, and nothing is compiled', { timeout: 300_000 }, async () => {
      await run('npm', ['install', '--no-audit', '--no-fund', tarball], { env, cwd: place, timeout: 280_000 })
      const noted = await readFile(join(place, 'node_modules/.package-lock.json'), 'utf8')
      const { packages } = JSON.parse(noted) as Installed
      const registry = (await run('npm', ['config', 'get', 'registry'], { env, cwd: place })).stdout.trim()
      const wanted = Object.entries(packages).filter(([name]) => name !== 'node_modules/tributary')
      assert.ok(wanted.length > 10, noted)
      for (const [name, { resolved, hasInstallScript, optional }] of wanted) {
        if (resolved !== undefined) assert.ok(resolved.startsWith(registry), `${name} from ${resolved}`)
        // What compiles here comes compiled, too: these are optional and only look whether it did.
        if (hasInstallScript === true) assert.ok(optional, `${name} runs a script`)
      }
      const own = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8')) as Manifest
      const shipped = { ...own.dependencies, ...own.optionalDependencies }
      for (const name of Object.keys(own.devDependencies))
        if (!(name in shipped)) assert.ok(!(`node_modules/${name}` in packages), `${name} is for development only`)
    })

    test('the node starts, takes a torrent and hands it to mpv', { timeout: 180_000 }, async () => {
      const film = join(await folder.sub('seeds'), 'film.mkv')
      await makeFilm(film, 8, 2000)
      const made = makeTorrent({ name: 'film.mkv', content: await readFile(film), pieceLength: 32 * 1024 })
      const torrent = await writeTorrent(made, folder.path)
      await seeder.add({ torrent, dir: join(folder.path, 'seeds'), upload_limit: 600_000 })
      node = startDaemon(join(place, 'node_modules/.bin/tributary'), START, env)
      const { child, output, assertRunning } = node
      await waitFor('the node', () => (assertRunning(), output().includes('\nReady.\n')), 30_000)
      const home = env['HOME'] ?? ''
      assert.ok((await stat(join(home, '.local/state/tributary/tributary.yaml'))).isFile())
      const { stdout: added } = await tributary(
        'add',
        `magnet:?xt=urn:btih:${made.infoHash}&x.pe=127.0.0.1:${seeder.port}`,
      )
      assert.match(added, new RegExp(made.infoHash))
      const options = ['--no-config', '--vo=null', '--ao=null', '--untimed'].flatMap(arg => ['--player-arg', arg])
      const { stdout: played } = await tributary('play', made.infoHash, '--player', 'mpv', ...options)
      assert.match(played, /VO: \[null\] 640x360/)
      await tributary('watch', made.infoHash)
      assert.deepEqual(await readFile(join(home, 'Downloads/film.mkv')), await readFile(film))
      await pagesAreThere(/ listens at (\S+)/.exec(output())?.[1] ?? '')
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      assert.equal(child.exitCode, 0, output())
    })

    async function pagesAreThere(baseUrl: string): Promise<void> {
      for (const path of ['/', '/docs', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/openapi.json'])
        assert.equal((await fetch(`${baseUrl}${path}`)).status, 200, path)
      const page = await (await fetch(`${baseUrl}/`)).text()
      const parts = [...page.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(match => match[1] ?? '')
      assert.ok(parts.length >= 2, page)
      for (const part of parts) assert.equal((await fetch(`${baseUrl}/${part}`)).status, 200, part)
    }

    test('for another Node it says what to install', async () => {
      const native = join(
        place,
        'node_modules/tributary/dist/src/bundle',
        `better_sqlite3-${process.platform}-${process.arch}-${process.versions.modules}.node`,
      )
      await run('mv', [native, `${native}.away`])
      await assert.rejects(
        tributary(...START, '--state-dir', join(folder.path, 'other')),
        (error: { stderr: string }) => {
          assert.match(error.stderr, /install better-sqlite3 beside it/)
          return true
        },
      )
      await run('mv', [`${native}.away`, native])
    })
  })
})
