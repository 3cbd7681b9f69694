// The media server over real sockets of this machine: documents, pages of a long folder, films, blocked devices, and
// whom it does not answer. The searches are left out; test/chapters/dlna/interop has them.

import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import type { EventMessage } from '../../../../src/chapters/dlna/ports/event-post.ts'
import { DeviceGrants } from '../../../../src/chapters/dlna/service/device-grants.ts'
import type { LibraryDownloads } from '../../../../src/chapters/dlna/service/media-library.ts'
import { MediaServer } from '../../../../src/chapters/dlna/service/media-server.ts'
import { childText, elementsNamed, parseXml, type XmlElement } from '../../../../src/wire/net/small-xml.ts'
import { type Answer, ask, realClock, type Running, startServer, until } from '../../../contract/http/harness.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'
import { hashOf, type MadeDownload, madeDownload, MadeDownloads } from '../kit/made-downloads.ts'

const SONGS = 5_000
const content = randomBytes(500_000)
const random = { bytes: (count: number) => randomBytes(count), below: (below: number) => randomInt(below) }

let http: Running
before(async () => {
  http = await startServer()
})
after(() => http.stop())

let made: MadeDownloads
let grants: DeviceGrants
let server: MediaServer
let events: EventMessage[]
let kept: string | null
/** In the place of the list of downloads. */
let held: LibraryDownloads['list'] | null
let base = ''
let port = 0

beforeEach(async () => {
  made = new MadeDownloads([
    madeDownload(1, {
      name: 'Film',
      labels: ['kids'],
      files: [
        { name: 'Film & more.mkv', size: content.length, included: true },
        { name: 'Film & more.srt', size: 100, included: true },
      ],
    }),
    madeDownload(2, {
      name: 'Songs',
      files: Array.from({ length: SONGS }, (_, at) => ({ name: `song ${at + 1} <&>.mp3`, size: at, included: true })),
    }),
  ])
  events = []
  kept = null
  held = null
  http.double.content = content
  http.double.makeAvailable(Number.POSITIVE_INFINITY)
  await start()
})
afterEach(() => server.stop())

async function start(): Promise<void> {
  const file = {
    read: async () => kept,
    write: async (text: string) => {
      kept = text
    },
  }
  grants = new DeviceGrants({ clock: realClock, random, file, log: silentLog })
  await grants.open()
  const signal = new AbortController()
  server = new MediaServer(
    { name: 'Test & server', version: '1.2.3', port: 0 },
    {
      clock: realClock,
      random,
      log: silentLog,
      grants,
      downloads: {
        ...made.service,
        list: options => (held ?? made.service.list)(options),
        streamable: async (infohash, index, asker) => {
          const { size } = await made.service.streamable(infohash, index, asker)
          return { ...(await http.double.downloads.streamable(infohash, '0', signal)), size }
        },
      },
      listening: http.listening,
      network: {
        join: async () => ({ announce: async () => undefined, send: () => undefined, close: async () => undefined }),
      },
      post: async message => void events.push(message),
      durations: async (infohash, index) => (infohash === hashOf(1) && index === 0 ? 65 : null),
      interfaces: () => [{ name: 'lo', ip: '127.0.0.1', bits: 30 }],
    },
  )
  await server.start()
  const [at] = server.interfaces
  port = at?.port ?? 0
  base = `http://127.0.0.1:${port}`
}

