// Control points of other projects in the node's network, and strangers beside it: gssdp-discover and VLC as an
// ordinary user find the node, walk its folders and play; who is in another network, names another Host or wants
// events elsewhere gets nothing. Namespaces joined by wires (kit/lan-hosts.ts).

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeTestFolder, type TestFolder, writeContent, writeTorrent } from '../../../kit/content/content-on-disk.ts'
import { type MadeTorrent, makeTorrent } from '../../../kit/content/make-torrent.ts'
import { makeFilm } from '../../../kit/content/media-files.ts'
import { addDownload, downloadComplete, downloadRecord } from '../../../kit/nodes/downloads-client.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { startFarLibtorrent } from '../../../kit/peers/far-libtorrent.ts'
import { needs } from '../../../kit/requirements.ts'
import { type StartedProgram, startProgram } from '../../../kit/started-program.ts'
import { waitFor } from '../../../kit/wait-for.ts'
import { type LanHost, type LanHosts, makeLanHosts } from '../kit/lan-hosts.ts'
import { announcedIn, SSDP_EAR } from '../kit/ssdp-ear.ts'

const skip = needs(
  'netns',
  'root',
  'libtorrent',
  'ip',
  'nsenter',
  'curl',
  'ffmpeg',
  'gssdp-discover',
  'vlc',
  'setpriv',
  'minidlnad',
)

const MIB = 1024 * 1024
const SECONDS = 120
const MEDIA_SERVER = 'urn:schemas-upnp-org:device:MediaServer:1'
const CONTENT = 'urn:schemas-upnp-org:service:ContentDirectory:1'
/** Users that are nobody on the machine. */
const ORDINARY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']

/** What VLC has written of its search for servers. */
function wordsOfUpnp(log: string): string {
  const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : []
  return lines.filter(line => /^upnp|services_discovery|services discovery/.test(line)).join('\n')
}

/** What a server lists of a film. */
interface ListedFilm {
  readonly kind: string
  readonly title: string
  readonly protocolInfo: string
  readonly size: string
  readonly duration: string
  readonly url: string
}

/** The item of film.mkv in an answer to Browse; null: it, or its length, is not there. */
function listedFilm(answer: string): ListedFilm | null {
  const didl = answer.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
  const item = /<item (?:(?!<\/item>)[^])*<dc:title>film(?:\.mkv)?<\/dc:title>[^]*?<\/item>/.exec(didl)?.[0] ?? ''
  const [resource = ''] = /<res [^>]*>/.exec(item) ?? []
  const attribute = (name: string): string => new RegExp(` ${name}="([^"]*)"`).exec(resource)?.[1] ?? ''
  const text = (name: string): string => new RegExp(`<${name}[^>]*>([^<]*)<`).exec(item)?.[1] ?? ''
  if (attribute('duration') === '') return null
  return {
    kind: text('upnp:class'),
    title: text('dc:title'),
    protocolInfo: attribute('protocolInfo'),
    size: attribute('size'),
    duration: attribute('duration'),
    url: text('res'),
  }
}

