// Players of other projects that are told where to begin: mpv and VLC play a film in segments from its start, its
// middle and near its end. Proof is where they say that they play; neither may play the film up to there.

import assert from 'node:assert/strict'
import { chmod, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeTestFolder, type TestFolder, writeContent, writeTorrent } from '../../../kit/content/content-on-disk.ts'
import { makeTorrent, type MadeTorrent } from '../../../kit/content/make-torrent.ts'
import { addDownload, downloadComplete } from '../../../kit/nodes/downloads-client.ts'
import { type NodeProcess, runCli, startNode } from '../../../kit/nodes/node-process.ts'
import { needs } from '../../../kit/requirements.ts'
import { type StartedProgram, startProgram } from '../../../kit/started-program.ts'
import { waitFor } from '../../../kit/wait-for.ts'
import { SegmentFilms } from '../kit/segment-films.ts'

/** s: at the start, in the middle between two key frames, and in the last segment. */
const PLACES = [0, 12, 21]
/** A player begins so much before a place at most (a key frame, a second that is rounded), and so much behind it. */
const [EARLY_S, LATE_S] = [1.1, 3]
/** VLC begins with a segment, and counts from up to two seconds before it. */
const VLC_EARLY_S = 5
/** VLC does not run as root. */
const ORDINARY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']

// Side by side: they mostly wait for the film's own clock.
describe('players of films that begin at a place', { skip: needs('ffmpeg', 'ffprobe'), concurrency: 3 }, () => {
  let films: SegmentFilms
  let folder: TestFolder
  let made: MadeTorrent
  let node: NodeProcess
  let segments = ''

  before(async () => {
    folder = await makeTestFolder()
    films = await SegmentFilms.open()
    made = makeTorrent({
      name: 'film.mkv',
      content: await readFile(await films.make('film.mkv', 48_000, [])),
      pieceLength: 64 * 1024,
    })
    const data = await folder.sub('data')
    await writeContent(made, data, 'film.mkv')
    node = await startNode()
    await addDownload(node, await writeTorrent(made, folder.path), data)
    await downloadComplete(node, made.infoHash)
    const { code, stdout, stderr } = await runCli(['hls', made.infoHash], { TRIBUTARY_STATE_DIR: node.stateDir })
    assert.equal(code, 0, stderr)
    segments = stdout.trim()
  })
  after(async () => {
    await node?.stop()
    await films?.close()
    await folder?.remove()
  })

  /** Waits until it plays at `place`; it has never said that it plays elsewhere before. */
  async function plays(
    player: StartedProgram,
    place: number,
    saidTimes: () => readonly number[],
    early = EARLY_S,
  ): Promise<void> {
    const there = (at: number): boolean => at >= place + 0.9 && at <= place + LATE_S + 1
    const last = (): unknown => [saidTimes(), player.text().slice(-800)]
    await waitFor(`it plays at ${place} s`, () => saidTimes().some(there), 30_000, last)
    // Before it has opened a film a player says 0.
    const first = saidTimes().find(at => at > 0) ?? 0
    assert.ok(first >= place - early && first <= place + LATE_S, `it began at ${first}`)
  }

  for (const place of PLACES) {
    test(`mpv: ${place} s of segments`, { skip: needs('mpv'), timeout: 60_000 }, async () => {
      const quiet = ['--no-config', '--vo=null', '--ao=null', '--term-status-msg=AT ${=time-pos};']
      const player = startProgram(['mpv', ...quiet, `--start=${place}`, segments])
      try {
        await plays(player, place, () => [...player.text().matchAll(/AT ([\d.]+);/g)].map(([, at]) => Number(at)))
        assert.match(player.text(), /VO: \[null\] 320x180/)
      } finally {
        await player.stop()
      }
    })

    test(`VLC: ${place} s of segments`, { skip: needs('vlc', 'setpriv', 'root'), timeout: 60_000 }, async () => {
      const home = join(folder.path, `home-${place}`)
      await mkdir(home)
      await chmod(folder.path, 0o755)
      await chmod(home, 0o777)
      const own = { HOME: home, XDG_RUNTIME_DIR: home, DBUS_SESSION_BUS_ADDRESS: 'disabled:' }
      const env = { PATH: process.env['PATH'] ?? '', ...own }
      const quiet = ['-I', 'rc', '--no-color', '--vout', 'dummy', '--aout', 'dummy', '--no-interact']
      const from = `--start-time=${place}`
      const player = startProgram([...ORDINARY, 'vlc', ...quiet, from, segments], { env })
      try {
        const said = (): number[] => {
          player.child.stdin?.write('get_time\n')
          return [...player.text().matchAll(/^(?:> )*(\d+)\s*$/gm)].map(([, at]) => Number(at))
        }
        await plays(player, place, said, VLC_EARLY_S)
      } finally {
        await player.stop()
      }
    })
  }
})
