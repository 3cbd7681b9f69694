// Kodi on the screen of a house, which is also how a television set looks: it finds the node, lists its films and plays
// one. Driven over its JSON-RPC, by the keys of a remote control.

import assert from 'node:assert/strict'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '../../../kit/wait-for.ts'
import { drawn, FILM, NAME, SECONDS, type WatchedHouse } from './watched-house.ts'

/** Programs that it needs. */
export const KODI = ['kodi'] as const

/** As after "Enable UPnP support", with the remote control of this program. */
const SETTINGS = `<settings version="2">
  <setting id="services.upnp">true</setting>
  <setting id="services.webserver">true</setting>
  <setting id="services.webserverauthentication">false</setting>
  <setting id="services.webserverport">8080</setting>
  <setting id="services.zeroconf">false</setting>
  <setting id="general.addonupdates">2</setting>
</settings>`
/** Sound that nobody hears: without a device Kodi does not play. */
const NO_SOUND = 'pcm.!default { type null }\n'

interface Entry {
  readonly label: string
  readonly file: string
}
interface Played {
  readonly time: { readonly seconds: number }
  readonly totaltime: { readonly minutes: number; readonly seconds: number }
  readonly currentvideostream: { readonly codec: string }
  readonly currentaudiostream: { readonly codec: string; readonly channels: number }
  readonly subtitles: readonly unknown[]
}

/** Takes `kodi.webp`, the list of the newest films, and `television.webp`, one that is played. */
export async function pictureKodi(house: WatchedHouse, folder: string): Promise<void> {
  const home = await house.home('kodi')
  await mkdir(join(home, '.kodi/userdata'), { recursive: true })
  await writeFile(join(home, '.kodi/userdata/guisettings.xml'), SETTINGS)
  await writeFile(join(home, '.asoundrc'), NO_SOUND)
  for (const path of ['.kodi', '.kodi/userdata', '.kodi/userdata/guisettings.xml']) await chmod(join(home, path), 0o777)
  const kodi = house.show(home, { AE_SINK: 'ALSA' }, 'kodi')
  const ask = (method: string, params: object): unknown => {
    const asked = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const json = ['-H', 'Content-Type: application/json', '-d', asked]
    const said = house.run('curl', '-s', '-m', '10', ...json, 'http://127.0.0.1:8080/jsonrpc')
    return said === '' ? undefined : (JSON.parse(said) as { result?: unknown }).result
  }
  const list = (directory: string): readonly Entry[] =>
    (ask('Files.GetDirectory', { directory }) as { files?: readonly Entry[] } | undefined)?.files ?? []
  const shown = (label: string): string | undefined =>
    (ask('XBMC.GetInfoLabels', { labels: [label] }) as Record<string, string> | undefined)?.[label]
  /** Goes down until an entry is marked. */
  const mark = (title: string): Promise<true> =>
    waitFor(`"${title}" is marked`, () => {
      if (shown('ListItem.Label') === title) return true
      ask('Input.Down', {})
      return false
    })

  const device = await waitFor('Kodi finds the node', () => list('upnp://').find(({ label }) => label === NAME), 60_000)
  await waitFor('its films', () => list(`${device.file}n/`).some(({ label }) => label === FILM))
  ask('GUI.ActivateWindow', { window: 'videos', parameters: [device.file] })
  await mark('Newest')
  ask('Input.Select', {})
  await mark(FILM)
  await drawn()
  await house.picture(join(folder, 'kodi.webp'), 960)

  ask('Input.Select', {})
  const played = (): Played | undefined =>
    ask('Player.GetProperties', {
      playerid: 1,
      properties: ['time', 'totaltime', 'currentvideostream', 'currentaudiostream', 'subtitles'],
    }) as Played | undefined
  const film = await waitFor(
    'it plays',
    () => {
      const now = played()
      return (now?.time.seconds ?? 0) > 11 ? now : undefined
    },
    60_000,
  )
  assert.equal(film.currentvideostream.codec, 'h264')
  assert.deepEqual([film.currentaudiostream.codec, film.currentaudiostream.channels], ['ac3', 6])
  assert.equal(film.totaltime.minutes * 60 + film.totaltime.seconds, SECONDS)
  assert.equal(film.subtitles.length, 1, 'subtitles beside the film are offered')
  ask('Input.ExecuteAction', { action: 'osd' })
  const buttons = 'Window.IsActive(videoosd)'
  await waitFor(
    'its buttons',
    () => (ask('XBMC.GetInfoBooleans', { booleans: [buttons] }) as Record<string, boolean> | undefined)?.[buttons],
  )
  await drawn()
  await house.picture(join(folder, 'television.webp'), 960)
  await kodi.stop()
}