/** Seconds of `h:mm:ss.mmm`, the form that the standard wants. */
function secondsOf(text: string): number {
  const [, hours = 0, minutes = 0, seconds = 0] = /^(\d+):(\d\d):(\d\d\.\d{1,3})$/.exec(text) ?? assert.fail(text)
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

describe('players in the network', { skip, concurrency: 1 }, () => {
  let hosts: LanHosts
  let folder: TestFolder
  let node: NodeProcess
  let film: MadeTorrent
  let base = ''
  const programs: StartedProgram[] = []

  before(async () => {
    hosts = await makeLanHosts()
    folder = await makeTestFolder()
    node = await startNode({
      settings: {
        'api.http_host': hosts.controlIp,

        'dlna.interfaces': 'lan0',
        'libtorrent.interface': '10.9.1.1',
        'dlna.name': 'Sofa & co',
      },
      prefix: hosts.prefix('node'),
    })
    // Not by a flag: those cannot be changed.
    await node.request('POST', '/settings', { dlna: { enabled: true } })
    const to = await folder.sub('to')
    const add = async (made: MadeTorrent, name: string): Promise<void> => {
      await writeContent(made, to, name)
      const infoHash = await addDownload(node, await writeTorrent(made, folder.path), to)
      await downloadComplete(node, infoHash)
    }
    const songs = Array.from({ length: 5000 }, (_, at) => ({ path: `song ${at + 1}.mp3`, length: 20 }))
    await add(makeTorrent({ name: 'Songs', files: songs }), 'Songs')
    const path = join(folder.path, 'film.mkv')
    await makeFilm(path, SECONDS, 1000)
    film = makeTorrent({ name: 'film.mkv', content: await readFile(path), pieceLength: 256 * 1024 })
    await add(film, 'film.mkv')
    const { interfaces } = await node.get<{ interfaces: { name: string; location: string }[] }>('/dlna')
    assert.deepEqual(
      interfaces.map(({ name }) => name),
      ['lan0'],
    )
    base = new URL(interfaces[0]?.location ?? '').origin
  })
  after(async () => {
    for (const program of programs) await program.stop()
    await node?.stop()
    await hosts?.stop()
    await folder?.remove()
  })

  const run = (host: LanHost, ...command: readonly string[]): StartedProgram => {
    const program = startProgram([...hosts.prefix(host), ...command])
    programs.push(program)
    return program
  }
  const curl = (host: LanHost, ...more: readonly string[]): string =>
    hosts.run(host, 'curl', '-sS', '-m', '10', ...more)
  const status = (host: LanHost, ...more: readonly string[]): string =>
    curl(host, '-o', join(folder.path, 'answer'), '-w', '%{http_code}', ...more)
  const browse = (id: string, from: number, count: number, flag = 'BrowseDirectChildren'): string =>
    browseOf('sofa', `${base}/content/control`, id, from, count, flag)
  const browseOf = (
    ...[host, control, id, from, count, flag]: readonly [LanHost, string, string, number, number, string]
  ): string => {
    const body =
      '<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
      `<u:Browse xmlns:u="${CONTENT}"><ObjectID>${id}</ObjectID><BrowseFlag>${flag}</BrowseFlag><Filter>*</Filter>` +
      `<StartingIndex>${from}</StartingIndex><RequestedCount>${count}</RequestedCount><SortCriteria></SortCriteria>` +
      '</u:Browse></s:Body></s:Envelope>'
    return curl(host, '-H', `SOAPACTION: "${CONTENT}#Browse"`, '--data-binary', body, control)
  }
  const filmUrl = (): string => /http:[^&<]*film\.mkv/.exec(browse('f', 0, 0))?.[0] ?? ''

  test('gssdp-discover finds it in three seconds', { timeout: 30_000 }, async t => {
    const began = performance.now()
    const found = run('sofa', 'stdbuf', '-oL', 'gssdp-discover', '-i', 'eth0', '-t', MEDIA_SERVER)
    await waitFor('the resource', () => found.text().includes(`Location: ${base}/description.xml`), 10_000, found.text)
    const tookMs = performance.now() - began
    t.diagnostic(`found after ${tookMs.toFixed(0)} ms`)
    assert.ok(tookMs < 3000)
    assert.match(found.text(), /USN: +uuid:[0-9a-f-]{36}::urn:schemas-upnp-org:device:MediaServer:1/)
    await found.stop()
    const all = hosts.run('sofa', 'gssdp-discover', '-i', 'eth0', '-n', '3')
    assert.equal(all.split('USN:').length - 1, 6, all)
  })

  test('a folder of 5,000 comes in pages', { timeout: 60_000 }, t => {
    const id = /container id=&quot;(f[^&]+)&quot;/.exec(browse('f', 0, 10))?.[1] ?? ''
    const titles: string[] = []
    const began = performance.now()
    for (let from = 0; from < 5000; from += 1000) {
      const page = browse(id, from, 1000)
      assert.match(page, /<NumberReturned>1000<\/NumberReturned><TotalMatches>5000<\/TotalMatches>/)
      titles.push(...Array.from(page.matchAll(/&lt;dc:title&gt;([^&]+)&lt;/g), ([, title = '']) => title))
    }
    t.diagnostic(`5 pages of 1,000 in ${(performance.now() - began).toFixed(0)} ms`)
    assert.deepEqual(
      titles,
      Array.from({ length: 5000 }, (_, at) => `song ${at + 1}`),
    )
  })

  test('a film is fetched whole, from its middle, and by its head', { timeout: 60_000 }, async () => {
    const got = join(folder.path, 'got')
    assert.equal(curl('sofa', '-o', got, '-w', '%{http_code} %{content_type}', filmUrl()), '200 video/x-matroska')
    assert.ok((await readFile(got)).equals(Buffer.from(film.content)))
    assert.equal(curl('sofa', '-r', '1000000-1000099', '-o', got, '-w', '%{http_code}', filmUrl()), '206')
    assert.ok((await readFile(got)).equals(Buffer.from(film.content.subarray(1_000_000, 1_000_100))))
    const head = curl('sofa', '-I', filmUrl())
    assert.match(head, new RegExp(`Content-Length: ${film.content.length}\r`))
    assert.match(head, /contentFeatures\.dlna\.org: DLNA\.ORG_OP=01;/)
  })

  test('a folder tells how long its films play', { timeout: 60_000 }, async () => {
    // What is found after a page was answered is in the next one.
    const [, told = ''] = await waitFor('the length', () =>
      /duration=&quot;([\d:.]+)&quot;[^&]*&gt;http:[^&<]*film\.mkv/.exec(browse('f', 0, 0)),
    )
    const [hours = 0, minutes = 0, seconds = 0] = told.split(':').map(Number)
    assert.ok(Math.abs(hours * 3600 + minutes * 60 + seconds - SECONDS) < 1, told)
  })

  test('a film that is still downloading plays from where it is missing; stopped it is not shown', {
    timeout: 120_000,
  }, async t => {
    const slow = makeTorrent({ name: 'slow.mkv', length: 24 * MIB, pieceLength: 256 * 1024 })
    const from = await folder.sub('from')
    await writeContent(slow, from, 'slow.mkv')
    const seeder = await startFarLibtorrent({ prefix: () => hosts.prefix('guest') }, hosts.guestIp)
    try {
      const torrent = await writeTorrent(slow, folder.path)
      await seeder.call('add', { torrent, dir: from, upload_limit: MIB })
      const magnet = `magnet:?xt=urn:btih:${slow.infoHash}&x.pe=${hosts.guestIp}:${seeder.port}`
      await addDownload(node, magnet, await folder.sub('slow'))
      const url = await waitFor('it is shown in progress', () => /http:[^&<]*slow\.mkv/.exec(browse('p', 0, 0))?.[0])
      const got = join(folder.path, 'slow-got')
      const [start, end] = [20 * MIB, 20 * MIB + 100_000 - 1]
      assert.equal(curl('sofa', '-r', `${start}-${end}`, '-o', got, '-w', '%{http_code}', url), '206')
      assert.ok((await readFile(got)).equals(Buffer.from(slow.content.subarray(start, end + 1))))
      const { progress } = await downloadRecord(node, slow.infoHash)
      t.diagnostic(`progress after the read: ${progress.toFixed(2)}`)
      assert.ok(progress < 0.8)
      assert.equal((await node.request('PATCH', `/downloads/${slow.infoHash}`, { state: 'stop' })).status, 200)
      assert.equal(status('sofa', '-I', url), '404')
      await waitFor('it is gone', () => !browse('p', 0, 0).includes('slow.mkv'))
      assert.equal((await downloadRecord(node, slow.infoHash)).status, 'DLSTATUS_STOPPED')
    } finally {
      await seeder.stop()
    }
  })

  test('minidlna lists the same film as the same', { timeout: 60_000 }, async t => {
    const [home, shown] = [join(folder.path, 'minidlna'), join(folder.path, 'shown')]
    await mkdir(home)
    await mkdir(shown)
    await writeContent(film, shown, 'film.mkv')
    const lines = [`media_dir=V,${shown}`, `db_dir=${home}`, `log_dir=${home}`, 'network_interface=eth0', 'port=8200']
    await writeFile(join(home, 'minidlna.conf'), `${[...lines, 'inotify=no', 'friendly_name=reference'].join('\n')}\n`)
    // In the other network: nobody who looks for the node finds it.
    const reference = run('guest', 'minidlnad', '-S', '-f', join(home, 'minidlna.conf'), '-P', join(home, 'pid'))
    const control = `http://${hosts.guestIp}:8200/ctl/ContentDir`
    // All its films.
    const list = (): string => browseOf('guest', control, '2$8', 0, 0, 'BrowseDirectChildren')
    const theirs = await waitFor(
      'it lists the film',
      () => listedFilm(list()),
      30_000,
      () => [list(), reference.text()],
    )
    const own = await waitFor(
      'the node does',
      () => listedFilm(browse('f', 0, 0)),
      30_000,
      () => browse('f', 0, 0),
    )
    t.diagnostic(JSON.stringify(theirs))
    for (const field of ['kind', 'title', 'size'] as const) assert.equal(own[field], theirs[field])
    assert.equal(own.size, `${film.content.length}`)
    assert.ok(Math.abs(secondsOf(own.duration) - secondsOf(theirs.duration)) < 0.05, own.duration)
    // Without a profile minidlna lists "*" for what its answers say then; the node says it in both.
    const headers = ['-I', '-H', 'getcontentFeatures.dlna.org: 1']
    const features = /^contentFeatures\.dlna\.org: *(\S+)\r$/im
    const [, said = ''] = features.exec(curl('guest', ...headers, theirs.url)) ?? []
    assert.match(said, /^DLNA\.ORG_OP=01;/)
    assert.equal(own.protocolInfo, theirs.protocolInfo.replace(/\*$/, said))
    assert.equal(features.exec(curl('sofa', ...headers, own.url))?.[1], said)
    await reference.stop()
  })

  test('VLC, as an ordinary user, finds it, walks its folders, plays and seeks', { timeout: 120_000 }, async t => {
    const home = join(folder.path, 'home')
    await mkdir(home)
    await chmod(folder.path, 0o755)
    await chmod(home, 0o777)
    const vlc = run(
      'sofa',
      ...[...ORDINARY, 'env', '-i', `PATH=${process.env['PATH'] ?? ''}`, `HOME=${home}`, `XDG_RUNTIME_DIR=${home}`],
      ...['DBUS_SESSION_BUS_ADDRESS=disabled:', 'vlc', '-I', 'rc', '--no-color', '-S', 'upnp', '--vout', 'dummy'],
      ...['--aout', 'dummy', '--no-interact', '--no-metadata-network-access'],
      ...['--file-logging', `--logfile=${join(home, 'log')}`, '--log-verbose=2'],
    )
    const say = (line: string): unknown => vlc.child.stdin?.write(`${line}\n`)
    const number = async (title: RegExp): Promise<string> =>
      waitFor(
        `VLC shows ${title}`,
        () => {
          say('playlist')
          return title.exec(vlc.text())?.[1]
        },
        30_000,
        () => `${wordsOfUpnp(join(home, 'log'))}\n${vlc.text().slice(-1000)}`,
      )
    // Its own part in it has started: without that it searches for nobody, and its log says why.
    await number(/\| +(\d+) - Universal Plug'n'Play/)
    const began = performance.now()
    say(`goto ${await number(/\| +(\d+) - Sofa & co/)}`)
    t.diagnostic(`VLC found it after ${(performance.now() - began).toFixed(0)} ms`)
    await number(/(\d+) - All downloads/)
    // It opens the first folder by itself: that of the newest.
    say(`goto ${await number(/\*?(\d+) - film\b/)}`)
    const time = async (least: number): Promise<void> => {
      const before = vlc.text().length
      await waitFor(
        `VLC plays at ${least}`,
        () => {
          say('get_time')
          const times = [
            ...vlc
              .text()
              .slice(before)
              .matchAll(/^(?:> )*(\d+)\s*$/gm),
          ].map(([, digits]) => Number(digits))
          return times.some(at => at >= least && at < SECONDS)
        },
        30_000,
        () => vlc.text().slice(-500),
      )
    }
    await time(1)
    say('get_title')
    await waitFor('VLC names the film', () => /film/.test(vlc.text()))
    say('seek 90')
    await time(91)
    say('get_length')
    await waitFor(
      'VLC knows the length',
      () => new RegExp(`(^|> )${SECONDS}\\s*$`, 'm').test(vlc.text()),
      10_000,
      vlc.text,
    )
    await vlc.stop()
  })

  test('the device is listed; blocked, its links end and it is answered nothing', { timeout: 30_000 }, async () => {
    const url = filmUrl()
    assert.equal(status('sofa', '-I', url), '200')
    const { devices } = await node.get<{ devices: { id: string; address: string; name: string }[] }>('/dlna/devices')
    assert.deepEqual(
      devices.map(({ address }) => address),
      [hosts.sofaIp],
    )
    const path = `/dlna/devices/${devices[0]?.id ?? ''}`
    assert.equal((await node.request('POST', `${path}/block`)).status, 200)
    assert.equal(status('sofa', url), '000')
    assert.equal(status('sofa', `${base}/description.xml`), '000')
    assert.equal(hosts.run('sofa', 'gssdp-discover', '-i', 'eth0', '-n', '3').split('USN:').length, 1)
    assert.equal((await node.request('POST', `${path}/allow`)).status, 200)
    assert.equal(status('sofa', '-I', url), '200')
    assert.equal((await node.request('DELETE', path)).status, 200)
    assert.equal(status('sofa', '-I', url), '404')
  })

  test('another network, and another Host, get nothing', { timeout: 60_000 }, () => {
    const url = filmUrl()
    for (const one of [`${base}/description.xml`, url]) {
      assert.equal(status('guest', one), '000')
      for (const host of ['tv.example', '10.9.1.1', 'localhost'])
        assert.equal(status('sofa', '-H', `Host: ${host}`, one), '000', host)
    }
    assert.equal(status('guest', url.replace('10.9.0.1', '10.9.1.1')), '000')
    assert.equal(hosts.run('guest', 'gssdp-discover', '-i', 'eth0', '-n', '3').split('USN:').length, 1)
    // A search sent to the node's address in the network that is served.
    const search = `import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(3)
s.sendto(b'M-SEARCH * HTTP/1.1\\r\\nMAN: "ssdp:discover"\\r\\nMX: 1\\r\\nST: ssdp:all\\r\\n\\r\\n', ('10.9.0.1', 1900))
try: print(s.recv(2000))
except TimeoutError: print('nothing')`
    assert.equal(hosts.run('guest', 'python3', '-c', search).trim(), 'nothing')
    assert.match(hosts.run('sofa', 'python3', '-c', search), /200 OK/)
  })

  test('events go to the address that asks for them, and to no other', { timeout: 60_000 }, async () => {
    const script = join(folder.path, 'listens.py')
    await writeFile(
      script,
      `import http.server
class Takes(http.server.BaseHTTPRequestHandler):
  def do_NOTIFY(self):
    text = self.rfile.read(int(self.headers['Content-Length'])).decode()
    print('NOTIFY', self.path, self.headers['SEQ'], text.replace('\\r\\n', ''), flush=True)
    self.send_response(200)
    self.end_headers()
  def log_message(self, *rest): pass
print('listens', flush=True)
http.server.HTTPServer(('', 8099), Takes).serve_forever()
`,
    )
    const own = run('sofa', 'python3', script)
    const foreign = run('guest', 'python3', script)
    await waitFor('both listen', () => own.text().includes('listens') && foreign.text().includes('listens'))
    const subscribe = (...callbacks: readonly string[]): string =>
      status(
        'sofa',
        '-X',
        'SUBSCRIBE',
        '-H',
        'NT: upnp:event',
        '-H',
        `CALLBACK: ${callbacks.join('')}`,
        `${base}/content/events`,
      )
    const away = `<http://${hosts.guestIp}:8099/away>`
    const at = (path: string): string => `<http://${hosts.sofaIp}:8099/${path}>`
    assert.equal(subscribe(away), '412')
    assert.equal(subscribe(`<http://${hosts.controlIp}:80/>`), '412')
    assert.equal(subscribe(away, at('evt')), '200')
    await waitFor('the first event', () => /NOTIFY \/evt 0 .*<SystemUpdateID>\d+</.test(own.text()), 10_000, own.text)
    const more = makeTorrent({ name: 'more.mp3', length: 1000 })
    const to = await folder.sub('more')
    await writeContent(more, to, 'more.mp3')
    await downloadComplete(node, await addDownload(node, await writeTorrent(more, folder.path), to))
    await waitFor(
      'the next event',
      () => {
        browse('0', 0, 0)
        return own.text().includes('NOTIFY /evt 1')
      },
      20_000,
      own.text,
    )
    assert.ok(!foreign.text().includes('NOTIFY'))
  })

  test('it says goodbye when it is switched off, and comes back at the same address', { timeout: 60_000 }, async () => {
    const seen = run('sofa', 'stdbuf', '-oL', 'gssdp-discover', '-i', 'eth0', '-t', MEDIA_SERVER, '-m', 'all')
    await waitFor('it is found', () => seen.text().includes('resource available'), 10_000, seen.text)
    const url = filmUrl()
    await node.request('POST', '/settings', { dlna: { enabled: false } })
    await waitFor('goodbye', () => seen.text().includes('resource unavailable'), 10_000, seen.text)
    assert.equal(status('sofa', `${base}/description.xml`), '000')
    await node.request('POST', '/settings', { dlna: { enabled: true } })
    await waitFor('its return', () => status('sofa', '-I', url) === '200', 10_000)
  })

  test('goodbye goes over the wire for all that was announced: switched off, and when the node ends', {
    timeout: 60_000,
  }, async () => {
    const script = join(folder.path, 'hears.py')
    await writeFile(script, SSDP_EAR)
    const sofa = run('sofa', 'python3', script, hosts.sofaIp)
    const guest = run('guest', 'python3', script, hosts.guestIp)
    await waitFor('both hear', () => sofa.text().includes('hears') && guest.text().includes('hears'))
    const said = (kind: 'alive' | 'byebye', from: number): string[] =>
      announcedIn(sofa.text().slice(from), hosts.nodeIp, kind)
    const all = async (kind: 'alive' | 'byebye', from: number): Promise<string[]> => {
      await waitFor(kind, () => said(kind, from).length === 6, 10_000, sofa.text)
      return said(kind, from)
    }
    await node.request('POST', '/settings', { dlna: { enabled: false } })
    const gone = await all('byebye', 0)
    assert.ok(gone.every(usn => /^uuid:[0-9a-f-]{36}(::|$)/.test(usn)))
    // Before it somebody may have heard the device come back.
    assert.deepEqual(said('alive', sofa.text().indexOf('byebye')), [])
    const off = sofa.text().length
    await node.request('POST', '/settings', { dlna: { enabled: true } })
    assert.deepEqual(await all('alive', off), gone)
    const before = sofa.text().length
    await node.stop()
    assert.deepEqual(await all('byebye', before), gone)
    assert.doesNotMatch(guest.text(), /NOTIFY|ssdp/, 'the other network is told nothing')
  })
})
