// A house in which players are photographed: a node that shows its films in the network, and beside it a host with a
// screen, where programs run as ordinary users. Needs the namespace that test/kit/netns makes.

import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeTestFolder, writeContent, writeTorrent } from '../../../kit/content/content-on-disk.ts'
import { makeTorrent } from '../../../kit/content/make-torrent.ts'
import { addDownload, downloadComplete } from '../../../kit/nodes/downloads-client.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { startScreen } from '../../../kit/nodes/screen.ts'
import { type StartedProgram, startProgram } from '../../../kit/started-program.ts'
import { makeLanHosts } from '../kit/lan-hosts.ts'

const run = promisify(execFile)

/** How the node is called in the network. */
export const NAME = 'Tributary'
export const FILM = 'The Long Way Home (2026)'
const SERIES = 'Harbour Lights'
export const SECONDS = 120

const WIDTH = 1280
const HEIGHT = 720
/** Users that are nobody on the machine. */
const ORDINARY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']

/** Windows move into their places for a while, and no program says when they are there. */
export const drawn = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 2000))

/** The house. */
export interface WatchedHouse {
  readonly node: NodeProcess
  /** A folder of its own for an ordinary user. */
  home(name: string): Promise<string>
  /** Starts a program on the screen, as an ordinary user whose files lie in `home`. */
  show(home: string, env: Readonly<Record<string, string>>, ...command: readonly string[]): StartedProgram
  /** Runs a command beside the programs, to its end; its standard output. */
  run(...command: readonly string[]): string
  /** Types keys, moves the mouse: xdotool's arguments. */
  press(...keys: readonly string[]): Promise<void>
  /** Takes a picture of the screen, `width` pixels wide, as WebP. */
  picture(path: string, width: number): Promise<void>
  stop(): Promise<void>
}

/** Makes it. */
export async function makeWatchedHouse(): Promise<WatchedHouse> {
  const hosts = await makeLanHosts()
  const folder = await makeTestFolder()
  await chmod(folder.path, 0o755)
  // Others than the one who started it may draw upon it.
  const screen = await startScreen(WIDTH, HEIGHT, ['-ac'])
  const node = await startNode({
    settings: { 'api.http_host': hosts.controlIp, 'dlna.interfaces': 'lan0', 'dlna.name': NAME },
    prefix: hosts.prefix('node'),
  })
  await node.request('POST', '/settings', { dlna: { enabled: true } })
  await addFilms(node, folder)
  const programs: StartedProgram[] = []
  const onScreen = { ...process.env, DISPLAY: screen.display }
  return {
    node,
    async home(name) {
      const path = await folder.sub(name)
      await chmod(path, 0o777)
      return path
    },
    show(home, env, ...command) {
      const own = { ...env, HOME: home, XDG_RUNTIME_DIR: home, DISPLAY: screen.display, LIBGL_ALWAYS_SOFTWARE: '1' }
      const given = Object.entries(own).map(([name, value]) => `${name}=${value}`)
      const clean = ['env', '-i', '-C', home, `PATH=${process.env['PATH'] ?? ''}`, 'LANG=C.UTF-8', ...given]
      const whole = [...hosts.prefix('sofa'), ...ORDINARY, ...clean, ...command]
      // Kodi is started by a script.
      const program = startProgram(whole, { hasOthers: true })
      programs.push(program)
      return program
    },
    run: (...command) => hosts.run('sofa', ...command),
    press: async (...keys) => void (await run('xdotool', keys, { env: onScreen })),
    async picture(path, width) {
      const grab = ['-f', 'x11grab', '-draw_mouse', '0', '-video_size', `${WIDTH}x${HEIGHT}`, '-i', screen.display]
      const small = ['-frames:v', '1', '-vf', `scale=${width}:-1:flags=lanczos`, '-c:v', 'libwebp', '-quality', '70']
      await run('ffmpeg', ['-v', 'error', '-y', ...grab, ...small, path])
    },
    async stop() {
      for (const program of programs) await program.stop()
      await node.stop()
      await screen.close()
      await hosts.stop()
      await folder.remove()
    },
  }
}

/** A film, and episodes of a series: colours that move, under a tone. */
async function addFilms(node: NodeProcess, folder: { readonly path: string }): Promise<void> {
  const film = await made(join(folder.path, 'film.mkv'), '0x0b5d7a:c1=0x62c6e6:c2=0xf4d58d:c3=0x12263a', SECONDS)
  const episode = await made(join(folder.path, 'episode.mkv'), '0x3a1c26:c1=0xe6a062:c2=0xf4e3b8:c3=0x7a2b0b', 20)
  const episodes = [1, 2, 3].map(at => ({ path: `${SERIES} S01E0${at}.mkv`, content: episode }))
  for (const [name, files] of [
    [SERIES, episodes],
    [
      FILM,
      [
        { path: `${FILM}.mkv`, content: film },
        { path: `${FILM}.srt`, content: Buffer.from('1\n00:00:01,000 --> 00:00:09,000\nHome\n') },
      ],
    ],
  ] as const) {
    const torrent = makeTorrent({ name, files, pieceLength: 256 * 1024 })
    const to = join(folder.path, 'downloads')
    await mkdir(to, { recursive: true })
    await writeContent(torrent, to, name)
    await downloadComplete(node, await addDownload(node, await writeTorrent(torrent, folder.path), to))
  }
}

async function made(path: string, colours: string, seconds: number): Promise<Buffer> {
  const picture = `gradients=size=640x360:rate=25:duration=${seconds}:speed=0.02:nb_colors=4:seed=11:c0=${colours}`
  const sound = ['-f', 'lavfi', '-i', `sine=frequency=330:duration=${seconds}`, '-c:a', 'ac3', '-ac', '6', '-shortest']
  const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-pix_fmt', 'yuv420p', '-b:v', '1M']
  await run('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', picture, ...sound, ...video, path])
  return readFile(path)
}