const get = (url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
  ask(port, url.replace(base, ''), { key: false, headers, method })

async function act(
  action: string,
  inner = '',
  service = 'ContentDirectory',
  path = '/content/control',
): Promise<Answer> {
  const type = `urn:schemas-upnp-org:service:${service}:1`
  const body = `<?xml version="1.0"?><s:Envelope xmlns:s="x"><s:Body><u:${action} xmlns:u="${type}">${inner}</u:${action}></s:Body></s:Envelope>`
  return ask(port, path, {
    method: 'POST',
    key: false,
    body,
    headers: { SOAPAction: `"${type}#${action}"`, 'User-Agent': 'Test/1' },
  })
}

interface Page {
  readonly objects: readonly XmlElement[]
  readonly returned: number
  readonly total: number
  readonly updateId: string
  readonly text: string
}

async function browse(id: string, start = 0, count = 0, flag = 'BrowseDirectChildren', sort = ''): Promise<Page> {
  const answer = await act(
    'Browse',
    `<ObjectID>${id}</ObjectID><BrowseFlag>${flag}</BrowseFlag><Filter>*</Filter><StartingIndex>${start}</StartingIndex>` +
      `<RequestedCount>${count}</RequestedCount><SortCriteria>${sort}</SortCriteria>`,
  )
  assert.equal(answer.status, 200, answer.body.toString().slice(0, 500))
  const text = answer.body.toString()
  const part = (name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? ''
  const didl = part('Result')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&')
  const objects = didl.match(/<(container|item) .*?<\/\1>/g) ?? []
  return {
    objects: objects.map(parseXml),
    returned: Number(part('NumberReturned')),
    total: Number(part('TotalMatches')),
    updateId: part('UpdateID'),
    text: didl,
  }
}

async function filmUrl(): Promise<string> {
  const { objects } = await browse('f')
  const url = childText(objects.find(({ name }) => name === 'item') as XmlElement, 'res')
  assert.ok(url !== null)
  return url
}

test('the description leads to services that say what they can', async () => {
  const answer = await get(server.interfaces[0]?.location ?? '')
  assert.match(String(answer.headers['server']), /UPnP\/1\.0/)
  const root = parseXml(answer.body.toString())
  assert.equal(childText(elementsNamed(root, 'device')[0] as XmlElement, 'friendlyName'), 'Test & server')
  for (const path of elementsNamed(root, 'SCPDURL')) assert.equal((await get(path.text)).status, 200, path.text)
})

test('a folder of 5,000 comes in pages that fit together, each with the whole count', async () => {
  const songs = (await browse('f')).text.match(/container id="([^"]+)"/)?.[1] ?? ''
  const seen: string[] = []
  let [at, updateId] = [0, '']
  while (at < SONGS) {
    const page = await browse(songs, at, 700)
    assert.deepEqual([page.total, page.returned], [SONGS, Math.min(700, SONGS - at)])
    updateId ||= page.updateId
    assert.equal(page.updateId, updateId)
    seen.push(...page.objects.map(object => childText(object, 'title') ?? ''))
    at += page.returned
  }
  assert.deepEqual(
    seen,
    Array.from({ length: SONGS }, (_, song) => `song ${song + 1} <&>`),
  )
  const all = await browse(songs)
  assert.deepEqual([all.total, all.returned], [SONGS, SONGS])
  assert.deepEqual((({ total, returned }) => [total, returned])(await browse(songs, SONGS, 10)), [SONGS, 0])
  const sorted = await browse(songs, 0, 1, 'BrowseDirectChildren', '-dc:title')
  assert.equal(childText(sorted.objects[0] as XmlElement, 'title'), `song ${SONGS} <&>`)
})

test('an object is told alone, and what is not there is no object', async () => {
  const root = await browse('0', 0, 0, 'BrowseMetadata')
  assert.deepEqual([root.returned, root.total], [1, 1])
  const error = async (id: string, flag: string, more = ''): Promise<string> => {
    const inner = `<ObjectID>${id}</ObjectID><BrowseFlag>${flag}</BrowseFlag><Filter>*</Filter><StartingIndex>0</StartingIndex><RequestedCount>1</RequestedCount>${more}`
    const answer = await act('Browse', inner)
    assert.equal(answer.status, 500)
    return /<errorCode>(\d+)/.exec(answer.body.toString())?.[1] ?? ''
  }
  assert.equal(await error('nothing', 'BrowseMetadata'), '701')
  assert.equal(await error('f', 'BrowseAll'), '402')
  assert.equal(await error('', 'BrowseMetadata'), '402')
  assert.equal(await error('f', 'BrowseDirectChildren', '<SortCriteria>+wrong</SortCriteria>'), '709')
  const item = (await browse('f')).text.match(/item id="([^"]+)"/)?.[1] ?? ''
  assert.equal(await error(item, 'BrowseDirectChildren'), '710')
})

