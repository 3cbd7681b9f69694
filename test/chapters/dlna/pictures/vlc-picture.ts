// VLC on the screen of a house: it finds the node among the sources of the network, lists its films and plays one.

import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '../../../kit/wait-for.ts'
import { drawn, FILM, NAME, type WatchedHouse } from './watched-house.ts'

/** Programs that it needs. */
export const VLC = ['vlc', 'xdotool'] as const

/** Where things are in its window, points: they are as high as its letters. */
const UNDER_SOURCES = [90, 417]
const UPNP = [85, 448]
const COLUMN = [384, 59]
const WIDER = [640, 59]
const FIRST_ROW = 81
const ROW = 22

/** What it remembers of its window: the playlist is shown (Ctrl+L). */
const WINDOW = '[MainWindow]\nplaylist-visible=true\n'

/** Takes `vlc.webp`. */
export async function pictureVlc(house: WatchedHouse, folder: string): Promise<void> {
  const home = await house.home('vlc')
  const own = join(home, '.config/vlc')
  await mkdir(own, { recursive: true })
  await writeFile(join(own, 'vlc-qt-interface.conf'), WINDOW)
  for (const path of [own, join(own, '..'), join(own, 'vlc-qt-interface.conf')]) await chmod(path, 0o777)
  const quiet = ['--no-qt-privacy-ask', '--no-metadata-network-access', '--aout', 'dummy']
  const told = ['--extraintf', 'oldrc', '--rc-fake-tty']
  const vlc = house.show(
    home,
    { DBUS_SESSION_BUS_ADDRESS: 'disabled:' },
    'vlc',
    '-I',
    'qt',
    '-S',
    'upnp',
    ...quiet,
    ...told,
  )
  const says = async (what: string, line: string, words: RegExp): Promise<void> => {
    let asked = Number.NEGATIVE_INFINITY
    let before = 0
    const look = (): boolean => {
      const now = performance.now()
      if (now - asked > 1000) {
        asked = now
        before = vlc.text().length
        vlc.child.stdin?.write(`${line}\n`)
      }
      return words.test(vlc.text().slice(before))
    }
    await waitFor(`VLC: ${what}`, look, 60_000, () => vlc.text().slice(-1000))
  }
  const at = ([x = 0, y = 0]: readonly number[]): string[] => ['mousemove', `${x}`, `${y}`]
  const open = async (row: number): Promise<void> => {
    await drawn()
    await house.press(...at([300, FIRST_ROW + row * ROW]), 'click', '--repeat', '2', '--delay', '80', '1')
  }
  const drag = async (from: readonly number[], to: readonly number[]): Promise<void> => {
    // The first step begins it, the second one counts.
    await house.press(
      ...at(from),
      'mousedown',
      '1',
      ...at([(from[0] ?? 0) + 5, (from[1] ?? 0) + 5]),
      ...at(to),
      'mouseup',
      '1',
    )
  }

  await says('it finds the node', 'playlist', new RegExp(`- ${NAME}`))
  await house.press(
    'search',
    '--sync',
    '--onlyvisible',
    '--name',
    'VLC',
    'windowmove',
    '0',
    '0',
    'windowsize',
    '1280',
    '720',
  )
  await drawn()
  await drag(UNDER_SOURCES, [90, 640])
  await house.press(...at(UPNP), 'click', '1')
  await drawn()
  await drag(COLUMN, WIDER)
  await open(0)
  await says('its folders', 'playlist', /- Newest/)
  await open(1)
  await says('what is newest', 'playlist', new RegExp('- Harbour Lights'))
  await open(2)
  await says('the series', 'playlist', /S01E03/)
  const film = 6
  await house.press(...at([300, FIRST_ROW + film * ROW]), 'click', '1', 'mousemove', '1200', '600')
  await drawn()
  await house.picture(join(folder, 'vlc.webp'), 960)
  await open(film)
  await says('it plays', 'get_time', /^(?:> )*[2-9]\s*$/m)
  await says('which film', 'get_title', new RegExp(FILM.slice(0, 13)))
  await vlc.stop()
}