test('the other actions answer', async () => {
  const answered = async (
    action: string,
    name: string,
    inner = '',
    ...where: [] | [string, string]
  ): Promise<string> => {
    const answer = await act(action, inner, ...where)
    assert.equal(answer.status, 200, action)
    return new RegExp(`<${name}>([^<]*)</${name}>`).exec(answer.body.toString())?.[1] ?? ''
  }
  const managed = ['ConnectionManager', '/connections/control'] as const
  const { updateId } = await browse('0')
  assert.equal(await answered('GetSystemUpdateID', 'Id'), updateId)
  assert.match(await answered('GetSortCapabilities', 'SortCaps'), /dc:title/)
  assert.equal(await answered('GetSearchCapabilities', 'SearchCaps'), '')
  assert.match(await answered('GetProtocolInfo', 'Source', '', ...managed), /http-get:\*:video\/x-matroska:\*/)
  assert.equal(await answered('GetCurrentConnectionIDs', 'ConnectionIDs', '', ...managed), '0')
  assert.equal(await answered('GetCurrentConnectionInfo', 'Status', '<ConnectionID>0</ConnectionID>', ...managed), 'OK')
  assert.equal((await act('GetCurrentConnectionInfo', '<ConnectionID>1</ConnectionID>', ...managed)).status, 500)
  assert.equal((await act('Search')).status, 500)
  assert.equal((await act('GetSystemUpdateID', '', 'ContentDirectory', '/connections/control')).status, 500)
})

test('a film is played by its link: whole, in ranges, as head; its length and subtitles are told', async () => {
  const { text } = await browse('f')
  assert.match(text, /duration="0:01:05\.000"/)
  const url = await filmUrl()
  const whole = await get(url)
  assert.deepEqual([whole.status, whole.headers['content-type']], [200, 'video/x-matroska'])
  assert.ok(whole.body.equals(content))
  const part = await get(url, { Range: 'bytes=100000-100009' })
  assert.equal(part.status, 206)
  assert.ok(part.body.equals(content.subarray(100_000, 100_010)))
  const head = await get(url, { 'getCaptionInfo.sec': '1' }, 'HEAD')
  assert.equal(head.headers['content-length'], String(content.length))
  const caption = String(head.headers['captioninfo.sec'])
  assert.equal((await get(caption)).headers['content-type'], 'text/srt; charset=utf-8')
  assert.ok(text.includes(`<sec:CaptionInfoEx sec:type="srt">${caption}</sec:CaptionInfoEx>`))
})

test('nothing that players are told has the info hash', async () => {
  const { text } = await browse('f')
  const { headers } = await get(await filmUrl(), {}, 'HEAD')
  for (const said of [text, JSON.stringify(headers)]) assert.ok(!said.includes(hashOf(1)) && !said.includes(hashOf(2)))
})

test('links, and the number of the state, hold over a restart, at the same port', async () => {
  const url = await filmUrl()
  const stateNumber = async () => /<Id>(\d+)<\/Id>/.exec((await act('GetSystemUpdateID')).body.toString())?.[1]
  const number = await stateNumber()
  assert.ok(number !== undefined)
  await server.stop()
  await assert.rejects(get(url))
  await start()
  assert.equal((await get(url, {}, 'HEAD')).status, 200)
  assert.equal(await stateNumber(), number)
  made.all.shift()
  await server.stop()
  await start()
  assert.notEqual(await stateNumber(), number, 'it is that of what there is')
})

test('a link opens one file, and nothing when it is changed', async () => {
  const url = await filmUrl()
  const wrong = [
    url.replace(/\/0\/([^/]+)\//, '/1/$1/'),
    url.replace(/media\/[0-9a-f]{12}/, 'media/000000000000'),
    url.replace(/\/0\/(.)/, (_, first) => `/0/${first === '-' ? '_' : '-'}`),
    `${base}/media/`,
    `${base}/media/../../etc/passwd`,
  ]
  for (const one of wrong) assert.equal((await get(one)).status, 404, one)
})

test('a download that goes over circuits since, or is gone, plays no more', async () => {
  const url = await filmUrl()
  ;(made.all[0] as MadeDownload).hops = 1
  assert.equal((await get(url)).status, 404)
  ;(made.all[0] as MadeDownload).hops = 0
  assert.equal((await get(url, {}, 'HEAD')).status, 200)
  made.all.shift()
  assert.equal((await get(url)).status, 404)
})

test('what a blocked device reads is cut; its links end and it is answered nothing', async () => {
  const url = await filmUrl()
  http.double.makeAvailable(100_000)
  let got = 0
  const closed = new Promise<void>(resolve => {
    const request = httpRequest(url, { agent: false }, answer => {
      answer.on('data', (chunk: Buffer) => (got += chunk.length))
      answer.on('error', () => undefined)
      answer.on('close', resolve)
    })
    request.on('error', () => undefined)
    request.end()
  })
  await until(() => got === 100_000)
  const [device] = grants.devices
  assert.ok(device !== undefined)
  assert.deepEqual([device.ip, device.name, server.streamsOf(device.id)], ['127.0.0.1', 'Test/1', 1])
  await grants.allow(device.id, false)
  server.cut(device.id, device.ip)
  await closed
  await until(() => server.streamsOf(device.id) === 0)
  await assert.rejects(get(url), { code: 'ECONNRESET' })
  await assert.rejects(get('/description.xml'), { code: 'ECONNRESET' })
  await grants.allow(device.id, true)
  assert.equal((await get(url, {}, 'HEAD')).status, 200)
})

test('streams of one address are bounded', async () => {
  const url = await filmUrl()
  http.double.makeAvailable(1000)
  const open = Array.from({ length: 8 }, () => {
    const request = httpRequest(url, { agent: false }, answer => answer.on('error', () => undefined))
    request.on('error', () => undefined)
    request.end()
    return request
  })
  const [device] = grants.devices
  await until(() => server.streamsOf(device?.id ?? '') === 8)
  assert.equal((await get(url)).status, 503)
  for (const request of open) request.destroy()
  await until(() => server.streamsOf(device?.id ?? '') === 0)
})

test('actions of an address beyond those that it may have answered or waiting are refused', async () => {
  let goOn: () => void = () => undefined
  const gate = new Promise<void>(resolve => {
    goOn = resolve
  })
  const { list } = made.service
  held = async function* (options) {
    await gate
    yield* list(options)
  }
  const all = Array.from({ length: 16 }, () => act('GetSystemUpdateID'))
  const refused = all.map(answer => answer.then(({ status }) => status))
  assert.equal(await Promise.race(refused), 503)
  held = null
  goOn()
  const statuses = await Promise.all(refused)
  assert.deepEqual(
    [statuses.filter(status => status === 200).length, statuses.filter(status => status === 503).length],
    [12, 4],
  )
})

test('a forged Host and an address of another network get nothing', async () => {
  for (const Host of ['evil.example', `localhost:${port}`, `127.0.0.1:${port + 1}`])
    await assert.rejects(get('/description.xml', { Host }), Host)
  const foreign = new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port, path: '/description.xml', localAddress: '127.9.0.1', agent: false },
      resolve,
    )
    request.on('error', reject)
    request.end()
  })
  await assert.rejects(foreign, { code: 'ECONNRESET' })
  assert.equal((await get('/description.xml', { Host: '127.0.0.1' })).status, 200)
})

test('events are told to who subscribed, and only there', async () => {
  const subscribe = (headers: Record<string, string>): Promise<Answer> => get('/content/events', headers, 'SUBSCRIBE')
  const foreign = await subscribe({ Callback: '<http://198.51.100.7/>', NT: 'upnp:event' })
  assert.equal(foreign.status, 412)
  const answer = await subscribe({ Callback: '<http://127.0.0.1:9/evt>', NT: 'upnp:event', Timeout: 'Second-infinite' })
  const sid = String(answer.headers['sid'])
  assert.deepEqual([answer.status, answer.headers['timeout']], [200, 'Second-1800'])
  await until(() => events.length === 1)
  const [{ ip, port: to, path, localIp }] = events as [EventMessage]
  assert.deepEqual([ip, to, path, localIp], ['127.0.0.1', 9, '/evt', '127.0.0.1'])
  ;(made.all[0] as MadeDownload).name = 'Other'
  await until(() => {
    void browse('0')
    return events.length === 2
  })
  assert.equal((await subscribe({ SID: sid })).status, 200)
  assert.equal((await get('/content/events', { SID: sid }, 'UNSUBSCRIBE')).status, 200)
  assert.equal((await get('/content/events', { SID: sid }, 'UNSUBSCRIBE')).status, 412)
})

test('what is no action is refused', async () => {
  const post = (body: string): Promise<Answer> =>
    ask(port, '/content/control', { method: 'POST', key: false, body, headers: { SOAPAction: '"x#y"' } })
  assert.equal((await post('<!DOCTYPE a><a/>')).status, 400)
  assert.equal((await post('x'.repeat(20_000))).status, 413)
  assert.equal((await get('/elsewhere')).status, 404)
  assert.equal((await get('/content/control', {}, 'DELETE')).status, 404)
})
